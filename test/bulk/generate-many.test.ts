import { ApiError, ConfigurationError, type PendingPdf, template, ValuesError } from "template-pdf";
import { generateMany } from "template-pdf/bulk";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type Answer, pdfOf, Service, saying, withLength } from "../support/service.ts";
import { byNumber, generate, jobsOf, type Readable, small } from "./many.ts";

/** A response that is sent when the test releases it. */
function heldBack(): { answer: Answer; release: () => void } {
  const held = { answer: () => {}, release: () => {} } as { answer: Answer; release: () => void };
  held.answer = (received) => {
    held.release = () => withLength(small)(received);
  };
  return held;
}

describe("generateMany", () => {
  it("yields a result for every job, with the job, its index, and its bytes or error", async () => {
    const jobs = jobsOf(20);
    const { results, error } = await generate(byNumber({ 3: saying(422) }), jobs);
    expect(error).toBe(undefined);
    const sorted = results.sort((a, b) => a.index - b.index);
    expect(sorted.map(({ job }) => job)).toEqual(jobs);
    for (const [index, result] of sorted.entries()) {
      expect(result).toMatchObject({ index, attempts: 1, status: index === 3 ? "rejected" : "fulfilled" });
      if (result.status === "fulfilled") expect(Buffer.from(result.value).equals(small)).toBe(true);
      else expect(result.error).toBeInstanceOf(ApiError);
    }
  });

  it("yields results as they complete", async () => {
    const held = heldBack();
    const service = await Service.start(byNumber({ 0: held.answer }));
    const order: number[] = [];
    for await (const { index } of generateMany(service.client(), jobsOf(4), { concurrency: 2 })) {
      order.push(index);
      if (order.length === 3) held.release();
    }
    expect(order).toEqual([1, 2, 3, 0]);
  });

  it("yields results in the order of the jobs with `ordered`, within the concurrency", async () => {
    const held = heldBack();
    const service = await Service.start(byNumber({ 0: held.answer }));
    const pulled: number[] = [];
    function* jobs() {
      for (const job of jobsOf(9)) {
        pulled.push(job.values.n);
        yield job;
      }
    }
    const run = generateMany(service.client(), jobs(), { concurrency: 3, ordered: true });
    const next = run.next();
    await service.request(2);
    expect(pulled).toEqual([0, 1, 2]);
    held.release();
    const order = [(await next).value.index];
    for await (const { index } of run) order.push(index);
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it("never has more jobs in flight than its concurrency, and pulls a job only if a slot is free", async () => {
    const most = { inFlight: 0, held: 0 };
    let [inFlight, pulled, taken] = [0, 0, 0];
    const service = await Service.start((received) => {
      most.inFlight = Math.max(most.inFlight, ++inFlight);
      received.response.once("close", () => inFlight--);
      withLength(small)(received);
    });
    async function* jobs() {
      for (const job of jobsOf(60)) {
        most.held = Math.max(most.held, ++pulled - taken);
        yield job;
      }
    }
    for await (const _ of generateMany(service.client(), jobs(), { concurrency: 5 })) taken++;
    // A sixth may be the result that is being returned.
    expect([taken, most.inFlight <= 5, most.held <= 6]).toEqual([60, true, true]);
  });

  it("begins when the first result is requested", async () => {
    const service = await Service.start(withLength(small));
    const run = generateMany(service.client(), jobsOf(1));
    await new Promise((resolve) => setImmediate(resolve));
    expect(service.requests).toEqual([]);
    expect((await run.next()).value?.status).toBe("fulfilled");
  });

  it("yields what `use` returns, and counts `use` in the concurrency", async () => {
    let [inUse, most] = [0, 0];
    const use = async (pdf: Readable, job: { values: { n: number } }, context: Record<string, unknown>) => {
      most = Math.max(most, ++inUse);
      const { length } = await pdf.bytes();
      await new Promise((resolve) => setImmediate(resolve));
      inUse--;
      return `${job.values.n} ${context["index"]} ${context["attempt"]} ${length}`;
    };
    const { results } = await generate(withLength(small), jobsOf(12), { concurrency: 3, use });
    expect(most).toBe(3);
    for (const result of results)
      expect(result).toMatchObject({ value: `${result.index} ${result.index} 1 1000` });
  });

  it.each([
    ["leaves the document unread", () => 1],
    ["returns a stream instead of reading it", (pdf: { stream(): unknown }) => pdf.stream()],
    ["reads only the headers", async (pdf: PromiseLike<{ status: number }>) => (await pdf).status],
  ])("refuses a `use` that %s, and frees the connection", async (_what, use) => {
    const endless: Answer = ({ response }) => {
      response.writeHead(200, { "content-length": 1_000_000 });
      response.write(small);
    };
    const { service, result } = await generate(endless, jobsOf(1), { use });
    expect(result?.error).toEqual(
      new ConfigurationError(
        "`use` returned before the document of job 0 was read completely. Read it in `use`, and await the read, for example (pdf) => pdf.bytes().",
      ),
    );
    for (const { closed } of service.requests) await closed;
  });

  it.each([
    ["handles", (pdf: Readable) => pdf.bytes().catch(() => "all is well")],
    ["wraps", (pdf: Readable) => pdf.bytes().catch((cause) => Promise.reject(new Error("mine", { cause })))],
  ])("rejects a failed document with its own error if `use` %s that", async (_what, use) => {
    const { results } = await generate(saying(400), jobsOf(1), { use });
    expect(results).toEqual([expect.objectContaining({ status: "rejected", error: expect.any(ApiError) })]);
  });

  const own = new Error("the bucket is full");
  it.each([
    ["read the document", small, (pdf: PendingPdf) => pdf.bytes().then(() => Promise.reject(own))],
    [
      "destroyed its stream",
      pdfOf(1_000_000),
      async (pdf: PendingPdf) => {
        const stream = await pdf.nodeStream();
        stream.on("error", () => {});
        stream.destroy(new Error("of the stream"));
        throw own;
      },
    ],
  ])("yields what `use` threw after it %s, and does not retry", async (_what, pdf, use) => {
    const { results, sent } = await generate(withLength(pdf), jobsOf(1), { use }, { retry: {} });
    expect(results).toEqual([expect.objectContaining({ status: "rejected", attempts: 1, error: own })]);
    expect(sent).toBe(1);
  });

  it("checks values by the template of each job, and sends the options of the job", async () => {
    const strict = template("strict", z.object({ total: z.string() }));
    const jobs = [
      { template: strict, values: { total: "1" }, options: { headers: { "x-row": "7" } } },
      { template: strict, values: { total: 1 } },
    ];
    const { service, results } = await generate(withLength(small), jobs, { ordered: true });
    expect(results).toEqual([
      expect.objectContaining({ status: "fulfilled" }),
      expect.objectContaining({ status: "rejected", attempts: 0, error: expect.any(ValuesError) }),
    ]);
    expect(service.requests.map(({ headers }) => headers["x-row"])).toEqual(["7"]);
  });

  const shape = "Pass every job as { template, values }, where `template` is a uid or a template().";
  it.each([
    [undefined, `is undefined, so no request was sent for it. ${shape}`],
    [null, `is null, so no request was sent for it. ${shape}`],
    ["t", `is a string, so no request was sent for it. ${shape}`],
    [["t", {}], `has no \`template\`, so no request was sent for it. ${shape}`],
    [{ uid: "t", values: {} }, `has no \`template\`, so no request was sent for it. ${shape}`],
    [
      { template: "t", values: {}, options: { retry: false } },
      "has `retry` in its options, so no request was sent for it. Pass `retry` to the run instead.",
    ],
  ])("rejects an invalid job and continues: %j", async (job, what) => {
    const { results } = await generate(withLength(small), [job, ...jobsOf(1)], { ordered: true });
    expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    const error = new ConfigurationError(`Job 0 ${what}`);
    expect(results[0]).toMatchObject({ attempts: 0, error });
  });

  it("yields what is in flight, then throws what the source of the jobs threw", async () => {
    const broken = new Error("the database has gone");
    async function* jobs() {
      yield* jobsOf(3);
      throw broken;
    }
    const { results, error } = await generate(withLength(small), jobs());
    expect([results.length, error]).toEqual([3, broken]);
  });

  it("calls a slow source of jobs one at a time", async () => {
    let [calls, pulled] = [0, 0];
    const source = {
      async next() {
        expect(++calls).toBe(1);
        await new Promise((resolve) => setImmediate(resolve));
        calls--;
        return { done: pulled++ === 20, value: jobsOf(1)[0] };
      },
    };
    const jobs = { [Symbol.asyncIterator]: () => source };
    const { results, error } = await generate(withLength(small), jobs as never);
    expect([results.length, error]).toEqual([20, undefined]);
  });

  it.each([
    [{ concurency: 3 }, "Unknown run option `concurency`. Known options: concurrency, "],
    [{ concurrency: 0 }, '`concurrency` to be a whole number, 1 or more, or "auto", got `0` (number).'],
    [{ concurrency: 1.5 }, "Expected `concurrency`"],
    [{ concurrency: "many" }, "Expected `concurrency`"],
    [{ perSecond: 0 }, "Expected `perSecond` to be a number above 0, got `0` (number)."],
    [{ perSecond: Number.NaN }, "Expected `perSecond`"],
    [{ perSecond: Number.POSITIVE_INFINITY }, "Expected `perSecond`"],
    [{ stopAfter: 0 }, "`stopAfter` to be a whole number, 1 or more, or Infinity, got `0` (number)."],
    [{ retry: { limt: 2 } }, "Unknown retry option `limt`. Known options: limit, "],
    [{ use: 1 }, "Expected `use` to be a function"],
    [{ ordered: "yes" }, "Expected `ordered` to be a boolean"],
    [{ signal: {} }, "Expected `signal` to be an AbortSignal"],
    [{ drain: 1 }, "Expected `drain` to be an AbortSignal"],
  ])("refuses the options %o", async (options, message) => {
    const service = await Service.start(withLength(small));
    expect(() => generateMany(service.client(), jobsOf(1), options as never)).toThrow(message);
  });

  it.each([[undefined], [null], [{}], [5], ["jobs"]])(
    "refuses jobs that are not iterable: %j",
    async (jobs) => {
      const service = await Service.start(withLength(small));
      expect(() => generateMany(service.client(), jobs as never)).toThrow(
        "Expected `jobs` to be an array, a generator or another iterable of { template, values }.",
      );
    },
  );

  it.each([[undefined], [{}]])("refuses a value that is not a client: %j", (client) => {
    expect(() => generateMany(client as never, [])).toThrow("`client` is required: pass a TemplatePdf.");
  });
});
