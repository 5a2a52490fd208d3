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
import type { Ticket } from "./pace/pace.ts";
import type { Run } from "./run.ts";

/** A run does not pause for longer because a header says so. */
const longestPauseMs = 3_600_000;

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
    const first = this.#run.turns.take(signal);
    let ticket = first instanceof Promise ? await first : first;
    if (ticket === undefined && !signal?.aborted) return undefined;
    while (ticket !== undefined) {
      const result = await this.#try(ticket);
      if (result !== undefined) return result;
      ticket = await this.#run.again(this.#delayMs as number, signal);
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
    const { repeat, retryAfterMs = 0 } = failure;
    if (retryAfterMs > longestPauseMs) {
      const why = `the service asks to wait ${inSeconds(retryAfterMs)}, and a run waits an hour at most`;
      this.#run.stop(why, error);
      return { why: ` Not retried: ${why}.` };
    }
    this.#reportFailureToPace(error, failure.retryAfterMs, policy);
    // The wait that was asked for is the whole run's.
    const counted = attempts - this.#pardoned;
    const decision = decide({ repeat }, counted, policy, Number.POSITIVE_INFINITY, Math.random);
    if ("why" in decision) return decision;
    this.#delayMs = decision.delayMs;
    return { delayMs: Math.max(decision.delayMs, retryAfterMs) };
  }

  onOutcome(outcome: Outcome): void {
    this.#outcome = outcome;
    this.attempts = outcome.attempts;
    if (!outcome.failure) this.#reportToPace("passed");
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
  #reportToPace(how: "passed" | "unsent" | "refused" | "overloaded", retryAfterMs?: number): void {
    const ticket = this.#ticket;
    this.#ticket = undefined;
    if (ticket !== undefined) this.#run.pace[how](ticket, performance.now(), retryAfterMs);
  }
}

function unread(index: number): ConfigurationError {
  return new ConfigurationError(
    `\`use\` was done with job ${index} before its document was read to the end. Read it within \`use\`, and await that, as in (pdf) => pdf.bytes().`,
  );
}
