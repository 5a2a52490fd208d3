import { ApiError, ConfigurationError, template, ValuesError } from "template-pdf";
import { generateMany } from "template-pdf/bulk";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { beginning, heldBack, Service, saying, withLength } from "../support/service.ts";
import { byNumber, generate, jobsOf, type Readable, small } from "./many.ts";

describe("generateMany", () => {
  it("yields every job with its index and either the document's bytes or the error", async () => {
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

  it("yields each result as soon as its job ends", async () => {
    const { answer, release } = heldBack(withLength(small));
    const service = await Service.start(byNumber({ 0: answer }));
    const order: number[] = [];
    for await (const { index } of generateMany(service.client(), jobsOf(4), { concurrency: 2 })) {
      order.push(index);
      if (order.length === 3) release();
    }
    expect(order).toEqual([1, 2, 3, 0]);
  });

  it("yields results in job order if `ordered` is set", async () => {
    const { answer, release } = heldBack(withLength(small));
    const service = await Service.start(byNumber({ 0: answer }));
    let pulled = 0;
    function* jobs() {
      for (const job of jobsOf(9)) if (++pulled) yield job;
    }
    const run = generateMany(service.client(), jobs(), { concurrency: 3, ordered: true });
    const next = run.next();
    await service.request(2);
    expect(pulled).toBe(3);
    release();
    const order = [(await next).value.index];
    for await (const { index } of run) order.push(index);
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it("yields the values that `use` returns, and limits concurrent `use` calls", async () => {
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
    expect(results).toHaveLength(12);
    for (const result of results)
      expect(result).toMatchObject({ value: `${result.index} ${result.index} 1 1000` });
  });

  it.each([
    ["does not read the document", () => 1],
    ["reads only the headers", async (pdf: PromiseLike<{ status: number }>) => (await pdf).status],
  ])("rejects a job and closes its connection if `use` %s", async (_what, use) => {
    const answer = beginning(small, { "content-length": "1000000" });
    const { service, result } = await generate(answer, jobsOf(1), { use });
    expect(result?.error).toEqual(
      new ConfigurationError(
        "`use` returned before the document of job 0 was read completely. Read it in `use`, and await the read, for example (pdf) => pdf.bytes().",
      ),
    );
    for (const { closed } of service.requests) await closed;
  });

  it("checks each job's values against its template, and sends each job with its own options", async () => {
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
    [["t", {}], `has no \`template\`, so no request was sent for it. ${shape}`],
    [
      { template: "t", values: {}, options: { retry: false } },
      "has `retry` in its options, so no request was sent for it. Pass `retry` to the run instead.",
    ],
  ])("rejects an invalid job and continues: %j", async (job, what) => {
    const { results } = await generate(withLength(small), [job, ...jobsOf(1)], { ordered: true });
    const error = new ConfigurationError(`Job 0 ${what}`);
    expect(results).toMatchObject([{ status: "rejected", attempts: 0, error }, { status: "fulfilled" }]);
  });

  it("yields the results of jobs in flight before it throws the job source's error", async () => {
    const broken = new Error("the database has gone");
    async function* jobs() {
      yield* jobsOf(3);
      throw broken;
    }
    const { results, error } = await generate(withLength(small), jobs());
    expect({ resultCount: results.length, error }).toEqual({ resultCount: 3, error: broken });
  });

  it.each([
    [{ concurency: 3 }, "Unknown run option `concurency`. Known options: concurrency, "],
    [{ concurrency: 0 }, '`concurrency` to be a whole number, 1 or more, or "auto", got `0` (number).'],
    [{ concurrency: "many" }, "Expected `concurrency`"],
    [{ perSecond: 0 }, "Expected `perSecond` to be a number above 0, got `0` (number)."],
    [{ perSecond: Number.POSITIVE_INFINITY }, "Expected `perSecond`"],
    [{ stopAfter: 0 }, "`stopAfter` to be a whole number, 1 or more, or Infinity, got `0` (number)."],
    [{ retry: { limt: 2 } }, "Unknown retry option `limt`. Known options: limit, "],
    [{ signal: {} }, "Expected `signal` to be an AbortSignal"],
  ])("throws for the invalid options %o", async (options, message) => {
    const service = await Service.start(withLength(small));
    expect(() => generateMany(service.client(), jobsOf(1), options as never)).toThrow(message);
  });
});
