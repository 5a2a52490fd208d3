import type { AttemptFailure } from "../call/attempt-failures.ts";
import type { BulkAttempt } from "../call/bulk-attempt.ts";
import { type Decision, decide } from "../call/retry-policy.ts";
import { isAnyObject } from "../errors/value-kinds.ts";
import {
  ApiError,
  ConfigurationError,
  ConnectionError,
  type PendingPdf,
  TemplatePdfError,
  TimeoutError,
} from "../index.ts";
import type { RetryPolicy } from "../options/retry.ts";
import { ownOption } from "../runtime/own-options.ts";
import type { Job, Result } from "./job.ts";
import type { Unserved } from "./outage.ts";
import type { Ticket } from "./pace/pace.ts";
import type { Run } from "./run.ts";
import { availabilityAfter, describeLongPause } from "./service-watch.ts";
import { reportsAttempts, startAttempt } from "./start-attempt.ts";

/** The maximum number of extra retries that determine whether a job or the service causes its failures. */
const mostDoubts = 8;

/** All attempts of one job, until its document is used or further retries would not help. */
export class JobAttempts<J extends Job, R> implements BulkAttempt {
  attempts = 0;
  lastError: unknown;
  readonly #run: Run<J, R>;
  readonly #job: J;
  readonly #index: number;
  #pdf: PendingPdf | undefined;
  /**
   * The number of refusals that do not count, because the run made progress and they were caused by its pace rather than by the
   * job.
   */
  #pardoned = 0;
  /** The number of documents that the run had completed when this job was last refused. */
  #wholeAtRefusal = -1;
  /** Whether the last attempt got no response. */
  #isUnserved = false;
  /** The number of service responses when this job last failed, or when it started. */
  #answersAtFailure = 0;
  #doubts = 0;
  /** The ticket that the run's pace issued for the current attempt. */
  #ticket: Ticket | undefined;
  /** Whether an output has the complete document of the current attempt. */
  #isWhole = false;
  /** Why the current attempt failed. */
  #failure: { readonly error: unknown } | undefined;
  /** The delay before the next attempt, if any. */
  #delayMs: number | undefined;

  constructor(run: Run<J, R>, job: J, index: number) {
    this.#run = run;
    this.#job = job;
    this.#index = index;
  }

  /** Admits the job and retries until it has a result. Returns `undefined` if the run ended before the first attempt. */
  async run(admitted: true | Promise<void>): Promise<Result<J, R> | undefined> {
    try {
      if (admitted !== true) await admitted;
    } catch (error) {
      return this.#rejected(error);
    }
    const signal = signalOf(this.#job);
    this.#wholeAtRefusal = this.#run.wholeCount;
    this.#answersAtFailure = this.#run.watch?.answerCount ?? 0;
    const first = this.#run.turns.take(signal);
    let ticket = first instanceof Promise ? await first : first;
    if (ticket === undefined && !signal?.aborted) return this.#run.leave();
    while (ticket !== undefined) {
      const result = await this.#try(ticket);
      if (result !== undefined) return result;
      ticket = await this.#run.again(this.#delayMs as number, signal);
      // The next run generates it.
      const isLeft = ticket === undefined && this.#isUnserved && this.#run.watch?.isOutage;
      if (isLeft && !signal?.aborted) return undefined;
    }
    return this.#rejected(signal?.aborted ? signal.reason : this.lastError);
  }

  /** Aborts the current attempt. */
  cancel(reason: unknown): void {
    this.#pdf?.cancel(reason);
  }

  // Written property by property, because a spread would be the most expensive step of a run.

  #fulfilled(value: R): Result<J, R> {
    return { job: this.#job, index: this.#index, attempts: this.attempts, status: "fulfilled", value };
  }

  #rejected(error: unknown): Result<J, R> {
    return { job: this.#job, index: this.#index, attempts: this.attempts, status: "rejected", error };
  }

  /** Returns `undefined` if the job will be retried. */
  async #try(ticket: Ticket): Promise<Result<J, R> | undefined> {
    const { client, use, retry, signal } = this.#run;
    this.#ticket = ticket;
    this.#isWhole = false;
    this.#failure = undefined;
    this.#delayMs = undefined;
    const before = this.attempts;
    try {
      this.#pdf = startAttempt(client, { job: this.#job, index: this.#index }, retry, this);
      const value = await use(this.#pdf, this.#job, { index: this.#index, attempt: before + 1, signal });
      // A failed document counts as failed, whatever `use` returned.
      if (reportsAttempts(client) && !this.#isWhole) throw unread(this.#index);
      return this.#fulfilled(value);
    } catch (error) {
      this.lastError = this.#failureOf(error);
      return this.#delayMs === undefined ? this.#rejected(this.lastError) : undefined;
    } finally {
      this.#pdf = undefined;
      // In any case, the request is no longer in flight.
      this.#reportToPace(this.attempts > before ? "passed" : "unsent");
    }
  }

  /** Returns the error of an attempt: the document's error, which `use` may have wrapped, or else the error that `use` threw. */
  #failureOf(thrown: unknown): unknown {
    const failure = this.#failure;
    // If it was cancelled, its reader knows the reason.
    if (failure && (this.#delayMs !== undefined || TemplatePdfError.is(failure.error))) return failure.error;
    this.#pdf?.cancel(thrown);
    return thrown;
  }

  // Called by the call that makes an attempt.

  decide(failure: AttemptFailure, attempts: number, policy: RetryPolicy): Decision {
    const error = failure.error("");
    const { retryAfterMs = 0 } = failure;
    const why = describeLongPause(retryAfterMs);
    if (why !== undefined) {
      this.#run.stop(why, error);
      return { why: ` Not retried: ${why}.` };
    }
    const repeat = this.#reportFailure(failure, error, attempts, policy);
    // The requested delay applies to the whole run.
    const counted = attempts - this.#pardoned;
    const decision = decide({ repeat }, counted, policy, Number.POSITIVE_INFINITY, Math.random);
    if ("why" in decision) return decision;
    this.#delayMs = decision.delayMs;
    const outageMs = this.#run.watch?.nextRequestMs(performance.now()) ?? 0;
    return { delayMs: Math.max(decision.delayMs, retryAfterMs, outageMs) };
  }

  onWhole(attempts: number): void {
    this.attempts = attempts;
    this.#isWhole = true;
    this.#reportAnswer();
    this.#reportToPace("passed");
  }

  onFailed(error: unknown, attempts: number): void {
    const isSent = attempts > this.attempts;
    this.attempts = attempts;
    this.#failure = { error };
    // It is not retried, but says as much about the service as any other timeout.
    if (isSent && TimeoutError.is(error) && error.phase === "total") this.#reportUnserved("unserved", error);
  }

  #reportAnswer(): void {
    if (this.#run.watch?.answered(this.#ticket, performance.now())) this.#run.pace.restart();
  }

  /** Reports the error of an attempt. Returns whether a retry may help. */
  #reportFailure(
    { repeat, ...failure }: AttemptFailure,
    error: unknown,
    attempts: number,
    policy: RetryPolicy,
  ): AttemptFailure["repeat"] {
    const how = this.#run.watch && availabilityAfter({ repeat }, error);
    if (how === "answered") this.#reportAnswer();
    const unserved = how === "answered" ? undefined : how;
    this.#isUnserved = unserved !== undefined;
    if (unserved !== undefined && this.#reportUnserved(unserved, error)) {
      // With `mayRenderTwice: false`, such attempts are not retried.
      if (policy.limit > 0) this.#pardoned++;
      this.#reportToPace("lost", failure.retryAfterMs);
      return how === "unreached" ? "safe" : "ambiguous";
    }
    if (how === "unserved" && this.#isInDoubt(attempts, policy)) this.#pardoned++;
    this.#reportFailureToPace(error, failure.retryAfterMs, policy);
    // Proxies report an unavailable service with several 5xx statuses of their own.
    return how === "unserved" ? "ambiguous" : repeat;
  }

  #reportUnserved(how: Unserved, error: unknown): boolean {
    const { watch } = this.#run;
    if (!watch) return false;
    const attempt = { jobIndex: this.#index, how, error, ticket: this.#ticket };
    const isOutage = watch.failed(attempt, performance.now());
    if (isOutage) this.#run.onOutage(watch, error);
    return isOutage;
  }

  /**
   * Whether the service may still be the cause although the job has no attempts left, because it has not responded to any other
   * job since.
   */
  #isInDoubt(attempts: number, { limit }: RetryPolicy): boolean {
    const answerCount = this.#run.watch?.answerCount ?? 0;
    const isProven = answerCount > this.#answersAtFailure;
    this.#answersAtFailure = answerCount;
    const counted = attempts - this.#pardoned;
    if (isProven || limit === 0 || counted < limit) return false;
    // Requested before the last attempt, so that the other job can complete first.
    const hasOther = this.#run.wantUntried();
    return hasOther && counted > limit && this.#doubts++ < mostDoubts;
  }

  #reportFailureToPace(error: unknown, retryAfterMs: number | undefined, { limit }: RetryPolicy): void {
    const status = ApiError.is(error) ? error.status : undefined;
    const isTimeout = TimeoutError.is(error) && error.phase !== "unread";
    if (status === 429) {
      // With `mayRenderTwice: false`, such attempts are not retried.
      if (limit > 0 && this.#run.wholeCount > this.#wholeAtRefusal) this.#pardoned++;
      this.#wholeAtRefusal = this.#run.wholeCount;
      this.#reportToPace("refused", retryAfterMs);
    } else if (status === 503 || isTimeout || ConnectionError.is(error)) {
      this.#reportToPace("overloaded", retryAfterMs);
    }
  }

  /** Reports the outcome of a request once. */
  #reportToPace(how: "passed" | "unsent" | "refused" | "overloaded" | "lost", retryAfterMs?: number): void {
    const ticket = this.#ticket;
    this.#ticket = undefined;
    if (ticket === undefined) return;
    const { pace, watch, turns } = this.#run;
    pace[how](ticket, performance.now(), retryAfterMs);
    if (!watch) return;
    watch.settled(ticket);
    turns.onSettled();
  }
}

/** The signal of a job, which has not been checked yet. */
function signalOf(job: Job | null | undefined): AbortSignal | undefined {
  const options = isAnyObject(job) ? ownOption(job, "options") : undefined;
  return isAnyObject(options) ? ownOption(options, "signal") : undefined;
}

function unread(index: number): ConfigurationError {
  return new ConfigurationError(
    `\`use\` returned before the document of job ${index} was read completely. Read it in \`use\`, and await the read, for example (pdf) => pdf.bytes().`,
  );
}
