import { type BulkAttempt, type Outcome, startAttempt } from "../call/outcome.ts";
import { type Decision, decide, type Failure, inSeconds } from "../call/retry-policy.ts";
import {
  ApiError,
  ConfigurationError,
  ConnectionError,
  type PendingPdf,
  type TemplatePdf,
  TemplatePdfError,
  TimeoutError,
} from "../index.ts";
import type { RetryPolicy } from "../options/retry.ts";
import { checkJob, type Job, type Result } from "./job.ts";
import type { Unserved } from "./outage.ts";
import type { Ticket } from "./pace/pace.ts";
import type { Run } from "./run.ts";
import { availabilityAfter } from "./service-watch.ts";

/** A run does not pause for longer because a header says so. */
const longestPauseMs = 3_600_000;

/** How often a job is retried beyond its limit to find out whether it or the service is the reason. */
const mostDoubts = 8;

/** All attempts of one job, until its document is whole and was used, or another attempt would not help. */
export class JobAttempts<J extends Job, R> implements BulkAttempt {
  attempts = 0;
  lastError: unknown;
  readonly #run: Run<J, R>;
  readonly #job: J;
  readonly #index: number;
  #pdf: PendingPdf | undefined;
  /** Refusals that count for nothing, because the run went on meanwhile: its pace was at fault, not the job. */
  #pardoned = 0;
  /** How many documents of the run were whole when this one was refused last. */
  #wholeAtRefusal = -1;
  /** Whether the last attempt was not answered. */
  #isUnserved = false;
  /** How many requests the service had answered when this job failed last, or began. */
  #answersAtFailure = 0;
  #doubts = 0;
  /** The place of the current attempt in the pace of the run. */
  #ticket: Ticket | undefined;
  /** What became of the current attempt. */
  #outcome: Outcome | undefined;
  /** How long to wait before the next attempt, if there is to be one. */
  #delayMs: number | undefined;

  constructor(run: Run<J, R>, job: J, index: number) {
    this.#run = run;
    this.#job = job;
    this.#index = index;
  }

  /** Tries until the job has its result, once it is admitted; gives none where the run ended before the first try. */
  async run(admitted: true | Promise<void>): Promise<Result<J, R> | undefined> {
    try {
      if (admitted !== true) await admitted;
    } catch (error) {
      return this.#rejected(error);
    }
    const signal = this.#job?.options?.signal;
    this.#wholeAtRefusal = this.#run.wholeCount;
    this.#answersAtFailure = this.#run.watch?.answerCount ?? 0;
    const first = this.#run.turns.take(signal);
    let ticket = first instanceof Promise ? await first : first;
    if (ticket === undefined && !signal?.aborted) return this.#run.leave();
    while (ticket !== undefined) {
      const result = await this.#try(ticket);
      if (result !== undefined) return result;
      ticket = await this.#run.again(this.#delayMs as number, signal);
      // The next run asks for it.
      const isLeft = ticket === undefined && this.#isUnserved && this.#run.watch?.isOutage;
      if (isLeft && !signal?.aborted) return undefined;
    }
    return this.#rejected(signal?.aborted ? signal.reason : this.lastError);
  }

  /** Ends the try that is under way. */
  cancel(reason: unknown): void {
    this.#pdf?.cancel(reason);
  }

  // Member by member: a spread would cost more than all else that a run does for a document.

  #fulfilled(value: R): Result<J, R> {
    return { job: this.#job, index: this.#index, attempts: this.attempts, status: "fulfilled", value };
  }

  #rejected(error: unknown): Result<J, R> {
    return { job: this.#job, index: this.#index, attempts: this.attempts, status: "rejected", error };
  }

  /** Gives nothing where the job is to be tried again. */
  async #try(ticket: Ticket): Promise<Result<J, R> | undefined> {
    const { client, use, retry, signal } = this.#run;
    this.#ticket = ticket;
    this.#outcome = undefined;
    this.#delayMs = undefined;
    const before = this.attempts;
    try {
      const { template, values, options } = checkJob(this.#job, this.#index);
      const settings = { ...options, retry };
      const tellsOutcome = startAttempt in client;
      this.#pdf = tellsOutcome
        ? client[startAttempt](template, values, settings, this)
        : // Somebody's mock of a client.
          (client as TemplatePdf).generate(template, values as never, settings);
      const value = await use(this.#pdf, this.#job, { index: this.#index, attempt: before + 1, signal });
      // A document that failed is none, whatever was made of it.
      if (tellsOutcome && !this.#isWhole()) throw unread(this.#index);
      return this.#fulfilled(value);
    } catch (error) {
      this.lastError = this.#failureOf(error);
      return this.#delayMs === undefined ? this.#rejected(this.lastError) : undefined;
    } finally {
      this.#pdf = undefined;
      // Whatever became of it, it is no longer in flight.
      this.#reportToPace(this.attempts > before ? "passed" : "unsent");
    }
  }

  #isWhole(): boolean {
    return this.#outcome !== undefined && this.#outcome.failure === undefined;
  }

  /** What an attempt failed with: its document's own failure, which `use` may have wrapped, or else what `use` threw. */
  #failureOf(thrown: unknown): unknown {
    const failure = this.#outcome?.failure;
    // If it was given up, whoever read it knows why.
    if (failure && (this.#delayMs !== undefined || TemplatePdfError.is(failure.error))) return failure.error;
    this.#pdf?.cancel(thrown);
    return thrown;
  }

  // Called by the call that makes an attempt.

  decide(failure: Failure, attempts: number, policy: RetryPolicy): Decision {
    const error = failure.error("");
    const { retryAfterMs = 0 } = failure;
    if (retryAfterMs > longestPauseMs) {
      const why = `the service asks to wait ${inSeconds(retryAfterMs)}, and a run waits an hour at most`;
      this.#run.stop(why, error);
      return { why: ` Not retried: ${why}.` };
    }
    const repeat = this.#reportFailure(failure, error, attempts, policy);
    // The wait that was asked for is the whole run's.
    const counted = attempts - this.#pardoned;
    const decision = decide({ repeat }, counted, policy, Number.POSITIVE_INFINITY, Math.random);
    if ("why" in decision) return decision;
    this.#delayMs = decision.delayMs;
    const outageMs = this.#run.watch?.nextRequestMs(performance.now()) ?? 0;
    return { delayMs: Math.max(decision.delayMs, retryAfterMs, outageMs) };
  }

  onOutcome(outcome: Outcome): void {
    const isSent = outcome.attempts > this.attempts;
    this.#outcome = outcome;
    this.attempts = outcome.attempts;
    if (!outcome.failure) {
      this.#reportAnswer();
      this.#reportToPace("passed");
    } else if (isSent && TimeoutError.is(outcome.failure.error) && outcome.failure.error.phase === "total") {
      // It is not retried, and tells as much of the service as another timeout.
      this.#reportUnserved("unserved", outcome.failure.error);
    }
  }

  #reportAnswer(): void {
    if (this.#run.watch?.answered(this.#ticket, performance.now())) this.#run.pace.restart();
  }

  /** Reports what an attempt failed with. Returns whether another may help. */
  #reportFailure(
    { repeat, ...failure }: Failure,
    error: unknown,
    attempts: number,
    policy: RetryPolicy,
  ): Failure["repeat"] {
    const how = this.#run.watch && availabilityAfter({ repeat }, error);
    if (how === "answered") this.#reportAnswer();
    const unserved = how === "answered" ? undefined : how;
    this.#isUnserved = unserved !== undefined;
    if (unserved !== undefined && this.#reportUnserved(unserved, error)) {
      // Whoever wants no second try gets none.
      if (policy.limit > 0) this.#pardoned++;
      this.#reportToPace("lost", failure.retryAfterMs);
      return how === "unreached" ? "safe" : "ambiguous";
    }
    if (how === "unserved" && this.#isInDoubt(attempts, policy)) this.#pardoned++;
    this.#reportFailureToPace(error, failure.retryAfterMs, policy);
    // Proxies have many a 5xx of their own for a service that is away.
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

  /** Whether a job that has no attempts left may still not be the reason, because the service has answered no other since. */
  #isInDoubt(attempts: number, { limit }: RetryPolicy): boolean {
    const answerCount = this.#run.watch?.answerCount ?? 0;
    const isProven = answerCount > this.#answersAtFailure;
    this.#answersAtFailure = answerCount;
    const counted = attempts - this.#pardoned;
    if (isProven || limit === 0 || counted < limit) return false;
    // Before the last attempt, so that the other job can be answered by then.
    const hasOther = this.#run.wantUntried();
    return hasOther && counted > limit && this.#doubts++ < mostDoubts;
  }

  #reportFailureToPace(error: unknown, retryAfterMs: number | undefined, { limit }: RetryPolicy): void {
    const status = ApiError.is(error) ? error.status : undefined;
    const isTimeout = TimeoutError.is(error) && error.phase !== "unread";
    if (status === 429) {
      // Whoever wants no second try gets none.
      if (limit > 0 && this.#run.wholeCount > this.#wholeAtRefusal) this.#pardoned++;
      this.#wholeAtRefusal = this.#run.wholeCount;
      this.#run.onRefused?.(retryAfterMs);
      this.#reportToPace("refused", retryAfterMs);
    } else if (status === 503 || isTimeout || ConnectionError.is(error)) {
      if (retryAfterMs !== undefined) this.#run.onRefused?.(retryAfterMs);
      this.#reportToPace("overloaded", retryAfterMs);
    }
  }

  /** Reports once what became of a request. */
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

function unread(index: number): ConfigurationError {
  return new ConfigurationError(
    `\`use\` was done with job ${index} before its document was read to the end. Read it within \`use\`, and await that, as in (pdf) => pdf.bytes().`,
  );
}
