import { ApiError, ConfigurationError, type PendingPdf, template, ValuesError } from "template-pdf";
import { generateMany } from "template-pdf/bulk";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { pdfOf, Service, saying, withLength } from "../support/service.ts";
import { byNumber, jobsOf, resultsOf, small } from "./many.ts";

describe("generateMany", () => {
  it("yields a result for every job, with the job, its index and its bytes", async () => {
    const service = await Service.start(withLength(small));
    const jobs = jobsOf(20);
    const { results, error } = await resultsOf(service.client(), jobs);
    expect(error).toBe(undefined);
    expect(results.map(({ index }) => index).sort((a, b) => a - b)).toEqual(jobs.map((_, index) => index));
    for (const { job, index, attempts, status, ...rest } of results) {
      expect([job, attempts, status]).toEqual([jobs[index], 1, "fulfilled"]);
      expect(Buffer.from((rest as { value: Uint8Array }).value).equals(small)).toBe(true);
    }
  });

  it("yields a failed job among the others, with its error", async () => {
    const service = await Service.start(byNumber({ 3: saying(422) }));
    const { results, error } = await resultsOf(service.client(), jobsOf(6));
    expect([error, results.length]).toEqual([undefined, 6]);
    const rejected = results.filter(({ status }) => status === "rejected");
    expect(rejected).toEqual([
      expect.objectContaining({ index: 3, attempts: 1, error: expect.any(ApiError) }),
    ]);
  });

  it("yields results as they complete", async () => {
    let release = () => {};
    const service = await Service.start(
      byNumber({
        0: (received) => {
          release = () => withLength(small)(received);
        },
      }),
    );
    const order: number[] = [];
    for await (const { index } of generateMany(service.client(), jobsOf(4), { concurrency: 2 })) {
      order.push(index);
      if (order.length === 3) release();
    }
    expect(order).toEqual([1, 2, 3, 0]);
  });

  it("yields results in the order of the jobs with `ordered`, within the concurrency", async () => {
    let release = () => {};
    const service = await Service.start(
      byNumber({
        0: async (received) => {
          await new Promise<void>((resolve) => {
            release = resolve;
          });
          withLength(small)(received);
        },
      }),
    );
    const pulled: number[] = [];
    function* jobs() {
      for (const job of jobsOf(9)) {
        pulled.push(job.values.n);
        yield job;
      }
    }
    const order: number[] = [];
    const run = generateMany(service.client(), jobs(), { concurrency: 3, ordered: true });
    const next = run.next();
    await service.request(2);
    expect(pulled).toEqual([0, 1, 2]);
    release();
    order.push((await next).value.index);
    for await (const { index } of run) order.push(index);
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it("never has more in flight than its concurrency, and pulls a job only if there is room", async () => {
    let inHand = 0;
    let most = 0;
    const service = await Service.start((received) => {
      most = Math.max(most, ++inHand);
      received.response.once("close", () => inHand--);
      withLength(small)(received);
    });
    let pulled = 0;
    let taken = 0;
    let mostHeld = 0;
    async function* jobs() {
      for (const job of jobsOf(60)) {
        mostHeld = Math.max(mostHeld, ++pulled - taken);
        yield job;
      }
    }
    for await (const _ of generateMany(service.client(), jobs(), { concurrency: 5 })) taken++;
    // A sixth may be the result that is being given.
    expect([taken, most <= 5, mostHeld <= 6]).toEqual([60, true, true]);
  });

  it("begins when the first result is requested", async () => {
    const service = await Service.start(withLength(small));
    const jobs = jobsOf(1)[Symbol.iterator]();
    const run = generateMany(service.client(), { [Symbol.iterator]: () => jobs });
    await new Promise((resolve) => setImmediate(resolve));
    expect(service.requests).toEqual([]);
    expect((await run.next()).value?.status).toBe("fulfilled");
  });

  it("yields what `use` returns, and counts `use` in the concurrency", async () => {
    const service = await Service.start(withLength(small));
    let inUse = 0;
    let most = 0;
    const { results } = await resultsOf(service.client(), jobsOf(12), {
      concurrency: 3,
      use: async (pdf, job, { index, attempt }) => {
        most = Math.max(most, ++inUse);
        const { length } = await pdf.bytes();
        await new Promise((resolve) => setImmediate(resolve));
        inUse--;
        return `${job.values.n} ${index} ${attempt} ${length}`;
      },
    });
    expect(most).toBe(3);
    expect(results.map((result) => result.status === "fulfilled" && result.value).sort()).toEqual(
      jobsOf(12)
        .map(({ values: { n } }) => `${n} ${n} 1 1000`)
        .sort(),
    );
  });

  it.each([
    ["leaves the document unread", () => 1],
    ["gives a stream instead of reading it", (pdf: { stream(): unknown }) => pdf.stream()],
    ["reads no more than the head", async (pdf: PromiseLike<{ status: number }>) => (await pdf).status],
  ])("refuses a `use` that %s, and frees the connection", async (_what, use) => {
    const service = await Service.start(({ response }) => {
      response.writeHead(200, { "content-length": 1_000_000 });
      response.write(small);
    });
    const { results } = await resultsOf(service.client(), jobsOf(1), { use: use as never });
    const [result] = results;
    expect(result?.status === "rejected" && result.error).toEqual(
      new ConfigurationError(
        "`use` was done with job 0 before its document was read to the end. Read it within `use`, and await that, as in (pdf) => pdf.bytes().",
      ),
    );
    for (const { closed } of service.requests) await closed;
  });

  it("rejects a failed document although `use` handles the error", async () => {
    const service = await Service.start(saying(400));
    const use = (pdf: { bytes(): Promise<unknown> }) => pdf.bytes().catch(() => "all is well");
    const { results } = await resultsOf(service.client(), jobsOf(1), { use });
    expect(results).toEqual([expect.objectContaining({ status: "rejected", error: expect.any(ApiError) })]);
  });

  it("yields what `use` threw, and does not retry", async () => {
    const service = await Service.start(withLength(small));
    const error = new Error("the bucket is full");
    const use = async (pdf: { bytes(): Promise<unknown> }) => {
      await pdf.bytes();
      throw error;
    };
    const { results } = await resultsOf(service.client({ retry: {} }), jobsOf(1), { use });
    expect(results).toEqual([expect.objectContaining({ status: "rejected", attempts: 1, error })]);
    expect(service.requests.length).toBe(1);
  });

  it("yields the error of the document if `use` wraps it", async () => {
    const service = await Service.start(saying(400));
    const use = (pdf: { bytes(): Promise<unknown> }) =>
      pdf.bytes().catch((cause) => {
        throw new Error("upload failed", { cause });
      });
    const { results } = await resultsOf(service.client(), jobsOf(1), { use });
    expect(results).toEqual([expect.objectContaining({ error: expect.any(ApiError) })]);
  });

  it("checks values by the template of each job", async () => {
    const service = await Service.start(withLength(small));
    const strict = template("strict", z.object({ total: z.string() }));
    const jobs = [
      { template: strict, values: { total: "1" } },
      { template: strict, values: { total: 1 } },
    ];
    const { results } = await resultsOf(service.client(), jobs, { ordered: true });
    expect(results).toEqual([
      expect.objectContaining({ status: "fulfilled" }),
      expect.objectContaining({ status: "rejected", attempts: 0, error: expect.any(ValuesError) }),
    ]);
    expect(service.requests.length).toBe(1);
  });

  it("sends the options of a job with it", async () => {
    const service = await Service.start(withLength(small));
    const jobs = [{ ...jobsOf(1)[0], options: { headers: { "x-row": "7" } } }];
    await resultsOf(service.client(), jobs as never);
    expect(service.requests[0]?.headers["x-row"]).toBe("7");
  });

  it.each([
    [undefined, "is a value of type undefined"],
    [null, "is null"],
    ["t", "is a value of type string"],
    [["t", {}], "has no `template`"],
    [{ uid: "t", values: {} }, "has no `template`"],
  ])("rejects an invalid job and continues: %j", async (job, what) => {
    const service = await Service.start(withLength(small));
    const { results } = await resultsOf(service.client(), [job as never, ...jobsOf(1)], { ordered: true });
    expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    expect(results[0]).toMatchObject({
      attempts: 0,
      error: new ConfigurationError(
        `Job 0 ${what}. Give every job as { template, values }, where \`template\` is a uid or a template(). Nothing was sent for it.`,
      ),
    });
  });

  it("rejects a job with its own `retry` option", async () => {
    const service = await Service.start(withLength(small));
    const jobs = [{ template: "t", values: {}, options: { retry: false } }];
    const { results } = await resultsOf(service.client(), jobs as never);
    expect(results).toEqual([
      expect.objectContaining({
        status: "rejected",
        error: new ConfigurationError(
          "Job 0 has `retry` among its options, and the run decides when a document is asked for again. Give `retry` to the run. Nothing was sent for it.",
        ),
      }),
    ]);
  });

  it("yields what is in flight, then throws what the source of the jobs threw", async () => {
    const service = await Service.start(withLength(small));
    const broken = new Error("the database has gone");
    async function* jobs() {
      yield* jobsOf(3);
      throw broken;
    }
    const { results, error } = await resultsOf(service.client(), jobs());
    expect([results.length, error]).toEqual([3, broken]);
  });

  it("yields what `use` threw after it destroyed the stream", async () => {
    const service = await Service.start(withLength(pdfOf(1_000_000)));
    const mine = new Error("the pipe is closed");
    const use = async (pdf: PendingPdf) => {
      const stream = await pdf.nodeStream();
      stream.on("error", () => {});
      stream.destroy(new Error("of the stream"));
      throw mine;
    };
    const { results } = await resultsOf(service.client({ retry: {} }), jobsOf(1), { use });
    expect(results).toEqual([expect.objectContaining({ status: "rejected", attempts: 1, error: mine })]);
    expect(service.requests.length).toBe(1);
  });

  it("calls a slow source of jobs one at a time", async () => {
    const service = await Service.start(withLength(small));
    let asked = 0;
    const source = {
      [Symbol.asyncIterator]: () => ({
        async next() {
          expect(++asked).toBe(1);
          await new Promise((resolve) => setImmediate(resolve));
          asked--;
          return service.requests.length < 10
            ? { done: false, value: jobsOf(1)[0] }
            : { done: true, value: undefined };
        },
      }),
    };
    const { results, error } = await resultsOf(service.client(), source as never);
    expect(error).toBe(undefined);
    expect(results.length).toBeGreaterThanOrEqual(10);
  });

  it.each([
    [{ concurency: 3 }, "Unknown run option `concurency`. Did you mean `concurrency`?"],
    [
      { concurrency: 0 },
      'Expected `concurrency` to be a whole number, 1 or more, or "auto", got `0` (number).',
    ],
    [{ concurrency: 1.5 }, "Expected `concurrency`"],
    [{ concurrency: "many" }, "Expected `concurrency`"],
    [{ perSecond: 0 }, "Expected `perSecond` to be a number above 0, got `0` (number)."],
    [{ perSecond: Number.NaN }, "Expected `perSecond`"],
    [{ perSecond: Number.POSITIVE_INFINITY }, "Expected `perSecond`"],
    [
      { stopAfter: 0 },
      "Expected `stopAfter` to be a whole number, 1 or more, or Infinity, got `0` (number).",
    ],
    [{ retry: { limt: 2 } }, "Unknown retry option `limt`. Did you mean `limit`?"],
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
        "The jobs of a run have to be an array, a generator or another iterable of { template, values }.",
      );
    },
  );

  it.each([[undefined], [{}]])("refuses a value that is not a client: %j", (client) => {
    expect(() => generateMany(client as never, [])).toThrow("A run needs a client: give it a TemplatePdf.");
  });
});
