import { getEventListeners } from "node:events";
import { ServerError } from "template-pdf";
import { generateMany, RunStoppedError } from "template-pdf/bulk";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { JobSource } from "../../src/bulk/job-source.ts";
import { Run } from "../../src/bulk/run.ts";
import { passLimit } from "../client/timing.ts";
import { beginning, Service, saying, turns, withLength } from "../support/service.ts";
import { byNumber, generate, jobsOf, type Readable, small } from "./many.ts";

const endless = beginning(small, { "content-length": "2000" });
const whole = withLength(small);
const soon = saying(503, "", { "retry-after": "3000" });
const done = { done: true, value: undefined };

/** Yields this many jobs, and then neither yields nor ends. */
async function* neverEnding(count: number, onLast = () => {}) {
  yield* jobsOf(count);
  onLast();
  await new Promise(() => {});
}

describe("a run whose signal is aborted", () => {
  it("throws the abort reason at once and aborts the jobs in flight", async () => {
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

  it("sends no requests if the signal is already aborted at the start", async () => {
    const { results, error, sent } = await generate(whole, jobsOf(3), { signal: AbortSignal.abort("late") });
    expect({ results, error, sent }).toEqual({ results: [], error: "late", sent: 0 });
  });

  it("aborts the signal passed to `use`, and yields the value that `use` returns", async () => {
    const ending = new AbortController();
    const use = async (pdf: Readable, _job: unknown, { signal }: { signal: AbortSignal }) => {
      await pdf.bytes();
      setImmediate(() => ending.abort("enough"));
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      return signal.reason;
    };
    const { results, error } = await generate(whole, jobsOf(1), { use, signal: ending.signal });
    expect({ results, error }).toMatchObject({
      results: [{ status: "fulfilled", value: "enough" }],
      error: "enough",
    });
  });

  it("yields completed results in job order if `ordered` is set", async () => {
    const ending = new AbortController();
    let stored = 0;
    const use = async (pdf: Readable) => {
      await pdf.bytes();
      if (++stored === 3) setImmediate(() => setImmediate(() => ending.abort("enough")));
    };
    const options = { use, concurrency: 4, ordered: true, signal: ending.signal };
    const { results, error } = await generate(byNumber({ 1: endless }), jobsOf(4), options);
    expect({ indexes: results.map(({ index }) => index), error }).toEqual({
      indexes: [0, 2, 3],
      error: "enough",
    });
  });

  it.each([
    ["every job is invalid", "a job", true],
    ["every job was already completed by an earlier run", jobsOf(1)[0], false],
  ])("ends promptly even if %s", async (_title, job, admitted) => {
    const ending = new AbortController();
    const { service } = await generate(whole, []);
    const options = { use: () => 1, admit: () => admitted, signal: ending.signal };
    const run = new Run(service.client(), new JobSource(Array(500_000).fill(job)), options);
    setTimeout(() => ending.abort("enough"));
    const read = (async () => {
      for await (const _ of run);
    })();
    await expect(read).rejects.toBe("enough");
  });

  it("ends after one second even if its job source and `use` never finish", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const ending = new AbortController();
    const aborted = new Promise((resolve) => ending.signal.addEventListener("abort", resolve));
    const jobs = neverEnding(1, () => ending.abort("enough"));
    const ended = generate(whole, jobs, { use: () => new Promise(() => {}), signal: ending.signal });
    await aborted;
    await turns();
    await passLimit(ended, 1_000);
    expect((await ended).error).toBe("enough");
  });
});

describe("a run whose `drain` signal is aborted", () => {
  /** Aborts `drain` when this many documents are complete. */
  const generateUntil = (count: number, jobs: number) => {
    const draining = new AbortController();
    let stored = 0;
    const use = async (pdf: Readable) => {
      await pdf.bytes();
      if (++stored === count) draining.abort();
    };
    return generate(whole, jobsOf(jobs), { use, concurrency: 3, drain: draining.signal });
  };

  it("completes the jobs in flight, and throws if jobs remain", async () => {
    const { results, error, sent } = await generateUntil(5, 100);
    expect(RunStoppedError.is(error) && [error.code, error.message]).toEqual([
      "run_stopped",
      `The run stopped before its last job: \`drain\` was aborted. ${sent} jobs were fulfilled and 0 were rejected.`,
    ]);
    expect(results.length).toBe(sent);
    expect(sent).toBeGreaterThanOrEqual(5);
    expect(sent).toBeLessThanOrEqual(5 + 3);
  });

  it("does not throw if no jobs remain", async () => {
    const { results, error } = await generateUntil(1, 2);
    expect({ resultCount: results.length, error }).toEqual({ resultCount: 2, error: undefined });
  });

  it("does not wait for more jobs from its job source", async () => {
    const draining = new AbortController();
    const jobs = neverEnding(2, () => draining.abort());
    const { results, error } = await generate(whole, jobs, { drain: draining.signal });
    expect({ resultCount: results.length, isRunStopped: RunStoppedError.is(error) }).toEqual({
      resultCount: 2,
      isRunStopped: true,
    });
  });
});

it.each([
  ["signal", [], "enough"],
  ["drain", [{ attempts: 1, error: expect.any(ServerError) }], expect.any(RunStoppedError)],
])("a run does not wait for a pending retry after `%s` is aborted", async (name, results, error) => {
  const ending = new AbortController();
  const hooks = { retry: () => setImmediate(() => ending.abort("enough")) };
  const options = { concurrency: 1, [name]: ending.signal };
  const ended = await generate(soon, jobsOf(9), options, { retry: {}, hooks });
  expect({ results: ended.results, error: ended.error, sent: ended.sent }).toMatchObject({
    results,
    error,
    sent: 1,
  });
});

describe("a run that reaches `stopAfter`", () => {
  it("throws an error whose cause is the last failure", async () => {
    const answer = byNumber({ 1: saying(400), 3: saying(404), 4: saying(400) });
    const { results, error } = await generate(answer, jobsOf(50), { concurrency: 1, stopAfter: 2 });
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected"]);
    expect(error).toBeInstanceOf(RunStoppedError);
    const { message, rejected, cause } = error as RunStoppedError;
    expect(message).toBe(
      "The run stopped before its last job: `stopAfter: 2` was reached. 2 jobs were fulfilled and 2 were rejected.",
    );
    expect(rejected).toBe(2);
    expect(cause).toBe(results[3]?.error);
  });

  it("throws even if all its jobs have already started", async () => {
    const { results, error } = await generate(saying(400), jobsOf(3), { stopAfter: 1 });
    expect({ resultCount: results.length, isRunStopped: RunStoppedError.is(error) }).toEqual({
      resultCount: 3,
      isRunStopped: true,
    });
  });
});

describe("a run's iterator", () => {
  it("aborts the jobs in flight and closes the job source if the loop ends early", async () => {
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

  it("settles a pending `next()` call when `return()` is called", async () => {
    const { service } = await generate(whole, []);
    const run = generateMany(service.client(), neverEnding(0));
    const next = run.next();
    expect({ returned: await run.return?.(), next: await next }).toEqual({ returned: done, next: done });
  });

  it("settles a pending `next()` call when `return()` is called while a request is in flight", async () => {
    const service = await Service.start(endless);
    const run = generateMany(service.client(), jobsOf(1));
    const next = run.next();
    await service.request();
    expect({ returned: await run.return?.(), next: await next }).toEqual({ returned: done, next: done });
  });

  it("sends no requests after `return()`, and allows a second `return()` call", async () => {
    const service = await Service.start(whole);
    const run = generateMany(service.client(), jobsOf(5));
    const outcomes = {
      returned: await run.return?.(),
      next: await run.next(),
      returnedAgain: await run.return?.(),
    };
    expect(outcomes).toEqual({ returned: done, next: done, returnedAgain: done });
    expect(service.requests).toEqual([]);
  });

  it("removes its listeners from the caller's signals when the run ends", async () => {
    const [signal, drain] = [new AbortController().signal, new AbortController().signal];
    const count = () => getEventListeners(signal, "abort").length + getEventListeners(drain, "abort").length;
    const during: number[] = [];
    const use = (pdf: Readable) => pdf.bytes().then(() => during.push(count()));
    await generate(whole, jobsOf(3), { use, signal, drain });
    expect({ during, after: count() }).toEqual({ during: [2, 2, 2], after: 0 });
  });
});

it("a job is rejected with the abort reason if its own signal is aborted before a retry", async () => {
  const leaving = new AbortController();
  const jobs = jobsOf(1).map((job) => ({ ...job, options: { signal: leaving.signal } }));
  const hooks = { retry: () => setImmediate(() => leaving.abort("the customer has left")) };
  const { results, error } = await generate(soon, jobs, {}, { retry: {}, hooks });
  const rejected = { status: "rejected", attempts: 1, error: "the customer has left" };
  expect({ results, error }).toMatchObject({ results: [rejected], error: undefined });
});
