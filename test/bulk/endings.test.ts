import { getEventListeners } from "node:events";
import { ServerError } from "template-pdf";
import { generateMany, RunStoppedError } from "template-pdf/bulk";
import { describe, expect, it } from "vitest";
import { beginning, Service, saying, withLength } from "../support/service.ts";
import { byNumber, jobsOf, resultsOf, small } from "./many.ts";

const forEver = beginning(small, { "content-length": "2000" });

describe("the end of a run", () => {
  it("comes at once when the signal is aborted, with its reason, and leaves no connection in use", async () => {
    const service = await Service.start(byNumber({ 2: forEver, 3: forEver }));
    const ending = new AbortController();
    const reason = new Error("the user has left");
    const results: number[] = [];
    const run = generateMany(service.client(), jobsOf(100), {
      concurrency: 2,
      signal: ending.signal,
    });
    const read = (async () => {
      for await (const { index } of run) results.push(index);
    })();
    const [stuck, other] = [await service.request(2), await service.request(3)];
    ending.abort(reason);
    await expect(read).rejects.toBe(reason);
    expect(results).toEqual([0, 1]);
    await stuck.closed;
    await other.closed;
    expect(service.requests.length).toBe(4);
    expect(await run.next()).toEqual({ done: true, value: undefined });
  });

  it("is a plain one for a signal that was aborted before it began", async () => {
    const service = await Service.start(withLength(small));
    const reason = new Error("too late");
    const { results, error } = await resultsOf(service.client(), jobsOf(3), {
      signal: AbortSignal.abort(reason),
    });
    expect([results, error, service.requests.length]).toEqual([[], reason, 0]);
  });

  it("wakes whoever waits to be tried again", async () => {
    const service = await Service.start(saying(503, "", { "retry-after": "3000" }));
    const ending = new AbortController();
    const client = service.client({
      retry: {},
      hooks: { retry: () => setImmediate(() => ending.abort("enough")) },
    });
    const { error } = await resultsOf(client, jobsOf(3), { concurrency: 1, signal: ending.signal });
    expect([error, service.requests.length]).toEqual(["enough", 1]);
  });

  it("gives up what is in flight when the loop is left, and closes the source of the jobs", async () => {
    const service = await Service.start(byNumber({ 1: forEver }));
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

  it("tells `use` that the run has ended", async () => {
    const service = await Service.start(withLength(small));
    const ending = new AbortController();
    let told: unknown;
    const use = async (
      pdf: { bytes(): Promise<unknown> },
      _job: unknown,
      { signal }: { signal: AbortSignal },
    ) => {
      await pdf.bytes();
      setImmediate(() => ending.abort("enough"));
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      told = signal.reason;
      throw new Error("the upload was broken off");
    };
    const { results, error } = await resultsOf(service.client(), jobsOf(1), {
      use,
      signal: ending.signal,
    });
    expect([results, error, told]).toEqual([[], "enough", "enough"]);
  });

  it("still gives what `use` brought to an end meanwhile", async () => {
    const service = await Service.start(withLength(small));
    const ending = new AbortController();
    const use = async (pdf: { bytes(): Promise<unknown> }) => {
      await pdf.bytes();
      ending.abort("enough");
      await new Promise((resolve) => setImmediate(resolve));
      return "stored";
    };
    const { results, error } = await resultsOf(service.client(), jobsOf(1), {
      use,
      signal: ending.signal,
    });
    expect([results, error]).toEqual([[expect.objectContaining({ value: "stored" })], "enough"]);
  });

  it("lets what is under way come to its end when it is drained, and says that it was not all", async () => {
    const service = await Service.start(withLength(small));
    const draining = new AbortController();
    const results: number[] = [];
    const run = generateMany(service.client(), jobsOf(100), {
      concurrency: 3,
      drain: draining.signal,
    });
    const read = (async () => {
      for await (const { index } of run) {
        results.push(index);
        if (results.length === 5) draining.abort();
      }
    })();
    const error = await read.catch((thrown: unknown) => thrown);
    expect(RunStoppedError.is(error) && [error.code, error.message]).toEqual([
      "run_stopped",
      `The run was stopped before its jobs had come to an end: \`drain\` was aborted. Until then ${results.length} of its jobs were fulfilled, and 0 were rejected.`,
    ]);
    expect(results.length).toBe(service.requests.length);
    expect(results.length).toBeLessThanOrEqual(5 + 3);
  });

  it("comes without an error when it is drained after the last job", async () => {
    const service = await Service.start(withLength(small));
    const draining = new AbortController();
    const results: number[] = [];
    const run = generateMany(service.client(), jobsOf(3), {
      concurrency: 8,
      drain: draining.signal,
    });
    for await (const { index } of run) {
      results.push(index);
      draining.abort();
    }
    expect(results.sort()).toEqual([0, 1, 2]);
  });

  it("does not wait for another try when it is drained", async () => {
    const service = await Service.start(saying(503, "", { "retry-after": "3000" }));
    const draining = new AbortController();
    const client = service.client({
      retry: {},
      hooks: { retry: () => setImmediate(() => draining.abort()) },
    });
    const { results, error } = await resultsOf(client, jobsOf(9), { concurrency: 1, drain: draining.signal });
    expect(results).toEqual([expect.objectContaining({ attempts: 1, error: expect.any(ServerError) })]);
    expect(RunStoppedError.is(error)).toBe(true);
  });

  it("comes after as many failures as `stopAfter` allows, and names the last as its cause", async () => {
    const service = await Service.start(byNumber({ 1: saying(400), 3: saying(404), 4: saying(400) }));
    const { results, error } = await resultsOf(service.client(), jobsOf(50), {
      concurrency: 1,
      stopAfter: 2,
    });
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected"]);
    expect(RunStoppedError.is(error) && [error.message, error.rejected]).toEqual([
      "The run was stopped before its jobs had come to an end: `stopAfter: 2` was reached. Until then 2 of its jobs were fulfilled, and 2 were rejected.",
      2,
    ]);
    expect((error as Error).cause).toBe(results[3]?.status === "rejected" && results[3].error);
  });

  it("is reached by a drained run that waits for a source with nothing to give", async () => {
    const service = await Service.start(withLength(small));
    const draining = new AbortController();
    async function* jobs() {
      yield* jobsOf(2);
      await new Promise(() => {});
    }
    const results: number[] = [];
    const run = generateMany(service.client(), jobs(), { drain: draining.signal });
    const read = (async () => {
      for await (const { index } of run) if (results.push(index) === 2) setImmediate(() => draining.abort());
    })();
    await expect(read).rejects.toThrow(RunStoppedError);
    expect(results.sort()).toEqual([0, 1]);
  });

  it.each([
    ["`stopAfter` is reached", saying(400), { stopAfter: 1 }],
    ["the service wants to be left alone", saying(429, "", { "retry-after": "7200" }), {}],
  ])("is told as such where %s, also when all jobs had begun by then", async (_when, answer, options) => {
    const service = await Service.start(answer);
    const client = service.client({ retry: {} });
    const { results, error } = await resultsOf(client, jobsOf(3), options);
    expect([results.length, RunStoppedError.is(error)]).toEqual([3, true]);
  });

  it("comes soon for a job of which its own signal is aborted while it waits", async () => {
    const service = await Service.start(byNumber({ 0: saying(503, "", { "retry-after": "3000" }) }));
    const leaving = new AbortController();
    const [first] = jobsOf(1);
    const jobs = [{ ...first, options: { signal: leaving.signal } }];
    const hooks = { retry: () => setImmediate(() => leaving.abort("the customer has left")) };
    const { results, error } = await resultsOf(service.client({ retry: {}, hooks }), jobs as never);
    expect(error).toBe(undefined);
    expect(results).toEqual([
      expect.objectContaining({ status: "rejected", attempts: 1, error: "the customer has left" }),
    ]);
  });

  it("is the same for whoever waits for a result while the run is ended by hand", async () => {
    const service = await Service.start(byNumber({ 0: forEver }));
    const run = generateMany(service.client(), jobsOf(1));
    const next = run.next();
    await service.request();
    expect(await run.return?.()).toEqual({ done: true, value: undefined });
    expect(await next).toEqual({ done: true, value: undefined });
    async function* idle(): AsyncGenerator<never> {
      await new Promise(() => {});
    }
    const waiting = generateMany(service.client(), idle() as never);
    const none = waiting.next();
    expect(await waiting.return?.()).toEqual({ done: true, value: undefined });
    expect(await none).toEqual({ done: true, value: undefined });
  });

  it("comes in the order of the jobs where that is asked for, with gaps where some were given up", async () => {
    const service = await Service.start(byNumber({ 1: forEver }));
    const ending = new AbortController();
    const run = generateMany(service.client(), jobsOf(4), {
      concurrency: 4,
      ordered: true,
      signal: ending.signal,
    });
    expect((await run.next()).value?.index).toBe(0);
    await service.request(3);
    await new Promise((resolve) => setTimeout(resolve, 30));
    ending.abort("enough");
    expect((await run.next()).value?.index).toBe(2);
    expect((await run.next()).value?.index).toBe(3);
    await expect(run.next()).rejects.toBe("enough");
  });

  it("comes soon for a run of jobs that are all wrong", async () => {
    const service = await Service.start(withLength(small));
    const ending = new AbortController();
    function* jobs() {
      for (;;) yield { template: "t", values: 5 as never };
    }
    setTimeout(() => ending.abort("enough"), 20);
    const { error } = await resultsOf(service.client(), jobs(), { signal: ending.signal });
    expect([error, service.requests.length]).toEqual(["enough", 0]);
  });

  it("does not wait for ever for a source or a `use` that never comes to an end", async () => {
    const service = await Service.start(withLength(small));
    const ending = new AbortController();
    async function* jobs() {
      yield* jobsOf(1);
      ending.abort("enough");
      await new Promise(() => {});
    }
    const use = () => new Promise<never>(() => {});
    const { error } = await resultsOf(service.client(), jobs(), { use, signal: ending.signal });
    expect(error).toBe("enough");
  });

  it("leaves no listener on the caller's signals", async () => {
    const service = await Service.start(withLength(small));
    const [ending, draining] = [new AbortController(), new AbortController()];
    const options = { signal: ending.signal, drain: draining.signal };
    let listeners = 0;
    const use = async (pdf: { bytes(): Promise<unknown> }) => {
      await pdf.bytes();
      listeners =
        getEventListeners(ending.signal, "abort").length + getEventListeners(draining.signal, "abort").length;
    };
    await resultsOf(service.client(), jobsOf(20), { ...options, use });
    expect(listeners).toBe(2);
    expect(getEventListeners(ending.signal, "abort")).toEqual([]);
    expect(getEventListeners(draining.signal, "abort")).toEqual([]);
  });

  it("is told to whoever ends it by hand, before it began and after", async () => {
    const service = await Service.start(withLength(small));
    const run = generateMany(service.client(), jobsOf(5));
    expect(await run.return?.()).toEqual({ done: true, value: undefined });
    expect(await run.next()).toEqual({ done: true, value: undefined });
    expect(await run.return?.()).toEqual({ done: true, value: undefined });
    expect(service.requests).toEqual([]);
  });
});
