import { getEventListeners } from "node:events";
import { ServerError } from "template-pdf";
import { generateMany, RunStoppedError } from "template-pdf/bulk";
import { describe, expect, it } from "vitest";
import { beginning, Service, saying, withLength } from "../support/service.ts";
import { byNumber, generate, jobsOf, type Readable, small } from "./many.ts";

const endless = beginning(small, { "content-length": "2000" });
const whole = withLength(small);
const soon = saying(503, "", { "retry-after": "3000" });
const done = { done: true, value: undefined };

/** A source that yields these jobs and then neither yields nor ends. */
async function* neverEnding(count: number, onLast = () => {}) {
  yield* jobsOf(count);
  onLast();
  await new Promise(() => {});
}

describe("a run whose signal is aborted", () => {
  it("throws the reason at once, aborts jobs in flight, and leaves no connection in use", async () => {
    const service = await Service.start(byNumber({ 2: endless, 3: endless }));
    const ending = new AbortController();
    const reason = new Error("the user has left");
    const results: number[] = [];
    const run = generateMany(service.client(), jobsOf(100), { concurrency: 2, signal: ending.signal });
    const read = (async () => {
      for await (const { index } of run) results.push(index);
    })();
    const stuck = [await service.request(2), await service.request(3)];
    ending.abort(reason);
    await expect(read).rejects.toBe(reason);
    expect(results).toEqual([0, 1]);
    for (const { closed } of stuck) await closed;
    expect(service.requests.length).toBe(4);
    expect(await run.next()).toEqual(done);
  });

  it("sends nothing if the signal was aborted before", async () => {
    const { results, error, sent } = await generate(whole, jobsOf(3), { signal: AbortSignal.abort("late") });
    expect([results, error, sent]).toEqual([[], "late", 0]);
  });

  it("does not wait for a retry", async () => {
    const ending = new AbortController();
    const hooks = { retry: () => setImmediate(() => ending.abort("enough")) };
    const options = { concurrency: 1, signal: ending.signal };
    const { error, sent } = await generate(soon, jobsOf(3), options, { retry: {}, hooks });
    expect([error, sent]).toEqual(["enough", 1]);
  });

  it("aborts the signal of `use`", async () => {
    const ending = new AbortController();
    let seen: unknown;
    const use = async (pdf: Readable, _job: unknown, { signal }: { signal: AbortSignal }) => {
      await pdf.bytes();
      setImmediate(() => ending.abort("enough"));
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      seen = signal.reason;
      throw new Error("the upload was interrupted");
    };
    const { results, error } = await generate(whole, jobsOf(1), { use, signal: ending.signal });
    expect([results, error, seen]).toEqual([[], "enough", "enough"]);
  });

  it("still yields the results that `use` completes meanwhile", async () => {
    const ending = new AbortController();
    const use = async (pdf: Readable) => {
      await pdf.bytes();
      ending.abort("enough");
      await new Promise((resolve) => setImmediate(resolve));
      return "stored";
    };
    const { results, error } = await generate(whole, jobsOf(1), { use, signal: ending.signal });
    expect([results, error]).toEqual([[expect.objectContaining({ value: "stored" })], "enough"]);
  });

  it("yields the rest in order with `ordered`, without the dropped results", async () => {
    const service = await Service.start(byNumber({ 1: endless }));
    const ending = new AbortController();
    const stored: number[] = [];
    const use = async (pdf: Readable, _job: unknown, { index }: { index: number }) => {
      await pdf.bytes();
      if (stored.push(index) === 3) setImmediate(() => setImmediate(() => ending.abort("enough")));
    };
    const options = { use, concurrency: 4, ordered: true, signal: ending.signal };
    const run = generateMany(service.client(), jobsOf(4), options);
    const indexes = [await run.next(), await run.next(), await run.next()].map(({ value }) => value?.index);
    expect(indexes).toEqual([0, 2, 3]);
    await expect(run.next()).rejects.toBe("enough");
  });

  it("ends soon although all jobs are invalid", async () => {
    function* jobs() {
      for (;;) yield { template: "t", values: 5 };
    }
    const ending = new AbortController();
    setTimeout(() => ending.abort("enough"), 20);
    const { error, sent } = await generate(whole, jobs(), { signal: ending.signal });
    expect([error, sent]).toEqual(["enough", 0]);
  });

  it("ends even if its source and `use` never end", async () => {
    const ending = new AbortController();
    const jobs = neverEnding(1, () => ending.abort("enough"));
    const use = () => new Promise<never>(() => {});
    expect((await generate(whole, jobs, { use, signal: ending.signal })).error).toBe("enough");
  });
});

describe("a run whose `drain` is aborted", () => {
  it("completes the jobs in flight, and throws because jobs remain", async () => {
    const service = await Service.start(whole);
    const draining = new AbortController();
    const results: number[] = [];
    const run = generateMany(service.client(), jobsOf(100), { concurrency: 3, drain: draining.signal });
    const read = (async () => {
      for await (const { index } of run) if (results.push(index) === 5) draining.abort();
    })();
    const error = await read.catch((thrown: unknown) => thrown);
    expect(RunStoppedError.is(error) && [error.code, error.message]).toEqual([
      "run_stopped",
      `The run stopped before its last job: \`drain\` was aborted. ${results.length} jobs were fulfilled and 0 were rejected.`,
    ]);
    expect(results.length).toBe(service.requests.length);
    expect(results.length).toBeLessThanOrEqual(5 + 3);
  });

  it("does not throw if its last job is done", async () => {
    const draining = new AbortController();
    const service = await Service.start(whole);
    const results: number[] = [];
    const options = { concurrency: 8, drain: draining.signal };
    for await (const { index } of generateMany(service.client(), jobsOf(3), options)) {
      results.push(index);
      draining.abort();
    }
    expect(results.sort()).toEqual([0, 1, 2]);
  });

  it("does not wait for a retry", async () => {
    const draining = new AbortController();
    const hooks = { retry: () => setImmediate(() => draining.abort()) };
    const options = { concurrency: 1, drain: draining.signal };
    const { results, error } = await generate(soon, jobsOf(9), options, { retry: {}, hooks });
    expect(results).toEqual([expect.objectContaining({ attempts: 1, error: expect.any(ServerError) })]);
    expect(RunStoppedError.is(error)).toBe(true);
  });

  it("does not wait for its source", async () => {
    const service = await Service.start(whole);
    const draining = new AbortController();
    const results: number[] = [];
    const run = generateMany(service.client(), neverEnding(2), { drain: draining.signal });
    const read = (async () => {
      for await (const { index } of run) if (results.push(index) === 2) setImmediate(() => draining.abort());
    })();
    await expect(read).rejects.toThrow(RunStoppedError);
    expect(results.sort()).toEqual([0, 1]);
  });
});

describe("a run that stops itself", () => {
  it("ends after the number of failures in `stopAfter`, with the last one as the cause", async () => {
    const answer = byNumber({ 1: saying(400), 3: saying(404), 4: saying(400) });
    const { results, error } = await generate(answer, jobsOf(50), { concurrency: 1, stopAfter: 2 });
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected"]);
    expect(RunStoppedError.is(error) && [error.message, error.rejected]).toEqual([
      "The run stopped before its last job: `stopAfter: 2` was reached. 2 jobs were fulfilled and 2 were rejected.",
      2,
    ]);
    expect((error as Error).cause).toBe(results[3]?.error);
  });

  it.each([
    ["`stopAfter` is reached", saying(400), { stopAfter: 1 }],
    ["Retry-After is longer than an hour", saying(429, "", { "retry-after": "7200" }), {}],
  ])("throws if %s after all jobs have started", async (_when, answer, options) => {
    const { results, error } = await generate(answer, jobsOf(3), options, { retry: {} });
    expect([results.length, RunStoppedError.is(error)]).toEqual([3, true]);
  });
});

describe("a run whose loop ends", () => {
  it("aborts the jobs in flight and closes the source of the jobs", async () => {
    const service = await Service.start(byNumber({ 1: endless }));
    let isClosed = false;
    async function* jobs() {
      try {
        yield* jobsOf(100);
      } finally {
        isClosed = true;
      }
    }
    for await (const { index } of generateMany(service.client(), jobs(), { concurrency: 2 })) {
      expect(index).toBe(0);
      await service.request(1);
      break;
    }
    expect(isClosed).toBe(true);
    await (await service.request(1)).closed;
  });

  it.each([
    ["a request is in flight", () => jobsOf(1)],
    ["its source is waiting", () => neverEnding(0)],
  ])("settles a pending `next()` if `return()` is called while %s", async (_when, jobs) => {
    const service = await Service.start(endless);
    const run = generateMany(service.client(), jobs() as never);
    const next = run.next();
    if (Array.isArray(jobs())) await service.request();
    expect(await run.return?.()).toEqual(done);
    expect(await next).toEqual(done);
  });

  it("sends nothing after `return()`, which may be called twice", async () => {
    const service = await Service.start(whole);
    const run = generateMany(service.client(), jobsOf(5));
    expect([await run.return?.(), await run.next(), await run.return?.()]).toEqual([done, done, done]);
    expect(service.requests).toEqual([]);
  });

  it("leaves no listener on the caller's signals", async () => {
    const signals = [new AbortController().signal, new AbortController().signal];
    const listeners = () => signals.map((signal) => getEventListeners(signal, "abort").length);
    const during: number[][] = [];
    const use = async (pdf: Readable) => {
      await pdf.bytes();
      during.push(listeners());
    };
    const [signal, drain] = signals;
    await generate(whole, jobsOf(3), { use, signal, drain });
    expect([during, listeners()]).toEqual([Array(3).fill([1, 1]), [0, 0]]);
  });
});

it("a job whose own signal is aborted while it waits for a retry is rejected with its reason", async () => {
  const leaving = new AbortController();
  const jobs = jobsOf(1).map((job) => ({ ...job, options: { signal: leaving.signal } }));
  const hooks = { retry: () => setImmediate(() => leaving.abort("the customer has left")) };
  const { results, error } = await generate(soon, jobs, {}, { retry: {}, hooks });
  expect(error).toBe(undefined);
  const rejected = { status: "rejected", attempts: 1, error: "the customer has left" };
  expect(results).toEqual([expect.objectContaining(rejected)]);
});
