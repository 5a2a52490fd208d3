import { ConnectionError, NotFoundError, RateLimitError, ServerError, TimeoutError } from "template-pdf";
import { generateMany, RunStoppedError } from "template-pdf/bulk";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Answer, cutOffAfter, Service, saying, withLength } from "../support/service.ts";
import { byNumber, first, jobsOf, numberOf, resultsOf, small } from "./many.ts";

const reset: Answer = ({ socket }) => socket.resetAndDestroy();

describe("the attempts of a job", () => {
  beforeEach(() => {
    vi.spyOn(Math, "random").mockReturnValue(0);
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each<[string, Answer]>([
    ["408", saying(408)],
    ["429", saying(429)],
    ["500", saying(500)],
    ["503", saying(503)],
    ["a broken connection", reset],
    ["a document that is cut off", cutOffAfter(small, 500)],
  ])("continue after %s, and are counted", async (_what, answer) => {
    const service = await Service.start(first(answer, answer));
    const client = service.client({ retry: {} });
    const { results } = await resultsOf(client, jobsOf(1), { concurrency: 1 });
    expect(results).toEqual([expect.objectContaining({ status: "fulfilled", attempts: 3 })]);
    expect(service.requests.length).toBe(3);
  });

  it("end with the last error, which counts them all", async () => {
    const service = await Service.start(saying(500));
    const { results } = await resultsOf(service.client({ retry: {} }), jobsOf(1));
    expect(results).toEqual([expect.objectContaining({ attempts: 3, error: expect.any(ServerError) })]);
    const [result] = results;
    const { attempts, message } = (result?.status === "rejected" && result.error) as ServerError;
    expect([attempts, message]).toEqual([3, expect.stringMatching(/ Tried 3 times\.$/)]);
  });

  it.each([
    [404, NotFoundError],
    [501, ServerError],
  ])("end after a non-retryable %i", async (status, Kind) => {
    const service = await Service.start(saying(status));
    const { results } = await resultsOf(service.client({ retry: {} }), jobsOf(1));
    expect(results).toEqual([expect.objectContaining({ attempts: 1, error: expect.any(Kind) })]);
    expect(service.requests.length).toBe(1);
  });

  it("follow the `retry` of the run, else that of the client", async () => {
    const service = await Service.start(saying(500));
    const client = service.client({ retry: { limit: 1 } });
    const count = async (options: object) =>
      (await resultsOf(client, jobsOf(1), options)).results[0]?.attempts;
    expect(await count({})).toBe(2);
    expect(await count({ retry: { limit: 3 } })).toBe(4);
    expect(await count({ retry: false })).toBe(1);
    expect(await count({ retry: { mayRenderTwice: false } })).toBe(1);
  });

  it("end with an error that says why a request is not retried", async () => {
    const service = await Service.start(reset);
    const client = service.client({ retry: { mayRenderTwice: false } });
    const { results } = await resultsOf(client, jobsOf(1));
    const error = results[0]?.status === "rejected" && results[0].error;
    expect(ConnectionError.is(error) && error.message).toMatch(/`retry.mayRenderTwice` is false\.$/);
  });

  it("continue if `use` wraps or swallows the error of its document", async () => {
    const service = await Service.start(first(cutOffAfter(small, 500), cutOffAfter(small, 500)));
    let tries = 0;
    const use = async (pdf: { bytes(): Promise<unknown> }) => {
      tries++;
      try {
        return await pdf.bytes();
      } catch (cause) {
        if (tries === 1) return "nothing";
        throw new Error("upload failed", { cause });
      }
    };
    const { results } = await resultsOf(service.client({ retry: {} }), jobsOf(1), { use });
    expect([tries, results]).toEqual([3, [expect.objectContaining({ status: "fulfilled", attempts: 3 })]]);
  });

  it("call the `retry` hook for each retry and the `error` hook once", async () => {
    const service = await Service.start(first(saying(500), saying(503)));
    const heard: unknown[] = [];
    const hear = (name: string) => (event: { attempt: number; delayMs?: number }) =>
      heard.push([name, event.attempt, ...("delayMs" in event ? [event.delayMs] : [])]);
    const hooks = { request: hear("request"), retry: hear("retry"), error: hear("error") };
    await resultsOf(service.client({ retry: {}, hooks: hooks as never }), jobsOf(1));
    expect(heard).toEqual([
      ["request", 1],
      ["retry", 1, 0],
      ["request", 2],
      ["retry", 2, 0],
      ["request", 3],
    ]);
    heard.length = 0;
    const failing = await Service.start(saying(500));
    await resultsOf(failing.client({ retry: { limit: 1 }, hooks: hooks as never }), jobsOf(1));
    expect(heard).toEqual([
      ["request", 1],
      ["retry", 1, 0],
      ["request", 2],
      ["error", 2],
    ]);
  });

  it("pause the whole run for the time in Retry-After", async () => {
    const service = await Service.start((received) => {
      const isRefused = service.requests.length === 1;
      const answer = isRefused ? saying(429, "", { "retry-after": "1" }) : withLength(small);
      answer(received);
    });
    const times: number[] = [];
    const client = service.client({
      retry: {},
      hooks: { request: () => void times.push(performance.now()) },
    });
    const { results } = await resultsOf(client, jobsOf(4), { concurrency: 1 });
    expect(results.map(({ status }) => status)).toEqual(Array(4).fill("fulfilled"));
    const [refused = 0, ...others] = times;
    expect(Math.min(...others) - refused).toBeGreaterThanOrEqual(1000);
  });

  it("stop the run if Retry-After is longer than an hour", async () => {
    const service = await Service.start(byNumber({ 2: saying(429, "", { "retry-after": "86400" }) }));
    const { results, error } = await resultsOf(service.client({ retry: {} }), jobsOf(50), {
      concurrency: 1,
    });
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    expect(RunStoppedError.is(error) && [error.message, error.fulfilled, error.rejected]).toEqual([
      "The run was stopped before its jobs had come to an end: the service asks to be left alone for 86400 s, and a run waits an hour at most. Until then 2 of its jobs were fulfilled, and 1 were rejected.",
      2,
      1,
    ]);
    expect(RateLimitError.is((error as Error).cause)).toBe(true);
    expect((results[2] as { error?: Error }).error?.message).toMatch(
      / Not tried again: the service asks to be left alone for 86400 s, and a run waits an hour at most\.$/,
    );
  });

  it("do not count refusals against the limit while other jobs finish", async () => {
    // Job 0 is refused more often than its limit allows, each time once others were answered.
    let answered = 0;
    let refusals = 0;
    const service = await Service.start(async (received) => {
      if (numberOf(received) > 0 || refusals === 5) {
        answered++;
        return withLength(small)(received);
      }
      refusals++;
      const before = answered;
      while (answered < before + 4) await new Promise((resolve) => setImmediate(resolve));
      return saying(429)(received);
    });
    const client = service.client({ retry: { limit: 1 } });
    const { results } = await resultsOf(client, jobsOf(60), { concurrency: 2 });
    expect(results.filter(({ status }) => status === "rejected")).toEqual([]);
    expect(results.find(({ index }) => index === 0)?.attempts).toBe(6);
  });

  it("end after a refusal with `retry: false` although other jobs finish", async () => {
    const service = await Service.start((received) =>
      (numberOf(received) === 5 ? saying(429) : withLength(small))(received),
    );
    const client = service.client({ retry: {} });
    const { results } = await resultsOf(client, jobsOf(20), { concurrency: 1, retry: false });
    expect(results[5]).toMatchObject({ status: "rejected", attempts: 1 });
  });

  it("end after the limit of refusals if no other job finishes", async () => {
    const service = await Service.start(saying(429));
    const { results } = await resultsOf(service.client({ retry: {} }), jobsOf(2), {
      concurrency: 2,
    });
    expect(results.map(({ attempts }) => attempts)).toEqual([3, 3]);
  });

  it("have a `firstByte` timeout each", async () => {
    const service = await Service.start(first(() => {}));
    const client = service.client({ retry: {}, timeouts: { firstByte: 60 } });
    const { results } = await resultsOf(client, jobsOf(1));
    expect(results).toEqual([expect.objectContaining({ status: "fulfilled", attempts: 2 })]);
  });

  it("end when `timeouts.total` is over", async () => {
    const service = await Service.start(() => {});
    const client = service.client({ retry: {}, timeouts: { total: 60 } });
    const { results } = await resultsOf(client, jobsOf(1));
    expect(results).toEqual([expect.objectContaining({ attempts: 1, error: expect.any(TimeoutError) })]);
  });

  it("keep to `perSecond`, retries included", async () => {
    const service = await Service.start(first(saying(500), saying(500)));
    const times: number[] = [];
    const client = service.client({
      retry: {},
      hooks: { request: () => void times.push(performance.now()) },
    });
    for await (const _ of generateMany(client, jobsOf(6), { concurrency: 8, perSecond: 50 }));
    expect(times.length).toBe(8);
    const [begin = 0] = times;
    // The n-th is not sent before its time; one may have been saved up.
    for (const [index, time] of times.entries()) {
      expect(time - begin).toBeGreaterThanOrEqual((index - 1) * 20 - 1);
    }
  });
});
