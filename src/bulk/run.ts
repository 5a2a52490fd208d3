import { abortError } from "../abort-signals.ts";
import type { TemplatePdf } from "../index.ts";
import type { Job, Result, Use } from "./job.ts";
import type { JobSource } from "./job-source.ts";
import { type Crew, JobTries } from "./job-tries.ts";
import { OrderedOutbox, type Outbox, UnorderedOutbox } from "./outbox.ts";
import { createPace, type Pace, type Ticket } from "./pace/pace.ts";
import type { GenerateManyOptions } from "./run-options.ts";
import { RunStoppedError } from "./run-stopped-error.ts";
import { Turns } from "./turns.ts";

/** How long what was given up may take to clean up behind itself, such as a file that was being written. */
const longestCleaningMs = 1000;

/** How many jobs may be passed over in a row before others have their turn: timers, signals, sockets. */
const passedOverInARow = 500;

/** What a run is made with. */
export interface RunParts<J, R> extends GenerateManyOptions<J, R> {
  readonly use: Use<J, R>;
  /**
   * Called for every job, before it is asked for: `false` passes over it, and what it throws rejects it.
   */
  readonly admit?: (job: J, index: number) => boolean;
}

/** Somebody who waits for a result. */
interface Reader<R> {
  resolve(result: IteratorResult<R>): void;
  reject(error: unknown): void;
}

/**
 * A run: pulls jobs while there is room for them, has them tried, and gives their results. A job takes up its room until its result
 * has been taken.
 */
export class Run<J extends Job, R> implements AsyncIterableIterator<Result<J, R>>, Crew<J, R> {
  readonly client: Crew<J, R>["client"];
  readonly use: Use<J, R>;
  readonly retry: GenerateManyOptions<J, R>["retry"];
  readonly pace: Pace;
  wholeCount = 0;
  readonly #options: RunParts<J, R>;
  readonly #source: JobSource<J>;
  readonly #outbox: Outbox<Result<J, R>>;
  readonly #turns: Turns;
  readonly #aborting = new AbortController();
  readonly #inFlight = new Set<JobTries<J, R>>();
  readonly #readers: Reader<Result<J, R>>[] = [];
  /** Jobs that were pulled, and whose results were not taken. */
  #heldCount = 0;
  #pulledCount = 0;
  #rejectedCount = 0;
  /** Jobs in a row that were not admitted. */
  #passedOver = 0;
  #hasBegun = false;
  #isPulling = false;
  /** There are no more jobs, or no more are wanted. */
  #isSourceEnded = false;
  /** Nothing is tried any more, and this is what the run ends with. */
  #stopped: { readonly error: () => unknown } | undefined;
  /** Nothing comes any more, but for what the outbox holds. */
  #isClosed = false;
  readonly #onClosed: (() => void)[] = [];

  constructor(
    // biome-ignore lint/suspicious/noExplicitAny: the types of jobs were checked where they came in.
    client: TemplatePdf<any>,
    source: JobSource<J>,
    options: RunParts<J, R>,
  ) {
    const { use, retry, concurrency = "auto", perSecond, ordered } = options;
    this.client = client;
    this.use = use;
    this.retry = retry;
    this.pace = createPace({ concurrency, perSecond });
    this.#options = options;
    this.#source = source;
    this.#outbox = ordered ? new OrderedOutbox() : new UnorderedOutbox();
    this.#turns = new Turns(this.pace, () => this.#fill());
  }

  next(): Promise<IteratorResult<Result<J, R>>> {
    this.#begin();
    return new Promise((resolve, reject) => {
      this.#readers.push({ resolve, reject });
      this.#deliver();
      this.#fill();
    });
  }

  async return(): Promise<IteratorResult<Result<J, R>>> {
    this.#hasBegun = true;
    this.#outbox.clear();
    this.#abort(abortError());
    this.#stopped = undefined;
    if (!this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#onClosed.push(resolve);
        this.#deliver();
      });
    }
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Hears of the caller's signals. */
  handleEvent(): void {
    const { signal, drain } = this.#options;
    if (signal?.aborted) this.#abort(signal.reason);
    else if (drain?.aborted) this.stop("`drain` was aborted", undefined);
  }

  /** How many jobs are on their way. */
  get inHand(): number {
    return this.#inFlight.size;
  }

  // For the jobs.

  get signal(): AbortSignal {
    return this.#aborting.signal;
  }

  turn(): Ticket | Promise<Ticket | undefined> {
    return this.#turns.take();
  }

  again(delayMs: number): Promise<Ticket | undefined> {
    return this.#turns.again(delayMs);
  }

  stop(why: string, cause: unknown): void {
    this.#stop(() => {
      const facts = { why, fulfilled: this.wholeCount, rejected: this.#rejectedCount };
      const count = `${facts.fulfilled} of its jobs were fulfilled, and ${facts.rejected} were rejected`;
      const text = `The run was stopped before its jobs had come to an end: ${why}. Until then ${count}.`;
      return new RunStoppedError(text, cause === undefined ? facts : { ...facts, cause });
    });
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
      if (!this.#turns.isFree()) return;
      if (this.#passedOver === passedOverInARow) return this.#fillLater();
      this.#heldCount++;
      this.#pull();
    }
  }

  #fillLater(): void {
    this.#isPulling = true;
    setTimeout(() => {
      this.#isPulling = false;
      this.#passedOver = 0;
      this.#deliver();
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

  #admit(job: J, index: number): void {
    try {
      const isAdmitted = this.#options.admit?.(job, index) ?? true;
      this.#passedOver = isAdmitted ? 0 : this.#passedOver + 1;
      if (isAdmitted) this.#perform(job, index);
      else this.#heldCount--;
    } catch (error) {
      this.#settle(index, { job, index, attempts: 0, status: "rejected", error });
    }
  }

  #onSourceFailure(error: unknown): void {
    this.#isPulling = false;
    this.#heldCount--;
    // What is under way is tried on: there is no telling what becomes of the rest, but nothing is wrong with it.
    this.#stopped ??= { error: () => error };
    this.#endSource();
  }

  async #perform(job: J, index: number): Promise<void> {
    const tries = new JobTries(this, job, index);
    this.#inFlight.add(tries);
    const result = await tries.run();
    this.#inFlight.delete(tries);
    if (this.#isClosed) return;
    // What was given up has no result.
    if (result === undefined || (result.status === "rejected" && this.signal.aborted)) this.#heldCount--;
    else this.#settle(index, result);
    this.#deliver();
    this.#fill();
  }

  #settle(index: number, result: Result<J, R>): void {
    this.#outbox.add(index, result);
    if (result.status === "fulfilled") {
      this.wholeCount++;
    } else if (++this.#rejectedCount === this.#options.stopAfter) {
      this.stop(`\`stopAfter: ${this.#rejectedCount}\` was reached`, result.error);
    }
    this.#deliver();
  }

  /** Gives what there is to whoever waits, and the end when nothing comes any more. */
  #deliver(): void {
    if (this.#isSourceEnded && !this.#isPulling && this.#inFlight.size === 0) this.#close();
    while (this.#readers.length > 0) {
      const result = this.#outbox.take();
      if (result === undefined) break;
      this.#heldCount--;
      this.#readers.shift()?.resolve({ done: false, value: result });
    }
    if (!this.#isClosed) return;
    for (const { resolve, reject } of this.#readers.splice(0)) {
      const stopped = this.#stopped;
      this.#stopped = undefined;
      if (stopped) reject(stopped.error());
      else resolve({ done: true, value: undefined });
    }
  }

  // How it ends.

  #endSource(): void {
    this.#isSourceEnded = true;
    this.#source.close();
    this.#deliver();
  }

  /** What is under way comes to its end; nothing is tried again. */
  #stop(error: () => unknown): void {
    // Where there are no more jobs, nothing is stopped but what would be tried again.
    if (!this.#isSourceEnded) this.#stopped ??= { error };
    this.#turns.close();
    this.#endSource();
  }

  /** What is under way is given up. */
  #abort(reason: unknown): void {
    if (this.#isClosed || this.signal.aborted) return;
    this.#stopped = { error: () => reason };
    this.#aborting.abort(reason);
    this.#turns.close();
    for (const tries of this.#inFlight) tries.cancel(reason);
    const forced = setTimeout(() => {
      this.#close();
      this.#deliver();
    }, longestCleaningMs);
    this.#onClosed.push(() => clearTimeout(forced));
    // A source that never gives its next job is not waited for.
    this.#isPulling = false;
    this.#endSource();
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#turns.close();
    this.#outbox.end();
    const { signal, drain } = this.#options;
    signal?.removeEventListener("abort", this);
    drain?.removeEventListener("abort", this);
    for (const hear of this.#onClosed) hear();
  }
}
