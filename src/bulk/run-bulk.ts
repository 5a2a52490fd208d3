import { dirname, isAbsolute, relative, resolve } from "node:path";
import { addCaller } from "../errors/caller-stack.ts";
import { describeKind } from "../errors/value-kinds.ts";
import { ConfigurationError, type PendingPdf } from "../index.ts";
import {
  type BulkProgress,
  type BulkResult,
  type BulkSummary,
  checkBulkOptions,
  defaultGiveUpAfterMs,
  type RunBulkOptions,
} from "./bulk-options.ts";
import { canonicalText } from "./canonical-text.ts";
import { FailureGroups } from "./failure-groups.ts";
import { realPathOf } from "./folder/document-paths.ts";
import { checkJob, type Job, type JobOf, type Jobs, keyTextOf, type Result, type UseContext } from "./job.ts";
import { JobSource } from "./job-source.ts";
import { type Entry, type Journal, openJournal } from "./journal/journal.ts";
import { Run } from "./run.ts";
import { RunStoppedError } from "./run-stopped-error.ts";
import { describeUnwritable } from "./unwritable.ts";

/**
 * Generates a document for every job and stores it, and survives: started again after a crash, it goes on where it was.
 *
 * A job is finished when its document is stored and its line is written to the journal. What is finished is not asked for again,
 * unless its template or values have changed; what was in flight when the process ended is, and takes the place of what it may have left.
 * A `SIGKILL` loses nothing that is finished, and a power cut nothing that was synced: lines are written and synced in groups, at most
 * 20 ms apart, after the documents they speak of.
 *
 * While the service is away, the run pauses, looks at growing intervals whether it is back, and goes on by itself.
 *
 * @param options - see `RunBulkOptions`
 * @returns how many jobs were fulfilled, skipped and rejected, and why
 * @throws {ConfigurationError} (rejects) when an option is unknown or wrong, or `jobs` cannot be gone through
 * @throws {JournalError} (rejects) when the journal is in use, of another run, no journal, or cannot be read or written
 * @throws {SaveError} (rejects) when the folder cannot be written to
 * @throws {RunStoppedError} (rejects) at the end of a run that `stopAfter`, `drain`, a full disk or the service ended before its jobs did,
 * or that gave up after an outage of `giveUpAfter`; its `summary` tells how far it came
 * @throws the reason of `signal` (rejects) when that is aborted
 * @throws what the source of the jobs, the sink's `open` or `onResult` throws (rejects)
 *
 * @example
 * ```ts
 * import { folder, runBulk } from "template-pdf/bulk";
 *
 * const jobs = rows.map((values) => ({ template: "payslip", values }));
 * const summary = await runBulk({
 *   client: pdfs,
 *   jobs,
 *   sink: folder("payslips/{{employee}}.pdf"),
 *   journal: "payslips/run.journal",
 * });
 * console.log(`${summary.fulfilled} made, ${summary.skipped} made before, ${summary.rejected} failed`);
 * ```
 */
export async function runBulk<T extends { [K in keyof T]: object }, J extends JobOf<T, J>>(
  options: RunBulkOptions<T, J>,
): Promise<BulkSummary> {
  checkBulkOptions(options);
  const { sink, journal: path, fresh = false, name = "" } = options;
  const source = new JobSource(options.jobs as Jobs<Job>);
  try {
    await sink.open?.();
    const journal = await openJournal({
      path,
      run: { name, place: placeOf(sink.place, path) },
      fresh,
      beforeLines: async () => sink.sync?.(),
    });
    try {
      sink.begin?.({ id: journal.id, before: journal.idBefore, journal: realPathOf(resolve(path)) });
      return await new BulkRun(options as unknown as RunBulkOptions<T, Job>, source, journal).perform();
    } finally {
      await journal.close();
    }
  } catch (error) {
    throw addCaller(error);
  }
}

/** How the journal knows a place: a folder by where it is seen from the journal, so that both can be moved together. */
function placeOf(place: string | undefined, journal: string): string {
  if (place === undefined || !isAbsolute(place)) return place ?? "";
  return relative(dirname(resolve(journal)), place) || ".";
}

/** How many stored documents may wait for their lines in the journal before the run does. */
const maxUnrecorded = 1024;

/** A run with a journal: passes over what is finished, and records what it finishes. */
class BulkRun<J extends Job> {
  // biome-ignore lint/suspicious/noExplicitAny: the types of jobs were checked where they came in.
  readonly #options: RunBulkOptions<any, J>;
  readonly #journal: Journal;
  readonly #run: Run<J, unknown>;
  readonly #startedAtMs = performance.now();
  /** Jobs that were entered, until their results are known. */
  readonly #entered = new Map<number, Entry>();
  readonly #unrecorded = new Set<Promise<void>>();
  readonly #failures = new FailureGroups();
  readonly #counts = { fulfilled: 0, skipped: 0, rejected: 0, changed: 0 };
  /** What ended the run from within. */
  #broken: { readonly error: unknown } | undefined;

  // biome-ignore lint/suspicious/noExplicitAny: as above.
  constructor(options: RunBulkOptions<any, J>, source: JobSource<J>, journal: Journal) {
    const { client, concurrency, perSecond, retry, stopAfter, skipInvalid, signal, drain } = options;
    const { giveUpAfter = defaultGiveUpAfterMs, onOutage } = options;
    this.#options = options;
    this.#journal = journal;
    this.#run = new Run<J, unknown>(client, source, {
      ...{ concurrency, perSecond, retry, stopAfter, skipInvalid, signal, drain },
      finishedBefore: journal.finishedBefore,
      watch: { giveUpAfterMs: giveUpAfter, onOutage: (outage) => this.#callBack(onOutage, outage) },
      admit: (job, index) => this.#admit(job, index),
      use: (pdf, job, context) => this.#put(pdf, job, context),
    });
  }

  async perform(): Promise<BulkSummary> {
    try {
      const begun: unknown = this.#options.onBegin?.(this.#progress());
      if (begun instanceof Promise) this.#await(begun);
      for await (const result of this.#run) {
        if (result.status === "fulfilled") this.#record(result);
        else this.#onRejected(result);
        if (this.#unrecorded.size >= maxUnrecorded) await this.#settle();
      }
      await this.#settle();
      if (this.#broken) throw this.#broken.error;
      return this.#summaryOf(this.#journal.notEntered);
    } catch (error) {
      // What is stored is recorded, however the run ends.
      await this.#settle();
      const reason = this.#broken ? this.#broken.error : error;
      if (RunStoppedError.is(reason)) Object.assign(reason, { summary: this.#summaryOf(undefined) });
      throw reason;
    }
  }

  #progress(): BulkProgress {
    const run = this.#run;
    const { finishedBefore, damagedLines } = this.#journal;
    return {
      finishedBefore,
      damagedLines,
      get stored() {
        return run.wholeCount;
      },
      get inHand() {
        return run.inHand;
      },
      get perSecond() {
        return run.pace.perSecond;
      },
      get pauseMs() {
        return Math.max(0, run.pace.pausedUntilMs - performance.now());
      },
      get outageMs() {
        return run.watch?.outageMs(performance.now()) ?? 0;
      },
      get nextRequestMs() {
        return Math.max(this.pauseMs, run.watch?.nextRequestMs(performance.now()) ?? 0);
      },
    };
  }

  /** Decides whether a job is to be asked for. */
  #admit(job: J, index: number): boolean | Promise<void> {
    const { sink } = this.#options;
    const { template, values } = checkJob(job, index);
    const key = this.#keyOf(job, index);
    sink.claim?.(key, job, index);
    const uid = typeof template === "string" ? template : template.uid;
    // What cannot be told is never known to be the same.
    const input = canonicalText(uid, values) ?? crypto.randomUUID();
    const entry = this.#journal.enter(key, input, index);
    const { state } = entry;
    if (typeof state === "object") {
      throw new ConfigurationError(
        `Job ${index} has the same key as job ${state.sameKeyAs}, and a key identifies one document. Nothing was sent for it.`,
      );
    }
    if (state === "finished") {
      this.#counts.skipped++;
      this.#tell({ status: "skipped", job, index, key });
      return false;
    }
    this.#entered.set(index, entry);
    if (state === "new") return true;
    this.#counts.changed++;
    // Before it is asked for: from then on, its document may be replaced at any moment.
    return this.#journal.reopen(entry).catch((error) => {
      this.#break(error);
      throw error;
    });
  }

  #keyOf(job: J, index: number): string {
    const { key, sink } = this.#options;
    const given = key === undefined ? sink.keyOf?.(job) : key(job);
    const text = keyTextOf(given);
    if (text !== undefined) return text;
    const what = given === "" ? "empty" : describeKind(given);
    throw new ConfigurationError(
      `The key of job ${index} is ${what}; it has to be a text or a number. Nothing was sent for it.`,
    );
  }

  #put(pdf: PendingPdf, job: J, context: UseContext): Promise<unknown> {
    const { key } = this.#entered.get(context.index) as Entry;
    return this.#options.sink.put(key, pdf, { ...context, job });
  }

  /** Records what was stored. */
  #record(result: Result<J, unknown>): void {
    const entry = this.#entered.get(result.index) as Entry;
    this.#entered.delete(result.index);
    this.#await(
      this.#journal.finish(entry).then(() => {
        this.#counts.fulfilled++;
        this.#tell({ ...result, key: entry.key });
      }),
    );
  }

  #onRejected(result: Result<J, unknown> & { readonly status: "rejected" }): void {
    const key = this.#entered.get(result.index)?.key;
    this.#entered.delete(result.index);
    this.#counts.rejected++;
    this.#failures.add(result.error, result.index);
    const why = describeUnwritable(result.error);
    if (why !== undefined) this.#run.stop(why, result.error);
    this.#tell({ ...result, key });
  }

  #tell(result: BulkResult<J>): void {
    this.#callBack(this.#options.onResult, result);
  }

  #callBack<T>(callback: ((given: T) => void) | undefined, given: T): void {
    try {
      const told: unknown = callback?.(given);
      if (told instanceof Promise) this.#await(told);
    } catch (error) {
      this.#break(error);
    }
  }

  /** Has the run wait for something before it ends, and end with what that rejects with. */
  #await(promise: Promise<unknown>): void {
    const done = promise.catch((error) => this.#break(error)).then(() => void this.#unrecorded.delete(done));
    this.#unrecorded.add(done);
  }

  /** Waits for all that the run has to wait for, also for what that leads to. */
  async #settle(): Promise<void> {
    while (this.#unrecorded.size > 0) await Promise.all(this.#unrecorded);
  }

  /** Ends the run at once: what cannot be recorded must not go on. */
  #break(error: unknown): void {
    this.#broken ??= { error };
    this.#run.return();
  }

  #summaryOf(missing: number | undefined): BulkSummary {
    return {
      ...this.#counts,
      invalid: this.#run.invalidCount,
      missing,
      failures: this.#failures.all,
      durationMs: performance.now() - this.#startedAtMs,
    };
  }
}
