import { abortError } from "../call/abort-signals.ts";
import { ApiError, type TemplatePdf, ValuesError } from "../index.ts";
import { withoutPrototype } from "../runtime/own-options.ts";
import { nextLoopTurn, stepsPerTurn } from "../runtime/timers.ts";
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

/** The time that cancelled jobs have to clean up, for example to remove an incomplete file. */
const longestCleaningMs = 1000;

/** The maximum number of extra jobs that a run pulls to test whether the service responds. */
const mostProbes = 16;

/** The parts of a run. */
export interface RunParts<J, R> extends GenerateManyOptions<J, R> {
  readonly use: Use<J, R>;
  /** The number of documents that earlier runs finished. Default: 0. */
  readonly finishedBefore?: number;
  /** How to handle service outages. Default: outages are not handled. */
  readonly watch?: WatchParts;
  /**
   * Called before each job's request. `false` skips the job. If the callback throws or rejects, the job is
   * rejected with that error.
   */
  readonly admit?: (job: J, index: number) => boolean | Promise<void>;
}

/**
 * A run. It pulls jobs while there is room for them, attempts them, and yields their results. A job takes up room until its
 * result is read.
 */
export class Run<J extends Job, R> implements AsyncIterableIterator<Result<J, R>> {
  // biome-ignore lint/suspicious/noExplicitAny: the job types have already been checked.
  readonly client: TemplatePdf<any>;
  readonly use: Use<J, R>;
  readonly retry: GenerateManyOptions<J, R>["retry"];
  readonly pace: Pace;
  readonly turns: Turns;
  readonly watch: ServiceWatch | undefined;
  wholeCount = 0;
  readonly #options: RunParts<J, R>;
  readonly #source: JobSource<J>;
  readonly #results: ResultQueue<Result<J, R>>;
  readonly #aborting = new AbortController();
  readonly #inFlight = new Set<JobAttempts<J, R>>();
  /** The number of pulled jobs whose results have not been read. */
  #heldCount = 0;
  #pulledCount = 0;
  #rejectedCount = 0;
  /** The number of jobs that were rejected because of invalid values. */
  invalidCount = 0;
  readonly #systematicFailures = new SystematicFailures();
  #hasBegun = false;
  /** Whether no more jobs will be pulled. */
  #isSourceEnded = false;
  /** Called when there may be room for another job. */
  #onRoom = () => {};
  /** Why the run stops, and whether any job was left undone. */
  #stop: { readonly why: string; readonly cause: unknown } | undefined;
  #isCutShort = false;
  /** The error of the run if it was aborted or its source failed. */
  #thrown: { readonly error: unknown } | undefined;
  /** Whether the run is over, except for unread results. */
  #isClosed = false;
  #forcedClose: ReturnType<typeof setTimeout> | undefined;
  #onClosed = () => {};
  readonly #closed = new Promise<void>((resolve) => {
    this.#onClosed = resolve;
  });

  constructor(
    // biome-ignore lint/suspicious/noExplicitAny: the job types have already been checked.
    client: TemplatePdf<any>,
    source: JobSource<J>,
    parts: RunParts<J, R>,
  ) {
    const options = withoutPrototype(parts);
    const { use, retry, concurrency = "auto", perSecond, ordered = false, watch } = options;
    this.client = client;
    this.use = use;
    this.retry = retry;
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

  /** Listens to the caller's signals. */
  handleEvent(): void {
    const { signal, drain } = this.#options;
    if (signal?.aborted) this.#abort(signal.reason, { error: signal.reason });
    else if (drain?.aborted) this.stop("`drain` was aborted");
  }

  /** The number of jobs in flight. */
  get inHand(): number {
    return this.#inFlight.size;
  }

  // Called by the jobs.

  get signal(): AbortSignal {
    return this.#aborting.signal;
  }

  async again(delayMs: number, signal: AbortSignal | undefined): Promise<Ticket | undefined> {
    return (await this.turns.again(delayMs, signal)) ?? this.leave();
  }

  /** Records that a job was left undone. */
  leave(): undefined {
    if (this.#stop) this.#isCutShort = true;
  }

  /** Pulls another job, if possible, to test whether the service responds. */
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
   * Stops the run when the requests in flight have completed, without retries.
   *
   * @param cause - the failure that is the reason, if any
   * @param isCutShort - whether the run ends with an error even if no jobs are left. Default: whether there
   * is a `cause`
   */
  stop(why: string, cause?: unknown, isCutShort = cause !== undefined): void {
    this.#stop ??= { why, cause };
    if (!this.#isSourceEnded || isCutShort) this.#isCutShort = true;
    this.turns.close();
    this.#endSource();
  }

  // The course of the run.

  #listen(): void {
    this.#hasBegun = true;
    const { signal, drain } = this.#options;
    signal?.addEventListener("abort", this);
    drain?.addEventListener("abort", this);
    this.handleEvent();
  }

  /** Pulls jobs while there is room and a request may be sent. */
  async #pullJobs(): Promise<void> {
    try {
      let left = stepsPerTurn;
      while (!this.#isSourceEnded) {
        if (!this.#mayPull()) {
          await new Promise<void>((resolve) => {
            this.#onRoom = resolve;
          });
        } else if (left === 0) {
          // Jobs that need no request, or that a mock serves, must not keep timers and signals waiting.
          await nextLoopTurn();
          left = stepsPerTurn;
        } else {
          left--;
          this.#heldCount++;
          const next = this.#source.next();
          const { done, value } = next instanceof Promise ? await next : next;
          // The end of the run does not wait for a slow source.
          if (this.#isSourceEnded) return;
          if (done) return this.#endSource();
          this.#admit(value, this.#pulledCount++);
        }
      }
    } catch (error) {
      if (this.#isSourceEnded) return;
      // Jobs in flight continue, including retries, because the source failed, not the jobs.
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
    // Cancelled jobs have no result.
    if (result === undefined || (result.status === "rejected" && this.signal.aborted)) this.#heldCount--;
    else this.#settle(index, result);
    this.#closeIfOver();
    this.#onRoom();
  }

  #settle(index: number, result: Result<J, R>): void {
    if (this.#isClosed) return;
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
    // A mistake in a job may affect only this job.
    if (!systematic || !ApiError.is(error)) return;
    const { withWhat, common } = systematic;
    this.stop(`${withWhat}, no job would succeed${common === undefined ? "" : `: ${common}`}`, error, false);
  }

  // The end of the run.

  #endSource(): void {
    this.#isSourceEnded = true;
    this.#source.close();
    this.#onRoom();
    this.#closeIfOver();
  }

  /** Cancels the jobs in flight. */
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

  #stoppedEarly(): { readonly error: unknown } | undefined {
    if (!this.#stop || !this.#isCutShort) return undefined;
    const { why, cause } = this.#stop;
    const facts = { fulfilled: this.wholeCount, rejected: this.#rejectedCount, why };
    const { fulfilled, rejected } = facts;
    const count = `${fulfilled} ${fulfilled === 1 ? "job was" : "jobs were"} fulfilled and ${rejected} ${rejected === 1 ? "was" : "were"} rejected`;
    const text = `The run stopped before its last job: ${why}. ${count}.`;
    return { error: new RunStoppedError(text, cause === undefined ? facts : { ...facts, cause }) };
  }
}
