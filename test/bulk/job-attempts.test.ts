import { ConnectionError, NotFoundError, RateLimitError, ServerError, TimeoutError } from "template-pdf";
import { RunStoppedError } from "template-pdf/bulk";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { JobAttempts } from "../../src/bulk/job-attempts.ts";
import { type Answer, cutOffAfter, Service, saying, withLength } from "../support/service.ts";
import { byNumber, first, generate, jobsOf, numberOf, type Readable, small } from "./many.ts";

const reset: Answer = ({ socket }) => socket.resetAndDestroy();
const silent: Answer = () => {};
const cutOff = cutOffAfter(small, 500);

beforeEach(() => {
  vi.spyOn(Math, "random").mockReturnValue(0);
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a job's attempts", () => {
  const once = { mayRenderTwice: false };

  it.each<[string, Answer]>([
    ["a 429", saying(429)],
    ["a 503", saying(503)],
    ["a truncated document", cutOff],
  ])("continue after %s, and are counted", async (_what, answer) => {
    const { results, sent } = await generate(first(answer, answer), jobsOf(1), {}, { retry: {} });
    expect(results).toEqual([expect.objectContaining({ status: "fulfilled", attempts: 3 })]);
    expect(sent).toBe(3);
  });

  it.each([
    ["after the last retry", saying(500), {}, 3, ServerError, / Tried 3 times\.$/],
    ["after a non-retryable status", saying(404), {}, 1, NotFoundError, /404/],
    ["if `mayRenderTwice` is false", reset, once, 1, ConnectionError, /Twice` is false\.$/],
  ])("end with an explanatory error %s", async (_when, answer, retry, attempts, Kind, message) => {
    const { result } = await generate(answer, jobsOf(1), {}, { retry });
    expect(result).toMatchObject({ attempts, error: { attempts, message: expect.stringMatching(message) } });
    expect(result?.error).toBeInstanceOf(Kind);
  });

  it.each([
    [undefined, 2],
    [{ limit: 3 }, 4],
    [false, 1],
  ])("follow the run's `retry` option, which defaults to the client's: %o", async (retry, attempts) => {
    const { result } = await generate(saying(500), jobsOf(1), { retry }, { retry: { limit: 1 } });
    expect(result?.attempts).toBe(attempts);
  });

  it("continue if `use` wraps or swallows the document's error", async () => {
    let tries = 0;
    const use = async (pdf: Readable) => {
      tries++;
      try {
        return await pdf.bytes();
      } catch (cause) {
        if (tries === 1) return "nothing";
        throw new Error("upload failed", { cause });
      }
    };
    const { results } = await generate(first(cutOff, cutOff), jobsOf(1), { use }, { retry: {} });
    expect([tries, results]).toEqual([3, [expect.objectContaining({ status: "fulfilled", attempts: 3 })]]);
  });

  it("trigger the `retry` hook for each retry and the `error` hook once", async () => {
    const calls: unknown[] = [];
    const hook = (name: string) => (event: { attempt: number; delayMs?: number }) =>
      void calls.push([name, event.attempt, event.delayMs ?? []].flat().join(" "));
    const hooks = { request: hook("request"), retry: hook("retry"), error: hook("error") };
    await generate(saying(500), jobsOf(1), {}, { retry: { limit: 1 }, hooks: hooks as never });
    expect(calls).toEqual(["request 1", "retry 1 0", "request 2", "error 2"]);
  });

  it("stop the run if Retry-After exceeds one hour", async () => {
    const answer = byNumber({ 2: saying(429, "", { "retry-after": "86400" }) });
    const { results, error } = await generate(answer, jobsOf(50), { concurrency: 1 }, { retry: {} });
    const why = "the service requests a delay of 86400 s, which exceeds the limit of one hour";
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    expect(RunStoppedError.is(error) && error).toMatchObject({
      message: `The run stopped before its last job: ${why}. 2 jobs were fulfilled and 1 were rejected.`,
      cause: expect.any(RateLimitError),
    });
    const message = expect.stringMatching(` Not retried: ${why}.$`);
    expect(results[2]?.error).toMatchObject({ message });
  });

  it("do not count toward the retry limit if they receive a 429 while other jobs finish", async () => {
    // Job 0 is refused more often than its limit allows, each time after other jobs have succeeded.
    let [answered, refusals] = [0, 0];
    const answer: Answer = async (received) => {
      if (numberOf(received) > 0 || refusals === 5) {
        answered++;
        return withLength(small)(received);
      }
      refusals++;
      const before = answered;
      while (answered < before + 4) await new Promise((resolve) => setImmediate(resolve));
      return saying(429)(received);
    };
    const { results } = await generate(answer, jobsOf(60), { concurrency: 2 }, { retry: { limit: 1 } });
    expect(results.filter(({ status }) => status === "rejected")).toEqual([]);
    expect(results.find(({ index }) => index === 0)?.attempts).toBe(6);
  });

  it("end when `timeouts.total` has elapsed", async () => {
    const { results } = await generate(silent, jobsOf(1), {}, { retry: {}, timeouts: { total: 60 } });
    expect(results).toEqual([expect.objectContaining({ attempts: 1, error: expect.any(TimeoutError) })]);
  });
});

/** The outcomes that the pace receives for the attempts of one job, which may be retried once. */
async function reportsOf(answer: Answer, options: object) {
  const service = await Service.start(answer);
  const reports: string[] = [];
  let turns = 0;
  const report = (how: string) => (ticket: number, _nowMs: number, retryAfterMs?: number) =>
    reports.push([how, ticket, retryAfterMs ?? []].flat().join(" "));
  const kinds = ["passed", "unsent", "refused", "overloaded"];
  const run = {
    client: service.client({ retry: { limit: 1 }, ...options }),
    use: (pdf: Readable) => pdf.bytes(),
    retry: undefined,
    pace: Object.fromEntries(kinds.map((kind) => [kind, report(kind)])),
    signal: new AbortController().signal,
    wholeCount: 0,
    stop: () => {},
    turns: { take: () => ++turns },
    again: async () => ++turns,
  };
  await new JobAttempts(run as never, jobsOf(1)[0] as never, 0).run(true);
  return reports.join(", ");
}

describe("a run's pace", () => {
  const once = { retry: false };

  it.each<[string, Answer, object, string]>([
    ["a document", withLength(small), {}, "passed 1"],
    ["a 400", saying(400), {}, "passed 1"],
    ["two 500 responses", saying(500), {}, "passed 1, passed 2"],
    ["two truncated documents", cutOff, {}, "passed 1, passed 2"],
    ["two 429 responses", saying(429), {}, "refused 1, refused 2"],
    ["a 429 with Retry-After", saying(429, "", { "retry-after": "7" }), once, "refused 1 7000"],
    ["a 503", saying(503), once, "overloaded 1"],
    ["a timeout", silent, { ...once, timeouts: { firstByte: 50 } }, "overloaded 1"],
    ["a reset connection", reset, once, "overloaded 1"],
    ["a request that was not sent", silent, { apiKey: () => "no\nkey" }, "unsent 1"],
  ])("is notified of the outcome of every attempt: %s", async (_what, answer, options, reports) => {
    expect(await reportsOf(answer, options)).toBe(reports);
  });
});
