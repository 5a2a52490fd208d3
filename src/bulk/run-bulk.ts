import { dirname, isAbsolute, relative, resolve } from "node:path";
import { addCaller } from "../errors/caller-stack.ts";
import { callSafely } from "../errors/foreign-values.ts";
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
 * Generates and stores a document for every job. After a crash, start the run again: it continues where it
 * stopped.
 *
 * A job is finished when its document is stored and its line is written to the journal. Finished jobs are
 * skipped, unless their template or values have changed. Jobs that were in flight when the process ended are
 * generated again, and the new documents replace the old ones.
 *
 * Finished jobs survive a `SIGKILL`. They also survive a power cut once they are synced to disk. The run
 * syncs finished jobs in groups, at most 20 ms apart: the documents first, then their journal lines.
 *
 * During a service outage, the run sends one request at a time, at increasing intervals, and resumes when the service is
 * available again.
 *
 * @param options - see `RunBulkOptions`
 * @returns the numbers of fulfilled, skipped and rejected jobs, and the failures
 * @throws {ConfigurationError} (rejects) if an option is unknown or invalid, or `jobs` is not iterable
 * @throws {JournalError} (rejects) if the journal is in use, belongs to another run, is not a journal, or cannot be read or
 * written
 * @throws {SaveError} (rejects) if the folder is not writable
 * @throws {RunStoppedError} (rejects) if `stopAfter`, `drain`, a full disk, a permanent failure, or an outage longer than
 * `giveUpAfter` ended the run early; its `summary` contains the counts
 * @throws the abort reason (rejects) when `signal` is aborted
 * @throws any error thrown by the `jobs` iterable, the sink's `open`, or `onResult` (rejects)
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
 * console.log(`${summary.fulfilled} generated, ${summary.skipped} generated earlier, ${summary.rejected} failed`);
 * ```
 */
export async function runBulk<T extends { [K in keyof T]: object }, J extends JobOf<T, J>>(
  options: RunBulkOptions<T, J>,
): Promise<BulkSummary> {
  const checked = checkBulkOptions(options);
  const { sink, journal: path, fresh = false, name = "" } = checked;
  const source = new JobSource(checked.jobs as Jobs<Job>);
  try {
    await sink.open?.();
    const journal = await openJournal({
      path,
      run: { name, place: placeOf(sink.place, path) },
      fresh,
      beforeLines: async () => sink.sync?.(),
    });
    try {
      await sink.begin?.({ id: journal.id, before: journal.idBefore, journal: realPathOf(resolve(path)) });
      return await new BulkRun(checked as unknown as RunBulkOptions<T, Job>, source, journal).perform();
    } finally {
      await journal.close();
    }
  } catch (error) {
    throw addCaller(error);
  }
}

/**
 * Describes the storage location for the journal. A folder is stored relative to the journal, so that you can move both together.
 */
function placeOf(place: string | undefined, journal: string): string {
  if (place === undefined || !isAbsolute(place)) return place ?? "";
  return relative(dirname(resolve(journal)), place) || ".";
}

/** The maximum number of stored documents whose lines are not written yet. After that, the run waits. */
const maxUnrecorded = 1024;

/** A run with a journal: skips finished jobs, and records jobs that it finishes. */
class BulkRun<J extends Job> {
  // biome-ignore lint/suspicious/noExplicitAny: the job types have already been checked.
  readonly #options: RunBulkOptions<any, J>;
  readonly #journal: Journal;
  readonly #run: Run<J, unknown>;
  readonly #startedAtMs = performance.now();
  /** Jobs in the journal whose results are not known yet. */
  readonly #entered = new Map<number, Entry>();
  readonly #unrecorded = new Set<Promise<void>>();
  readonly #failures = new FailureGroups();
  readonly #counts = { fulfilled: 0, skipped: 0, rejected: 0, changed: 0 };
  /** The internal error that ended the run. */
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
      // Stored documents are recorded, however the run ends.
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

  /** Decides whether to generate a job. */
  #admit(job: J, index: number): boolean | Promise<void> {
    const { sink } = this.#options;
    const { template, values } = checkJob(job, index);
    const key = this.#keyOf(job, index);
    const claimed: unknown = sink.claim?.(key, job, index);
    callSafely(() => claimed);
    const uid = typeof template === "string" ? template : template.uid;
    // An input without a canonical form counts as changed.
    const input = canonicalText(uid, values) ?? crypto.randomUUID();
    const entry = this.#journal.enter(key, input, index);
    const { state } = entry;
    if (typeof state === "object") {
      throw new ConfigurationError(
        `Job ${index} has the same key as job ${state.sameKeyAs}. Give each job a unique key; no request was sent for this job.`,
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
    // Done before the request, because the document may be replaced at any time from then on.
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
    // The promise of an asynchronous function may reject.
    callSafely(() => given);
    const what = given === "" ? "empty" : describeKind(given);
    throw new ConfigurationError(
      `The key of job ${index} is ${what}. Return a string or a number; no request was sent for this job.`,
    );
  }

  #put(pdf: PendingPdf, job: J, context: UseContext): Promise<unknown> {
    const { key } = this.#entered.get(context.index) as Entry;
    return this.#options.sink.put(key, pdf, { ...context, job });
  }

  /** Records a stored document. */
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

  /** Makes the run wait for a promise before it ends. A rejection ends the run. */
  #await(promise: Promise<unknown>): void {
    const done = promise.catch((error) => this.#break(error)).then(() => void this.#unrecorded.delete(done));
    this.#unrecorded.add(done);
  }

  /** Waits for all such promises, including those that are added meanwhile. */
  async #settle(): Promise<void> {
    while (this.#unrecorded.size > 0) await Promise.all(this.#unrecorded);
  }

  /** Ends the run immediately, because further results could not be recorded. */
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
