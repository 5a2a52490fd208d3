import * as errors from "template-pdf";
import { beforeEach, expect, it, vi } from "vitest";
import { JobAttempts } from "../../src/bulk/job-attempts.ts";
import { startAttempt } from "../../src/call/outcome.ts";
import { type Failure, repeatAfter } from "../../src/call/retry-policy.ts";
import type { RetryPolicy } from "../../src/options/retry.ts";
import { type Answer, cutOffAfter, saying, withLength } from "../support/service.ts";
import { byNumber, first, generate, jobsOf, numberOf, small } from "./many.ts";

const reset: Answer = ({ socket }) => socket.resetAndDestroy();
const silent: Answer = () => {};
const once = { mayRenderTwice: false };

beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0));

it("a job's attempts continue after a 503 and after a truncated document, and are counted", async () => {
  const answer = first(saying(503), cutOffAfter(small, 500));
  const { result, sent } = await generate(answer, jobsOf(1), {}, { retry: {} });
  expect({ ...result, sent }).toMatchObject({ status: "fulfilled", attempts: 3, sent: 3 });
});

it.each([
  ["after the client's last retry", saying(500), undefined, 2, errors.ServerError, / Tried 2 times\.$/],
  ["after the run's last retry", saying(500), { limit: 3 }, 4, errors.ServerError, / Tried 4 times\.$/],
  ["if the run has no retries", saying(500), false, 1, errors.ServerError, /500/],
  ["after a non-retryable status", saying(404), {}, 1, errors.NotFoundError, /404/],
  ["when `timeouts.total` has elapsed", silent, {}, 1, errors.TimeoutError, /within 60 ms/],
  ["if `mayRenderTwice` is false", reset, once, 1, errors.ConnectionError, /is false\.$/],
])("a job's attempts end with an explanatory error %s", async (_, answer, retry, attempts, Kind, text) => {
  const timeouts = answer === silent ? { total: 60 } : {};
  const { result } = await generate(answer, jobsOf(1), { retry }, { retry: { limit: 1 }, timeouts });
  expect(result).toMatchObject({ attempts, error: { attempts, message: expect.stringMatching(text) } });
  expect(result?.error).toBeInstanceOf(Kind);
});

it("a job's attempts trigger the `retry` hook for each retry and the `error` hook once", async () => {
  const calls: unknown[] = [];
  const hook = (name: string) => (event: { attempt: number; delayMs?: number }) =>
    void calls.push([name, event.attempt, event.delayMs ?? []].flat().join(" "));
  const hooks = { request: hook("request"), retry: hook("retry"), error: hook("error") };
  await generate(saying(500), jobsOf(1), {}, { retry: { limit: 1 }, hooks: hooks as never });
  expect(calls).toEqual(["request 1", "retry 1 0", "request 2", "error 2"]);
});

it("a Retry-After of more than one hour stops the run", async () => {
  const answer = byNumber({ 2: saying(429, "", { "retry-after": "86400" }) });
  const { results, error } = await generate(answer, jobsOf(50), { concurrency: 1 }, { retry: {} });
  const why = "the service requests a delay of 86400 s, which exceeds the limit of one hour";
  expect(error).toMatchObject({ name: "RunStoppedError", why, cause: expect.any(errors.RateLimitError) });
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
});

it("a 429 does not count toward the retry limit if another job has succeeded", async () => {
  let [answered, refusals] = [0, 0];
  const answer: Answer = async (received) => {
    const before = answered++;
    if (numberOf(received) > 0 || refusals === 5) return withLength(small)(received);
    refusals++;
    while (answered < before + 4) await new Promise((resolve) => setImmediate(resolve));
    return saying(429)(received);
  };
  const { results } = await generate(answer, jobsOf(60), { concurrency: 2 }, { retry: { limit: 1 } });
  expect(results.find(({ index }) => index === 0)).toMatchObject({ status: "fulfilled", attempts: 6 });
});

/** The error of an outcome. */
function errorOf(outcome: string, note: string): Error {
  const { ApiError, ConnectionError, TimeoutError, TruncatedPdfError } = errors;
  const message = outcome + note;
  const status = Number(outcome);
  if (status) return new ApiError(message, { status });
  if (outcome === "reset" || outcome === "unreached") return new ConnectionError(message);
  if (outcome === "truncated") return new TruncatedPdfError(message, { receivedBytes: 1 });
  const phase = (outcome === "unsent" ? "total" : outcome) as errors.TimeoutPhase;
  if (!["total", "firstByte", "unread"].includes(phase)) throw new Error(`There is no outcome ${outcome}.`);
  return new TimeoutError(message, { phase, limitMs: 1 });
}

/**
 * Plays a scene, `outcomes with settings → log`, and returns it with the actual log.
 *
 * - An outcome is that of an attempt: `whole`, a status with its Retry-After (`503/7000`), the phase of a timeout, or `unsent`:
 *   `timeouts.total` elapses before the request is sent. `use` does not read an `ignored` document. `+` is another job's document.
 * - The limit is `3 retries`, or else 1. After `3 turns`, the run ends, or with `signal`, the job's own signal is aborted. `once`
 *   means `mayRenderTwice: false`. A `recovery` ends an outage. A job that is `alone` has no other job after it.
 * - The log has calls of the run with the request's ticket, and delays; if hooks receive another delay, it follows. `*` means that
 *   the watch also knows the end of the request. At the end are the attempts, the status, and the value or error.
 */
async function playScene(line: string): Promise<string> {
  const [scene = ""] = line.split(" → ");
  const [script = "", settings = ""] = scene.split(" with ");
  const has = (setting: string) => settings.includes(setting);
  const count = (what: string, other: number) => Number(RegExp(`(\\d) ${what}`).exec(settings)?.[1] ?? other);
  const outcomes = script.split(" ");
  const log: string[] = [];
  const controller = new AbortController();
  let lastTicket = 0;
  let hookDelayMs = 0;
  /** Logs a call of the job, and returns its result. */
  const logged = <T>(result: T, ...parts: unknown[]): T => {
    log.push(parts.flat().join(" "));
    return result;
  };

  /** Fails an attempt like a call of the client, and returns its error. */
  const fail = (outcome: string, retryAfterMs: number | undefined, attempt: number, policy: RetryPolicy) => {
    const withoutStatus = outcome === "unreached" ? "safe" : "ambiguous";
    const repeat = Number(outcome) ? repeatAfter(Number(outcome)) : withoutStatus;
    const failure: Failure = { repeat, error: (note) => errorOf(outcome, note), retryAfterMs };
    // After `timeouts.total`, a call does not ask whether to retry.
    const next = /total|unsent/.test(outcome) ? { why: "" } : job.decide(failure, attempt, policy);
    hookDelayMs = "why" in next ? 0 : next.delayMs;
    const error = errorOf(outcome, "why" in next ? next.why : "");
    job.onOutcome({ attempts: outcome === "unsent" ? 0 : attempt, failure: { error } });
    return error;
  };
  const cancel = (error: unknown) =>
    logged(job.onOutcome({ attempts: lastTicket, failure: { error } }), "cancel");
  const start = (_uid: unknown, _values: unknown, { retry }: { retry: RetryPolicy }) => ({ retry, cancel });
  const use = ({ retry }: ReturnType<typeof start>, _job: unknown, { attempt }: { attempt: number }) => {
    for (; outcomes[0] === "+"; outcomes.shift()) watch.answerCount = ++run.wholeCount;
    const [outcome = "whole", delay] = outcomes.shift()?.split("/") ?? [];
    if (has("mock") || outcome === "ignored") return outcome;
    let error: unknown;
    if (outcome === "whole") job.onOutcome({ attempts: attempt });
    else if (outcome === "cancelled") job.cancel(undefined);
    else error = fail(outcome, delay ? Number(delay) : undefined, attempt, retry);
    if (has("wrapping")) throw new Error("upload failed");
    if (error && !has("swallowing")) throw error;
    return attempt;
  };
  const takeTurn = (signal?: AbortSignal) => {
    if (lastTicket < count("turn", 99)) return ++lastTicket;
    if (signal) controller.abort("aborted");
    return undefined;
  };
  const watch = {
    answerCount: 3,
    isOutage: has("outage"),
    answered: (ticket: number) => logged(has("recovery"), "answered", ticket),
    failed: ({ how, ticket }: { how: string; ticket: number }) => logged(watch.isOutage, how, ticket),
    nextRequestMs: () => (watch.isOutage ? 30_000 : 0),
    settled: () => log.push(`${log.pop()}*`),
  };
  const reports = ["passed", "unsent", "refused", "overloaded", "lost", "restart"].map((how) => [
    how,
    (ticket?: number, _nowMs?: number, ms?: number) => logged(undefined, how, ticket ?? [], ms ?? []),
  ]);
  const run = {
    client: has("mock")
      ? { generate: (uid: string) => logged({}, "generate", uid) }
      : { [startAttempt]: start },
    use,
    retry: { limit: count("retries", 1), mayRenderTwice: !has("once") },
    pace: Object.fromEntries(reports),
    watch: has("watch") || has("outage") ? watch : undefined,
    wholeCount: 3,
    turns: { take: (to?: AbortSignal) => takeTurn(to) ?? Promise.resolve(), onSettled: () => {} },
    again: async (ms: number, to?: AbortSignal) => logged(takeTurn(to), ...new Set([ms, hookDelayMs])),
    leave: () => logged(undefined, "leave"),
    stop: (why: string, cause: Error) => logged(0, "stop", cause.message, why),
    onOutage: (_watch: unknown, error: Error) => logged(0, "outage", error.message),
    onRefused: has("watch") ? (ms?: number) => logged(0, `onRefused ${ms}`) : undefined,
    wantUntried: () => logged(!has("alone"), "want"),
  };
  const options = { signal: has("signal") ? controller.signal : undefined };
  const job = new JobAttempts(run as never, { template: "t", values: {}, options }, 7);
  const running = job.run(has("rejected admission") ? Promise.reject("vetoed") : true);
  if (lastTicket === 0) log.push("waits");
  const [, , ...result] = Object.values((await running) ?? ["", "", "left"]);
  log.push(result.map((part) => (part instanceof Error ? part.message.split(". ")[0] : part)).join(" "));
  return `${scene} → ${log.join(", ")}`;
}

const scenes = {
  "starts at once, unless it is not admitted or gets no turn": `
    whole → passed 1, 1 fulfilled 1
    whole with rejected admission → waits, 0 rejected vetoed
    whole with 0 turns → waits, leave, left
    whole with 0 turns, signal → waits, 0 rejected aborted`,
  "reports the request of a mock client as unsent": `
    whole with mock → generate t, unsent 1, 0 fulfilled whole`,
  "is retried at the run's pace if a retry may help, but not if its Retry-After exceeds one hour": `
    total → passed 1, 1 rejected total
    500 404 → passed 1, 250, passed 2, 2 rejected 404
    truncated unread → passed 1, 250, passed 2, 2 rejected unread
    503/7000 429/3600000 → overloaded 1 7000, 250 7000, refused 2 3600000, 2 rejected 429
    429/3600001 → stop 429 the service requests a delay of 3600.1 s, which exceeds the limit of one hour,
      passed 1, 1 rejected 429 Not retried: the service requests a delay of 3600.1 s,
      which exceeds the limit of one hour.`,
  "does not count a 429 toward its retry limit if another job has succeeded since the previous one": `
    + 429 429 429 → refused 1, 125, refused 2, 250, refused 3, 3 rejected 429
    + 429 with 0 retries → refused 1, 1 rejected 429`,
  "reports to the watch whether the service responds": `
    whole with watch, recovery → answered 1, restart, passed 1*, 1 fulfilled 1
    404 with watch → answered 1, passed 1*, 1 rejected 404
    503/7000 with watch, 0 retries → unserved 1, onRefused 7000, overloaded 1 7000*, 1 rejected 503
    firstByte with watch, 0 retries → unserved 1, overloaded 1*, 1 rejected firstByte
    reset with watch, 0 retries → unserved 1, overloaded 1*, 1 rejected reset
    total with watch → unserved 1, passed 1*, 1 rejected total
    unsent with watch → unsent 1*, 0 rejected unsent`,
  "gets an extra retry after a 5xx only while no other job shows that the service responds": `
    500 500 500 404 with watch → unserved 1, want, passed 1*, 250, unserved 2, want, passed 2*, 250,
      unserved 3, want, passed 3*, 250, answered 4, passed 4*, 4 rejected 404
    500 500 with watch, alone → unserved 1, want, passed 1*, 250, unserved 2, want, passed 2*, 2 rejected 500
    500 + 500 with watch → unserved 1, want, passed 1*, 250, unserved 2, passed 2*, 2 rejected 500
    + 429 500 500 with watch, 3 retries, 3 turns → answered 1, onRefused undefined, refused 1*, 125,
      unserved 2, passed 2*, 250, unserved 3, passed 3*, 500, 3 rejected 500
    501 with watch, once → unserved 1, want, passed 1*,
      1 rejected 501 Not retried: \`retry.mayRenderTwice\` is false.`,
  "does not count an outage toward its retry limit, and is left to the next run if the run ends in one": `
    unreached with outage, once, 1 turn → unreached 1, outage unreached, lost 1*, 125 30000, left
    500/7000 with outage, once → unserved 1, outage 500, lost 1 7000*,
      1 rejected 500 Not retried: \`retry.mayRenderTwice\` is false.
    unreached with outage, 0 retries → unreached 1, outage unreached, lost 1*, 1 rejected unreached
    500 404 with outage → unserved 1, outage 500, lost 1*, 125 30000, answered 2, passed 2*, 2 rejected 404
    total with outage → unserved 1, outage total, passed 1*, 1 rejected total
    500 with outage, 1 turn, signal → unserved 1, outage 500, lost 1*, 125 30000, 1 rejected aborted
    429 with outage, 1 turn → answered 1, refused 1*, 250 30000, 1 rejected 429`,
  "ends with the error of its document, or otherwise with the error that `use` throws": `
    ignored → cancel, passed 1, 1 rejected \`use\` returned before the document of job 7 was read completely
    404 with wrapping use → passed 1, 1 rejected 404
    whole with wrapping use → passed 1, cancel, 1 rejected upload failed
    cancelled with wrapping use, watch → cancel, cancel, passed 1*, 1 rejected upload failed
    500 404 with swallowing use → passed 1, 250, passed 2, 2 rejected 404`,
};

it.each(Object.entries(scenes))("a job %s", async (_what, text) => {
  vi.mocked(Math.random).mockReturnValue(0.5);
  const lines = text.replace(/,\s+/g, ", ").match(/\S.*/g) ?? [];
  expect(await Promise.all(lines.map(playScene))).toEqual(lines);
});

it("a job gets at most 8 extra retries while no other job shows that the service responds", async () => {
  expect(await playScene(`${"500 ".repeat(11)}with watch`)).toMatch(/, 10 rejected 500$/);
});
