import * as errors from "template-pdf";
import { expect, vi } from "vitest";
import { JobAttempts } from "../../src/bulk/job-attempts.ts";
import type { AttemptFailure } from "../../src/call/attempt-failures.ts";
import { forBulkRuns } from "../../src/call/bulk-attempt.ts";
import { repeatAfter } from "../../src/call/retry-policy.ts";
import type { RetryPolicy } from "../../src/options/retry.ts";

/** How an attempt fails, and how `use` sees it. */
interface FailedAttempt {
  readonly repeat: AttemptFailure["repeat"];
  readonly createError: (note: string) => Error;
  readonly retryAfterMs?: number | undefined;
  /** Whether the attempt failed because of `timeouts.total`, after which a call does not ask whether to retry. */
  readonly isFinal?: boolean;
  readonly isUnsent?: boolean;
}

/** What happens to an attempt of a job, or before it. */
export type AttemptStep =
  | { readonly how: "complete" | "unread" | "cancelled" | "other job succeeds" }
  | ({ readonly how: "failed" } & FailedAttempt);

export const documentIsComplete: AttemptStep = { how: "complete" };
/** `use` returns before it has read the document. */
export const useIgnoresDocument: AttemptStep = { how: "unread" };
export const attemptIsCancelled: AttemptStep = { how: "cancelled" };
/** Another job of the run gets its document before the next attempt ends. */
export const otherJobSucceeds: AttemptStep = { how: "other job succeeds" };

export function serviceResponds(status: number, retryAfterMs?: number): AttemptStep {
  const createError = (note: string) => new errors.ApiError(`status ${status}${note}`, { status });
  return { how: "failed", repeat: repeatAfter(status), createError, retryAfterMs };
}

function fails(
  repeat: AttemptFailure["repeat"],
  createError: (note: string) => Error,
  more = {},
): AttemptStep {
  return { how: "failed", repeat, createError, ...more };
}

export const serviceIsNotReached = fails(
  "safe",
  (note) => new errors.ConnectionError(`service not reached${note}`),
);
export const connectionBreaks = fails(
  "ambiguous",
  (note) => new errors.ConnectionError(`connection broke${note}`),
);
export const documentIsTruncated = fails(
  "ambiguous",
  (note) => new errors.TruncatedPdfError(`document truncated${note}`, { receivedBytes: 1 }),
);

const timedOut = (phase: errors.TimeoutPhase) => (note: string) =>
  new errors.TimeoutError(`${phase} timeout${note}`, { phase, limitMs: 1 });
export const firstByteTimesOut = fails("ambiguous", timedOut("firstByte"));
export const documentIsUnreadTooLong = fails("ambiguous", timedOut("unread"));
/** `timeouts.total` elapses after the request was sent. */
export const totalTimesOut = fails("ambiguous", timedOut("total"), { isFinal: true });
/** `timeouts.total` elapses before the request is sent. */
export const totalTimesOutUnsent = fails("safe", timedOut("total"), { isFinal: true, isUnsent: true });

/** The run of a job, where it differs from one with a retry and any number of turns. */
export interface RunSettings {
  /** The `limit` of `retry`. Default: 1. */
  readonly retries?: number;
  readonly mayRenderTwice?: boolean;
  /** How often the job can send a request before the run ends. */
  readonly turns?: number;
  /** Whether the job's own signal is aborted after its last turn. Default: the run ends. */
  readonly isAbortedAfterTurns?: boolean;
  /** Whether the run watches the service for outages, and what it knows of the service. Default: no watch. */
  readonly watch?: "available" | "outage" | "outage that ends with a response";
  /** Whether there are other jobs left that could show that the service responds. Default: true. */
  readonly hasOtherJobs?: boolean;
  /** What `use` does with an error of the document. Default: it throws the error. */
  readonly use?: "throws its own error" | "returns despite the error";
  readonly isClientMocked?: boolean;
  readonly isNotAdmitted?: boolean;
}

/** A run that records what its only job calls. */
class ScriptedRun {
  /** Calls such as `pace.overloaded(1, 7000)`, with the ticket of the request, and then a delay in milliseconds. */
  readonly calls: string[] = [];
  readonly job: JobAttempts<never, unknown>;
  lastTicket = 0;
  wholeCount = 3;
  readonly #settings: RunSettings;
  readonly #steps: AttemptStep[];
  readonly #controller = new AbortController();
  /** The delay of the next retry, as the `retry` hook receives it. */
  #hookDelayMs = 0;

  constructor(steps: readonly AttemptStep[], settings: RunSettings) {
    this.#steps = [...steps];
    this.#settings = settings;
    const signal = settings.isAbortedAfterTurns ? this.#controller.signal : undefined;
    const job = { template: "t", values: {}, options: { signal } };
    this.job = new JobAttempts(this as never, job as never, 7);
  }

  #record<T>(result: T, name: string, ...args: readonly unknown[]): T {
    this.calls.push(`${name}(${args.filter((arg) => arg !== undefined).join(", ")})`);
    return result;
  }

  get #isOutage(): boolean {
    return this.#settings.watch?.startsWith("outage") ?? false;
  }

  // What the job uses of a run.

  get retry() {
    const { retries: limit = 1, mayRenderTwice = true } = this.#settings;
    return { limit, mayRenderTwice };
  }

  readonly pace = Object.fromEntries(
    ["passed", "unsent", "refused", "overloaded", "lost", "restart"].map((name) => [
      name,
      (ticket?: number, _nowMs?: number, retryAfterMs?: number) =>
        this.#record(undefined, `pace.${name}`, ticket, retryAfterMs),
    ]),
  );

  readonly turns = {
    take: (signal?: AbortSignal) => this.#takeTurn(signal) ?? Promise.resolve(),
    onSettled: () => {},
  };

  #takeTurn(signal?: AbortSignal): number | undefined {
    if (this.lastTicket < (this.#settings.turns ?? 99)) return ++this.lastTicket;
    if (signal) this.#controller.abort(new Error("aborted"));
    return undefined;
  }

  async again(delayMs: number, signal?: AbortSignal): Promise<number | undefined> {
    if (this.#hookDelayMs !== delayMs) this.calls.push(`retry hook: ${this.#hookDelayMs} ms`);
    return this.#record(this.#takeTurn(signal), "run.again", delayMs);
  }

  readonly leave = () => this.#record(undefined, "run.leave");
  readonly stop = (why: string, cause: Error) => this.#record(undefined, "run.stop", why, cause.message);
  readonly onOutage = (_watch: unknown, error: Error) =>
    this.#record(undefined, "run.onOutage", error.message);
  readonly wantUntried = () => this.#record(this.#settings.hasOtherJobs ?? true, "run.wantUntried");

  readonly #watch = {
    answerCount: 3,
    isOutage: false,
    answered: (ticket: number) =>
      this.#record(this.#settings.watch === "outage that ends with a response", "watch.answered", ticket),
    failed: ({ how, ticket }: { how: string; ticket: number }) =>
      this.#record(this.#isOutage, "watch.failed", ticket, how),
    nextRequestMs: () => (this.#isOutage ? 30_000 : 0),
    settled: (ticket: number) => this.#record(undefined, "watch.settled", ticket),
  };

  get watch() {
    if (!this.#settings.watch) return undefined;
    return Object.assign(this.#watch, { isOutage: this.#isOutage });
  }

  get client() {
    if (this.#settings.isClientMocked)
      return { generate: (uid: string) => this.#record({}, "client.generate", uid) };
    return { [forBulkRuns]: { startAttempt: this.#startCall } };
  }

  readonly #startCall = (_uid: string, _values: object, { retry }: { retry: RetryPolicy }) => ({
    retry,
    cancel: (error: unknown) => {
      this.#record(undefined, "call.cancel");
      this.job.onFailed(error, this.lastTicket);
    },
  });

  readonly use = ({ retry }: { retry: RetryPolicy }, _job: unknown, { attempt }: { attempt: number }) => {
    const step = this.#nextStep();
    if (this.#settings.isClientMocked || step.how === "unread") return "a document";
    let error: Error | undefined;
    if (step.how === "complete") this.job.onWhole(attempt);
    else if (step.how === "failed") error = this.#fail(step, attempt, retry);
    else this.job.cancel(undefined);
    if (this.#settings.use === "throws its own error") throw new Error("upload failed");
    if (error && !this.#settings.use) throw error;
    return "a document";
  };

  /** Returns what happens to the next attempt, after what happens before it. */
  #nextStep(): AttemptStep {
    while (this.#steps[0]?.how === "other job succeeds") {
      this.#steps.shift();
      this.#watch.answerCount = ++this.wholeCount;
    }
    return this.#steps.shift() ?? documentIsComplete;
  }

  /** Fails an attempt like a call of the client. */
  #fail(attempt: FailedAttempt, number: number, policy: RetryPolicy): Error {
    const { repeat, retryAfterMs, createError, isFinal, isUnsent } = attempt;
    const failure: AttemptFailure = { repeat, error: createError, retryAfterMs };
    const decision = isFinal ? { why: "" } : this.job.decide(failure, number, policy);
    this.#hookDelayMs = "why" in decision ? 0 : decision.delayMs;
    const error = createError("why" in decision ? decision.why : "");
    this.job.onFailed(error, isUnsent ? 0 : number);
    return error;
  }
}

/** Runs a job with these attempts. Retry delays are half of the longest. */
export async function playJob(attempts: readonly AttemptStep[], settings: RunSettings = {}) {
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  const run = new ScriptedRun(attempts, settings);
  const running = run.job.run(settings.isNotAdmitted ? Promise.reject(new Error("not admitted")) : true);
  const isSentAtOnce = run.lastTicket > 0;
  const result = await running;
  return { calls: run.calls, result, isSentAtOnce };
}

/** The result of a job with a document. */
export function fulfilled(attempts: number) {
  return expect.objectContaining({ index: 7, attempts, status: "fulfilled", value: "a document" });
}

/** The result of a job that failed with this message. */
export function rejected(attempts: number, message: string) {
  const error = expect.objectContaining({ message });
  return expect.objectContaining({ index: 7, attempts, status: "rejected", error });
}
