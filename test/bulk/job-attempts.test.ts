import * as errors from "template-pdf";
import { beforeEach, expect, it, vi } from "vitest";
import { JobAttempts } from "../../src/bulk/job-attempts.ts";
import { startAttempt } from "../../src/call/outcome.ts";
import { type Failure, repeatAfter } from "../../src/call/retry-policy.ts";
import type { RetryPolicy } from "../../src/options/retry.ts";
import { type Answer, cutOffAfter, saying } from "../support/service.ts";
import { first, generate, jobsOf, small } from "./many.ts";

const reset: Answer = ({ socket }) => socket.resetAndDestroy();
const silent: Answer = () => {};
const once = { mayRenderTwice: false };

beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0));

it.each<[string, Answer]>([
  ["a 429", saying(429)],
  ["a 503", saying(503)],
  ["a truncated document", cutOffAfter(small, 500)],
])("a job's attempts continue after %s, and are counted", async (_what, answer) => {
  const { result, sent } = await generate(first(answer, answer), jobsOf(1), {}, { retry: {} });
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

/** The error for a word of a script: a status, a connection that failed, or the phase of a timeout. */
function errorOf(word: string, note: string): Error {
  const { ApiError, ConnectionError, TimeoutError, TruncatedPdfError } = errors;
  const [message, status] = [word + note, Number(word)];
  if (status) return new ApiError(message, { status });
  if (word === "reset" || word === "unreached") return new ConnectionError(message);
  if (word === "truncated") return new TruncatedPdfError(message, { receivedBytes: 1 });
  if (word === "foreign") return new Error(message);
  const phase = word === "unsent" ? "total" : (word as errors.TimeoutPhase);
  return new TimeoutError(message, { phase, limitMs: 1 });
}

/**
 * Plays an attempt for each word of a script, and returns the job's calls and its result. In a script, `+`
 * is a document of another job, and `/7000` a Retry-After. In the log, a number alone is a delay (the second
 * one is that for hooks), and `*` means that the watch knows that the request has ended.
 */
async function play(line: string): Promise<string> {
  const [scene = ""] = line.split(" → ");
  const [script = "", settings = ""] = scene.split(" with ");
  const has = (setting: string) => settings.includes(setting);
  const count = (what: string, other: number) => Number(RegExp(`(\\d) ${what}`).exec(settings)?.[1] ?? other);
  const words = script.split(" ");
  const log: string[] = [];
  const controller = new AbortController();
  let sent = 0;
  let toldMs = 0;
  /** Logs a call of the job, and returns its result. */
  const say = <T>(result: T, ...facts: unknown[]): T => {
    log.push(facts.flat().join(" "));
    return result;
  };

  /** Fails an attempt like a call of the client, and returns its error. */
  const fail = (word: string, retryAfterMs: number | undefined, attempt: number, policy: RetryPolicy) => {
    const repeat = Number(word) ? repeatAfter(Number(word)) : word === "unreached" ? "safe" : "ambiguous";
    const failure: Failure = { repeat, error: (note) => errorOf(word, note), retryAfterMs };
    // A call whose time is over does not ask whether to retry.
    const next = /total|unsent/.test(word) ? { why: "" } : tries.decide(failure, attempt, policy);
    toldMs = "why" in next ? 0 : next.delayMs;
    const error = errorOf(word, "why" in next ? next.why : "");
    tries.onOutcome({ attempts: word === "unsent" ? 0 : attempt, failure: { error } });
    return error;
  };
  const cancel = (by: unknown) => tries.onOutcome({ attempts: sent, failure: { error: say(by, "cancel") } });
  const start = (_uid: unknown, _values: unknown, { retry }: { retry: RetryPolicy }) => ({ retry, cancel });
  const use = ({ retry }: ReturnType<typeof start>, _job: unknown, { attempt }: { attempt: number }) => {
    for (; words[0] === "+"; words.shift()) watch.answerCount = ++run.wholeCount;
    const [word = "whole", delay] = words.shift()?.split("/") ?? [];
    if (has("mock") || word === "hasty") return word;
    if (word === "whole") return tries.onOutcome({ attempts: attempt }) ?? attempt;
    if (word === "cancelled") tries.cancel(null);
    const error = word === "cancelled" ? null : fail(word, delay ? Number(delay) : undefined, attempt, retry);
    if (has("swallowing")) return "nothing";
    throw has("wrapping") ? new Error("upload failed") : error;
  };
  const turn = (signal?: AbortSignal) => {
    if (sent < count("turn", 99)) return ++sent;
    if (signal) controller.abort("aborted");
    return undefined;
  };
  const watch = {
    answerCount: 3,
    isOutage: has("outage"),
    answered: (ticket: number) => say(has("recovery"), "answered", ticket),
    failed: ({ how, ticket }: { how: string; ticket: number }) => say(watch.isOutage, how, ticket),
    nextRequestMs: () => (watch.isOutage ? 30_000 : 0),
    settled: () => log.push(`${log.pop()}*`),
  };
  const reports = ["passed", "unsent", "refused", "overloaded", "lost", "restart"].map((how) => [
    how,
    (ticket?: number, _nowMs?: number, ms?: number) => say(undefined, how, ticket ?? [], ms ?? []),
  ]);
  const run = {
    client: has("mock") ? { generate: (uid: string) => say({}, "generate", uid) } : { [startAttempt]: start },
    use,
    retry: { limit: count("retr", 1), mayRenderTwice: !has("once") },
    pace: Object.fromEntries(reports),
    watch: has("watch") || has("outage") ? watch : undefined,
    wholeCount: 3,
    turns: { take: (to?: AbortSignal) => turn(to) ?? Promise.resolve(), onSettled: () => {} },
    again: async (ms: number, to?: AbortSignal) => say(turn(to), ...new Set([ms, toldMs])),
    leave: () => say(undefined, "leave"),
    stop: (why: string, cause: Error) => say(0, "stop", cause.message, why),
    onOutage: (_watch: unknown, error: Error) => say(0, "outage", error.message),
    onRefused: has("watch") ? (ms?: number) => say(0, `onRefused ${ms}`) : undefined,
    wantUntried: () => say(!has("last"), "want"),
  };
  const options = { signal: has("signal") ? controller.signal : undefined };
  const tries = new JobAttempts(run as never, { template: "t", values: {}, options }, 7);
  const running = tries.run(has("veto") ? Promise.reject("vetoed") : true);
  if (sent === 0) log.push("waits");
  const [, , ...result] = Object.values((await running) ?? ["", "", "left"]);
  log.push(result.map((it) => (it instanceof Error ? it.message.split(". ")[0] : it)).join(" "));
  return `${scene} → ${log.join(", ")}`;
}

const scenes = {
  "starts at once, unless it is not admitted or gets no turn": `
    whole → passed 1, 1 fulfilled 1
    whole with veto → waits, 0 rejected vetoed
    whole with 0 turns → waits, leave, left
    whole with 0 turns, signal → waits, 0 rejected aborted
    whole with mock → generate t, unsent 1, 0 fulfilled whole`,
  "is retried at the run's pace if a retry may help, but not if its Retry-After exceeds one hour": `
    total → passed 1, 1 rejected total
    500 404 → passed 1, 250, passed 2, 2 rejected 404
    truncated unread → passed 1, 250, passed 2, 2 rejected unread
    503/7000 429/3600000 → overloaded 1 7000, 250 7000, refused 2 3600000, 2 rejected 429
    429/3600001 → stop 429 the service requests a delay of 3600.1 s, which exceeds the limit of one hour,
      passed 1, 1 rejected 429 Not retried: the service requests a delay of 3600.1 s,
      which exceeds the limit of one hour.`,
  "is not charged for a 429 if another job has got its document since the last one": `
    + 429 429 429 → refused 1, 125, refused 2, 250, refused 3, 3 rejected 429
    + 429 with 0 retries → refused 1, 1 rejected 429`,
  "tells the watch whether the service responds": `
    whole with watch, recovery → answered 1, restart, passed 1*, 1 fulfilled 1
    404 with watch → answered 1, passed 1*, 1 rejected 404
    503/7000 with watch, 0 retries → unserved 1, onRefused 7000, overloaded 1 7000*, 1 rejected 503
    firstByte with watch, 0 retries → unserved 1, overloaded 1*, 1 rejected firstByte
    reset with watch, 0 retries → unserved 1, overloaded 1*, 1 rejected reset
    total with watch → unserved 1, passed 1*, 1 rejected total
    unsent with watch → unsent 1*, 0 rejected unsent`,
  "may be retried once more after a 5xx while no other job shows that the service responds": `
    500 500 with watch, last → unserved 1, want, passed 1*, 250, unserved 2, want, passed 2*, 2 rejected 500
    500 + 500 with watch → unserved 1, want, passed 1*, 250, unserved 2, passed 2*, 2 rejected 500
    + 429 500 500 with watch, 3 retries, 3 turns → answered 1, onRefused undefined, refused 1*, 125,
      unserved 2, passed 2*, 250, unserved 3, passed 3*, 500, 3 rejected 500
    501 with watch, once → unserved 1, want, passed 1*,
      1 rejected 501 Not retried: \`retry.mayRenderTwice\` is false.`,
  "is not charged for an outage, and is left to the next run if this one ends in an outage": `
    unreached with outage, once, 1 turn → unreached 1, outage unreached, lost 1*, 125 30000, left
    500/7000 with outage, once → unserved 1, outage 500, lost 1 7000*,
      1 rejected 500 Not retried: \`retry.mayRenderTwice\` is false.
    unreached with outage, 0 retries → unreached 1, outage unreached, lost 1*, 1 rejected unreached
    500 404 with outage → unserved 1, outage 500, lost 1*, 125 30000, answered 2, passed 2*, 2 rejected 404
    total with outage → unserved 1, outage total, passed 1*, 1 rejected total
    500 with outage, 1 turn, signal → unserved 1, outage 500, lost 1*, 125 30000, 1 rejected aborted
    429 with outage, 1 turn → answered 1, refused 1*, 250 30000, 1 rejected 429`,
  "ends with the error of its document, or else with the one that `use` throws": `
    hasty → cancel, passed 1, 1 rejected \`use\` returned before the document of job 7 was read completely
    404 with wrapping use → passed 1, 1 rejected 404
    cancelled with wrapping use, watch → cancel, cancel, passed 1*, 1 rejected upload failed
    foreign with wrapping use, 1 turn → passed 1, 250, 1 rejected foreign
    500 404 with swallowing use → passed 1, 250, passed 2, 2 rejected 404`,
};

it.each(Object.entries(scenes))("a job %s", async (_what, text) => {
  vi.mocked(Math.random).mockReturnValue(0.5);
  const lines = text.replace(/,\s+/g, ", ").match(/\S.*/g) ?? [];
  expect(await Promise.all(lines.map(play))).toEqual(lines);
});

it("a job gets at most 8 extra retries while no other job shows that the service responds", async () => {
  expect(await play(`${"500 ".repeat(11)}with watch`)).toMatch(/, 10 rejected 500$/);
});
