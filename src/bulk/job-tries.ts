import { type Decision, decide, inSeconds, type Setback } from "../call/retry-policy.ts";
import { type Supervisor, supervisor } from "../call/supervisor.ts";
import {
  ApiError,
  ConfigurationError,
  ConnectionError,
  type PendingPdf,
  type Retry,
  type TemplatePdf,
  TemplatePdfError,
  TimeoutError,
} from "../index.ts";
import type { RetryPolicy } from "../options/retry.ts";
import { checkJob } from "./check-job.ts";
import type { Job, Result, Use } from "./job.ts";
import type { Pace, Ticket } from "./pace/pace.ts";

/** What a job needs of its run. */
export interface Crew<J, R> {
  // biome-ignore lint/suspicious/noExplicitAny: the types of jobs were checked where they came in.
  readonly client: TemplatePdf<any>;
  readonly use: Use<J, R>;
  readonly retry: Retry | false | undefined;
  readonly pace: Pace;
  /** Aborted with the run. */
  readonly signal: AbortSignal;
  /** How many documents of the run were whole until now. */
  readonly wholeCount: number;
  /** Takes the turn of a first try. */
  turn(signal: AbortSignal | undefined): Ticket | Promise<Ticket | undefined>;
  /** Waits for the turn of another try. Both give `undefined` where there is to be none, because the run or the signal ends that. */
  again(delayMs: number, signal: AbortSignal | undefined): Promise<Ticket | undefined>;
  /** Ends the run, because the service wants to be left alone for longer than a run waits. */
  stop(why: string, cause: unknown): void;
}

/** Nobody lets a run stand for longer because a header says so. */
const longestPauseMs = 3_600_000;

/** One job on its way: every try, until a whole document was put to use or there is nothing more to hope for. */
export class JobTries<J extends Job, R> implements Supervisor {
  readonly #crew: Crew<J, R>;
  readonly #job: J;
  readonly #index: number;
  #pdf: PendingPdf | undefined;
  #attempts = 0;
  /** Refusals that count for nothing, because the run went on meanwhile: its pace was at fault, not the job. */
  #pardoned = 0;
  /** How many documents of the run were whole when this one was refused last. */
  #wholeAtRefusal = -1;
  #lastError: unknown;
  /** The current try. */
  #ticket: Ticket | undefined;
  #isHeard = false;
  #isWhole = false;
  /** What the document itself failed with. */
  #failure: { readonly error: unknown } | undefined;
  #delayMs: number | undefined;

  constructor(crew: Crew<J, R>, job: J, index: number) {
    this.#crew = crew;
    this.#job = job;
    this.#index = index;
  }

  /**
   * Tries until the job has its result; gives none where the run ended before the first try.
   *
   * @param admitted - what has to be done before
   */
  async run(admitted: true | Promise<void>): Promise<Result<J, R> | undefined> {
    if (admitted !== true) {
      const failure = await admitted.then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      if (failure) return this.#rejected(failure.error);
    }
    const signal = this.#job?.options?.signal;
    this.#wholeAtRefusal = this.#crew.wholeCount;
    const first = this.#crew.turn(signal);
    let ticket = first instanceof Promise ? await first : first;
    if (ticket === undefined) return signal?.aborted ? this.#rejected(signal.reason) : undefined;
    for (;;) {
      const outcome = await this.#try(ticket);
      if ("value" in outcome) return this.#fulfilled(outcome.value);
      this.#lastError = outcome.error;
      if (this.#delayMs === undefined) return this.#rejected(outcome.error);
      ticket = await this.#crew.again(this.#delayMs, signal);
      if (ticket === undefined) return this.#rejected(signal?.aborted ? signal.reason : outcome.error);
    }
  }

  // Member by member: a spread would cost more than all else that a run does for a document.

  #fulfilled(value: R): Result<J, R> {
    return { job: this.#job, index: this.#index, attempts: this.#attempts, status: "fulfilled", value };
  }

  #rejected(error: unknown): Result<J, R> {
    return { job: this.#job, index: this.#index, attempts: this.#attempts, status: "rejected", error };
  }

  /** Ends the try that is under way. */
  cancel(reason: unknown): void {
    this.#pdf?.cancel(reason);
  }

  async #try(ticket: Ticket): Promise<{ readonly value: R } | { readonly error: unknown }> {
    const { client, use, retry, signal } = this.#crew;
    this.#ticket = ticket;
    this.#isHeard = false;
    this.#isWhole = false;
    this.#failure = undefined;
    this.#delayMs = undefined;
    const before = this.#attempts;
    try {
      const { template, values, options } = checkJob(this.#job, this.#index);
      const pdf = client.generate(template, values as never, { ...options, retry, [supervisor]: this });
      this.#pdf = pdf;
      const value = await use(pdf, this.#job, { index: this.#index, attempt: before + 1, signal });
      if (this.#isWhole || !this.#isHeard) return { value };
      // A document that failed is none, whatever was made of it.
      return { error: this.#failureOf(pdf, unread(this.#index)) };
    } catch (error) {
      return { error: this.#failureOf(this.#pdf, error) };
    } finally {
      this.#pdf = undefined;
      // Whatever became of it, it is no longer under way.
      this.#tellPace(this.#attempts > before ? "passed" : "unsent");
    }
  }

  /** What a try failed with: its document's own failure, which `use` may have wrapped, or else what `use` threw. */
  #failureOf(pdf: PendingPdf | undefined, thrown: unknown): unknown {
    if (this.#failure) return this.#failure.error;
    pdf?.cancel(thrown);
    return thrown;
  }

  // As the supervisor of the call.

  begin(): { readonly attempts: number; readonly lastError: unknown } {
    this.#isHeard = true;
    return { attempts: this.#attempts, lastError: this.#lastError };
  }

  onSetback(
    failure: Setback & { readonly error: (note: string) => unknown },
    attempts: number,
    policy: RetryPolicy,
  ): Decision {
    this.#attempts = attempts;
    const error = failure.error("");
    const { retryAfterMs = 0 } = failure;
    if (retryAfterMs > longestPauseMs) {
      const why = `the service asks to be left alone for ${inSeconds(retryAfterMs)}, and a run waits an hour at most`;
      this.#crew.stop(why, error);
      return { why: ` Not tried again: ${why}.` };
    }
    this.#tellPaceOf(error, failure.retryAfterMs, policy);
    // The wait that was asked for is the whole run's.
    const { repeat } = failure;
    const decision = decide(
      { repeat },
      attempts - this.#pardoned,
      policy,
      Number.POSITIVE_INFINITY,
      Math.random,
    );
    if ("why" in decision) return decision;
    this.#delayMs = decision.delayMs;
    return { delayMs: Math.max(decision.delayMs, retryAfterMs) };
  }

  onFailure(error: unknown, attempts: number): void {
    this.#attempts = attempts;
    // Else whoever read it gave it up, and knows why.
    if (this.#delayMs !== undefined || TemplatePdfError.is(error)) this.#failure ??= { error };
  }

  onWhole(attempts: number): void {
    this.#attempts = attempts;
    this.#isWhole = true;
    this.#tellPace("passed");
  }

  #tellPaceOf(error: unknown, retryAfterMs: number | undefined, { limit }: RetryPolicy): void {
    const status = ApiError.is(error) ? error.status : undefined;
    const isTimeout = TimeoutError.is(error) && error.phase !== "unread";
    if (status === 429) {
      // Whoever wants no second try gets none.
      if (limit > 0 && this.#crew.wholeCount > this.#wholeAtRefusal) this.#pardoned++;
      this.#wholeAtRefusal = this.#crew.wholeCount;
      this.#tellPace("refused", retryAfterMs);
    } else if (status === 503 || isTimeout || ConnectionError.is(error)) {
      this.#tellPace("overloaded", retryAfterMs);
    }
  }

  /** Tells once how a request fared. */
  #tellPace(how: "passed" | "unsent" | "refused" | "overloaded", retryAfterMs?: number): void {
    const ticket = this.#ticket;
    this.#ticket = undefined;
    if (ticket !== undefined) this.#crew.pace[how](ticket, performance.now(), retryAfterMs);
  }
}

function unread(index: number): ConfigurationError {
  return new ConfigurationError(
    `\`use\` was done with job ${index} before its document was read to the end. Read it within \`use\`, and await that, as in (pdf) => pdf.bytes().`,
  );
}
