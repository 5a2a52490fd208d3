import { abortError } from "../call/abort-signals.ts";
import type { TemplatePdf } from "../index.ts";
import type { Job, Result, Use } from "./job.ts";
import { JobAttempts } from "./job-attempts.ts";
import type { JobSource } from "./job-source.ts";
import { Pace, type Ticket } from "./pace/pace.ts";
import { ResultQueue } from "./result-queue.ts";
import type { GenerateManyOptions } from "./run-options.ts";
import { RunStoppedError } from "./run-stopped-error.ts";
import { Turns } from "./turns.ts";

/** How long what was given up may take to clean up behind itself, such as a file that was being written. */
const longestCleaningMs = 1000;

/** After how many jobs in a row that sent nothing others have their turn: timers, signals, sockets. */
const unsentInARow = 500;

/** What a run is made with. */
export interface RunParts<J, R> extends GenerateManyOptions<J, R> {
  readonly use: Use<J, R>;
  /**
   * Called for every job, before it is asked for: `false` passes over it, and what it throws rejects it, as what it rejects with.
   */
  readonly admit?: (job: J, index: number) => boolean | Promise<void>;
}

/**
 * A run: pulls jobs while there is room for them, has them tried, and gives their results. A job takes up its room until its result
 * has been taken.
 */
export class Run<J extends Job, R> implements AsyncIterableIterator<Result<J, R>> {
  // biome-ignore lint/suspicious/noExplicitAny: the types of jobs were checked where they came in.
  readonly client: TemplatePdf<any>;
  readonly use: Use<J, R>;
  readonly retry: GenerateManyOptions<J, R>["retry"];
  readonly pace: Pace;
  readonly turns: Turns;
  wholeCount = 0;
  readonly #options: RunParts<J, R>;
  readonly #source: JobSource<J>;
  readonly #results: ResultQueue<Result<J, R>>;
  readonly #aborting = new AbortController();
  readonly #inFlight = new Set<JobAttempts<J, R>>();
  /** Jobs that were pulled, and whose results were not taken. */
  #heldCount = 0;
  #pulledCount = 0;
  #rejectedCount = 0;
  #unsentCount = 0;
  #hasBegun = false;
  #isPulling = false;
  /** There are no more jobs, or no more are wanted. */
  #isSourceEnded = false;
  /** Why nothing is tried any more. */
  #reason: (() => unknown) | undefined;
  /** What the run ends with, where it has not come to the end of its jobs. */
  #thrown: (() => unknown) | undefined;
  /** Nothing comes any more, but for the results that nobody has taken. */
  #isClosed = false;
  readonly #onClosed: (() => void)[] = [];

  constructor(
    // biome-ignore lint/suspicious/noExplicitAny: the types of jobs were checked where they came in.
    client: TemplatePdf<any>,
    source: JobSource<J>,
    options: RunParts<J, R>,
  ) {
    const { use, retry, concurrency = "auto", perSecond, ordered = false } = options;
    this.client = client;
    this.use = use;
    this.retry = retry;
    this.pace = new Pace({ concurrency, perSecond });
    this.#options = options;
    this.#source = source;
    this.#results = new ResultQueue(ordered, () => this.#heldCount--);
    this.turns = new Turns(this.pace, () => this.#fill());
  }

  next(): Promise<IteratorResult<Result<J, R>>> {
    this.#begin();
    const next = this.#results.next();
    this.#fill();
    return next;
  }

  async return(): Promise<IteratorResult<Result<J, R>>> {
    this.#hasBegun = true;
    this.#results.clear();
    this.#abort(abortError(), undefined);
    if (!this.#isClosed) await new Promise<void>((resolve) => this.#onClosed.push(resolve));
    this.#results.clear();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Hears of the caller's signals. */
  handleEvent(): void {
    const { signal, drain } = this.#options;
    if (signal?.aborted) this.#abort(signal.reason, () => signal.reason);
    else if (drain?.aborted) this.stop("`drain` was aborted");
  }

  /** How many jobs are on their way. */
  get inHand(): number {
    return this.#inFlight.size;
  }

  // For the jobs.

  get signal(): AbortSignal {
    return this.#aborting.signal;
  }

  async again(delayMs: number, signal: AbortSignal | undefined): Promise<Ticket | undefined> {
    const ticket = await this.turns.again(delayMs, signal);
    // A job that would have been tried again, and is not.
    if (ticket === undefined && !this.signal.aborted) this.#thrown ??= this.#reason;
    return ticket;
  }

  /**
   * What is under way comes to its end, and nothing is tried again.
   *
   * @param cause - the failure that is the reason, where one is: the run ends with an error then, whatever was left to do
   */
  stop(why: string, cause?: unknown): void {
    this.#reason ??= () => {
      const facts = { fulfilled: this.wholeCount, rejected: this.#rejectedCount, why };
      const count = `${facts.fulfilled} of its jobs were fulfilled, and ${facts.rejected} were rejected`;
      const text = `The run was stopped before its jobs had come to an end: ${why}. Until then ${count}.`;
      return new RunStoppedError(text, cause === undefined ? facts : { ...facts, cause });
    };
    if (!this.#isSourceEnded || cause !== undefined) this.#thrown ??= this.#reason;
    this.turns.close();
    this.#endSource();
  }

  // How it goes.

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const { signal, drain } = this.#options;
    signal?.addEventListener("abort", this);
    drain?.addEventListener("abort", this);
    this.handleEvent();
  }

  /** Pulls jobs, as long as there is room for them and a request may be sent. */
  #fill(): void {
    while (!this.#isPulling && !this.#isSourceEnded && this.#heldCount < this.pace.slots) {
      if (!this.turns.isFree()) return;
      if (this.#unsentCount >= unsentInARow) return this.#fillLater();
      this.#heldCount++;
      this.#pull();
    }
  }

  #fillLater(): void {
    this.#isPulling = true;
    setTimeout(() => {
      this.#unsentCount = 0;
      this.#isPulling = false;
      this.#closeIfOver();
      this.#fill();
    });
  }

  #pull(): void {
    this.#isPulling = true;
    try {
      const next = this.#source.next();
      if (!(next instanceof Promise)) return this.#onPulled(next);
      const goOn = (result: IteratorResult<J>) => {
        this.#onPulled(result);
        this.#fill();
      };
      next.then(goOn, (error) => this.#onSourceFailure(error));
    } catch (error) {
      this.#onSourceFailure(error);
    }
  }

  #onPulled(result: IteratorResult<J>): void {
    this.#isPulling = false;
    if (!result.done && !this.#isSourceEnded) return this.#admit(result.value, this.#pulledCount++);
    this.#heldCount--;
    this.#endSource();
  }

  #onSourceFailure(error: unknown): void {
    this.#isPulling = false;
    this.#heldCount--;
    // What is under way is tried on: there is no telling what becomes of the rest, but nothing is wrong with it.
    this.#thrown ??= () => error;
    this.#endSource();
  }

  #admit(job: J, index: number): void {
    try {
      const admitted = this.#options.admit?.(job, index) ?? true;
      if (admitted === false) {
        this.#unsentCount++;
        this.#heldCount--;
      } else {
        this.#perform(job, index, admitted);
      }
    } catch (error) {
      this.#settle(index, { job, index, attempts: 0, status: "rejected", error });
    }
  }

  async #perform(job: J, index: number, admitted: true | Promise<void>): Promise<void> {
    const tries = new JobAttempts(this, job, index);
    this.#inFlight.add(tries);
    const result = await tries.run(admitted);
    this.#inFlight.delete(tries);
    // What was given up has no result.
    if (result === undefined || (result.status === "rejected" && this.signal.aborted)) this.#heldCount--;
    else this.#settle(index, result);
    this.#closeIfOver();
    this.#fill();
  }

  #settle(index: number, result: Result<J, R>): void {
    if (this.#isClosed) return;
    this.#unsentCount = result.attempts === 0 ? this.#unsentCount + 1 : 0;
    if (result.status === "fulfilled") this.wholeCount++;
    else this.#rejectedCount++;
    this.#results.add(index, result);
    if (result.status === "rejected" && this.#rejectedCount === this.#options.stopAfter) {
      this.stop(`\`stopAfter: ${this.#rejectedCount}\` was reached`, result.error);
    }
  }

  // How it ends.

  #endSource(): void {
    this.#isSourceEnded = true;
    this.#source.close();
    // A source that is slow with its next job is not waited for: nobody wants it.
    if (this.#reason) this.#isPulling = false;
    this.#closeIfOver();
  }

  /** What is under way is given up. */
  #abort(reason: unknown, thrown: (() => unknown) | undefined): void {
    if (this.#isClosed || this.signal.aborted) return;
    this.#reason = () => reason;
    this.#thrown = thrown;
    this.#aborting.abort(reason);
    this.turns.close();
    for (const tries of this.#inFlight) tries.cancel(reason);
    const forced = setTimeout(() => this.#close(), longestCleaningMs);
    this.#onClosed.push(() => clearTimeout(forced));
    this.#endSource();
  }

  #closeIfOver(): void {
    if (this.#isSourceEnded && !this.#isPulling && this.#inFlight.size === 0) this.#close();
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.turns.close();
    const { signal, drain } = this.#options;
    signal?.removeEventListener("abort", this);
    drain?.removeEventListener("abort", this);
    this.#results.close(this.#thrown && { error: this.#thrown() });
    for (const hear of this.#onClosed) hear();
  }
}
