import { abortError } from "../call/abort-signals.ts";
import { ApiError, type TemplatePdf, ValuesError } from "../index.ts";
import type { Job, Result, Use } from "./job.ts";
import { JobAttempts } from "./job-attempts.ts";
import type { JobSource } from "./job-source.ts";
import { Pace, type Ticket } from "./pace/pace.ts";
import { ResultQueue } from "./result-queue.ts";
import type { GenerateManyOptions } from "./run-options.ts";
import { RunStoppedError } from "./run-stopped-error.ts";
import { describeLongOutage, ServiceWatch, type WatchParts } from "./service-watch.ts";
import { SystematicFailures } from "./systematic-failures.ts";
import { Turns } from "./turns.ts";

/** How long what was given up may take to clean up behind itself, such as a file that was being written. */
const longestCleaningMs = 1000;

/** After how many jobs in a row that sent nothing others have their turn: timers, signals, sockets. */
const unsentInARow = 500;

/** How many more jobs a run may hold than its pace allows, to see whether the service answers those. */
const mostProbes = 16;

/** What a run is made with. */
export interface RunParts<J, R> extends GenerateManyOptions<J, R> {
  readonly use: Use<J, R>;
  /** How many documents earlier runs have finished. Default: none. */
  readonly finishedBefore?: number;
  /** How outages of the service are handled. Default: not at all. */
  readonly watch?: WatchParts;
  /**
   * Called for every job, before it is asked for: `false` passes over it, and what it throws rejects it, as what it rejects with.
   */
  readonly admit?: (job: J, index: number) => boolean | Promise<void>;
  /** Called if the service refuses a request because there are too many, with the delay of its `Retry-After`. */
  readonly onRefused?: (retryAfterMs: number | undefined) => void;
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
  readonly onRefused: RunParts<J, R>["onRefused"];
  readonly turns: Turns;
  readonly watch: ServiceWatch | undefined;
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
  /** Jobs that were rejected because their values do not fit. */
  invalidCount = 0;
  readonly #systematicFailures = new SystematicFailures();
  /** Jobs in a row that sent nothing. */
  #unsentCount = 0;
  #hasBegun = false;
  /** There are no more jobs, or no more are wanted. */
  #isSourceEnded = false;
  /** Called when there may be room for another job. */
  #onRoom = () => {};
  /** Why nothing is begun or retried any more, and whether that has left anything undone. */
  #stop: { readonly why: string; readonly cause: unknown } | undefined;
  #isCutShort = false;
  /** What the run ends with, where it was aborted or its source has failed. */
  #thrown: { readonly error: unknown } | undefined;
  /** Nothing comes any more, but for the results that nobody has taken. */
  #isClosed = false;
  #forcedClose: ReturnType<typeof setTimeout> | undefined;
  #onClosed = () => {};
  readonly #closed = new Promise<void>((resolve) => {
    this.#onClosed = resolve;
  });

  constructor(
    // biome-ignore lint/suspicious/noExplicitAny: the types of jobs were checked where they came in.
    client: TemplatePdf<any>,
    source: JobSource<J>,
    options: RunParts<J, R>,
  ) {
    const { use, retry, concurrency = "auto", perSecond, ordered = false, watch } = options;
    this.client = client;
    this.use = use;
    this.retry = retry;
    this.onRefused = options.onRefused;
    this.pace = new Pace({ concurrency, perSecond });
    this.#options = options;
    this.#source = source;
    this.#results = new ResultQueue(ordered, () => this.#heldCount--);
    this.watch = watch && new ServiceWatch(watch);
    this.turns = new Turns(this.pace, this.watch, () => this.#onRoom());
  }

  next(): Promise<IteratorResult<Result<J, R>>> {
    const hasBegun = this.#hasBegun;
    if (!hasBegun) this.#listen();
    const next = this.#results.next();
    if (hasBegun) this.#onRoom();
    else this.#pullJobs();
    return next;
  }

  async return(): Promise<IteratorResult<Result<J, R>>> {
    this.#hasBegun = true;
    this.#results.clear();
    this.#abort(abortError(), undefined);
    await this.#closed;
    this.#results.clear();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Hears of the caller's signals. */
  handleEvent(): void {
    const { signal, drain } = this.#options;
    if (signal?.aborted) this.#abort(signal.reason, { error: signal.reason });
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
    return (await this.turns.again(delayMs, signal)) ?? this.leave();
  }

  /** Notes that a job would have been tried, and is not. */
  leave(): undefined {
    if (this.#stop) this.#isCutShort = true;
  }

  /** Has another job pulled that shows whether the service answers, if there may be one. */
  wantUntried(): boolean {
    if (!this.watch || this.#isSourceEnded) return false;
    this.watch.wantsUntried = true;
    this.#onRoom();
    return true;
  }

  /** Stops if the service has been unavailable for too long. */
  onOutage(watch: ServiceWatch, error: unknown): void {
    const nowMs = performance.now();
    if (watch.hasLastedTooLong(nowMs)) this.stop(describeLongOutage(watch.outageMs(nowMs), error), error);
    else if (watch.wantsUntried) this.#onRoom();
  }

  /**
   * What is under way comes to its end, and nothing is tried again.
   *
   * @param cause - the failure that is the reason, if there is one
   * @param isCutShort - whether the run ends with an error even if no job was left. Default: if there is a `cause`.
   */
  stop(why: string, cause?: unknown, isCutShort = cause !== undefined): void {
    this.#stop ??= { why, cause };
    if (!this.#isSourceEnded || isCutShort) this.#isCutShort = true;
    this.turns.close();
    this.#endSource();
  }

  // How it goes.

  #listen(): void {
    this.#hasBegun = true;
    const { signal, drain } = this.#options;
    signal?.addEventListener("abort", this);
    drain?.addEventListener("abort", this);
    this.handleEvent();
  }

  /** Pulls jobs, as long as there is room for them and a request may be sent. */
  async #pullJobs(): Promise<void> {
    try {
      while (!this.#isSourceEnded) {
        if (!this.#mayPull()) {
          await new Promise<void>((resolve) => {
            this.#onRoom = resolve;
          });
        } else if (this.#unsentCount >= unsentInARow) {
          await new Promise((resolve) => setTimeout(resolve));
          this.#unsentCount = 0;
        } else {
          this.#heldCount++;
          const next = this.#source.next();
          const { done, value } = next instanceof Promise ? await next : next;
          // A source that is slow with its next job is not waited for at the end.
          if (this.#isSourceEnded) return;
          if (done) return this.#endSource();
          this.#admit(value, this.#pulledCount++);
        }
      }
    } catch (error) {
      if (this.#isSourceEnded) return;
      // What is under way is tried on: there is no telling what becomes of the rest, but nothing is wrong with it.
      this.#thrown = { error };
      this.#endSource();
    }
  }

  #mayPull(): boolean {
    if (this.#heldCount < this.pace.slots && this.turns.isFree()) return true;
    return this.watch?.wantsUntried === true && this.#heldCount < this.pace.slots + mostProbes;
  }

  #admit(job: J, index: number): void {
    try {
      const admitted = this.#options.admit?.(job, index) ?? true;
      if (admitted === false) {
        this.#unsentCount++;
        this.#heldCount--;
      } else {
        if (this.watch) this.watch.wantsUntried = false;
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
    this.#onRoom();
  }

  #settle(index: number, result: Result<J, R>): void {
    if (this.#isClosed) return;
    this.#unsentCount = result.attempts === 0 ? this.#unsentCount + 1 : 0;
    if (result.status === "fulfilled") this.wholeCount++;
    else this.#rejectedCount++;
    this.#results.add(index, result);
    if (result.status === "rejected") this.#stopIfUseless(result);
  }

  /** Stops if enough jobs have failed, or if every other job would fail in the same way. */
  #stopIfUseless({ error, attempts }: Result<J, R>): void {
    const { stopAfter, skipInvalid, finishedBefore = 0 } = this.#options;
    const isInvalid = attempts === 0 && ValuesError.is(error);
    if (isInvalid) this.invalidCount++;
    if (isInvalid && skipInvalid) return;
    const counted = this.#rejectedCount - (skipInvalid ? this.invalidCount : 0);
    if (counted === stopAfter) this.stop(`\`stopAfter: ${counted}\` was reached`, error);
    const systematic = this.#systematicFailures.add(error, { stored: this.wholeCount, finishedBefore });
    // A mistake in a job may be the fault of this one job.
    if (!systematic || !ApiError.is(error)) return;
    const { withWhat, common } = systematic;
    this.stop(`${withWhat}, no job would succeed${common === undefined ? "" : `: ${common}`}`, error, false);
  }

  // How it ends.

  #endSource(): void {
    this.#isSourceEnded = true;
    this.#source.close();
    this.#onRoom();
    this.#closeIfOver();
  }

  /** What is under way is given up. */
  #abort(reason: unknown, thrown: { readonly error: unknown } | undefined): void {
    if (this.#isClosed || this.signal.aborted) return;
    this.#stop = undefined;
    this.#thrown = thrown;
    this.#aborting.abort(reason);
    this.turns.close();
    for (const tries of this.#inFlight) tries.cancel(reason);
    this.#forcedClose = setTimeout(() => this.#close(), longestCleaningMs);
    this.#endSource();
  }

  #closeIfOver(): void {
    if (this.#isSourceEnded && this.#inFlight.size === 0) this.#close();
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#forcedClose);
    this.turns.close();
    const { signal, drain } = this.#options;
    signal?.removeEventListener("abort", this);
    drain?.removeEventListener("abort", this);
    this.#results.close(this.#thrown ?? this.#stoppedEarly());
    this.#onClosed();
  }

  /** The error for a run that was stopped, and has left something undone. */
  #stoppedEarly(): { readonly error: unknown } | undefined {
    if (!this.#stop || !this.#isCutShort) return undefined;
    const { why, cause } = this.#stop;
    const facts = { fulfilled: this.wholeCount, rejected: this.#rejectedCount, why };
    const count = `${facts.fulfilled} of its jobs were fulfilled, and ${facts.rejected} were rejected`;
    const text = `The run was stopped before its jobs had come to an end: ${why}. Until then ${count}.`;
    return { error: new RunStoppedError(text, cause === undefined ? facts : { ...facts, cause }) };
  }
}
