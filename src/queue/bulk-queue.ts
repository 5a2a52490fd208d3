import type { Fitting, JobOf, Jobs } from "../bulk/index.ts";
import { RecentRate } from "../bulk/recent-rate.ts";
import { ConfigurationError } from "../index.ts";
import { isText } from "../options/option-rules.ts";
import { makeDisposable } from "../runtime/disposal.ts";
import { Adder } from "./add.ts";
import type { AddOptions, AddSummary } from "./add-options.ts";
import { type OpenQueue, openQueue } from "./open-queue.ts";
import { QueueError } from "./queue-error.ts";
import { type BulkQueueOptions, checkQueueOptions, type QueueSettings } from "./queue-options.ts";
import { JobCodec, splitId } from "./queued-job.ts";
import { checkWorkOptions, type WorkOptions } from "./work-options.ts";
import { QueueWorker } from "./worker.ts";

/** How a run stands. */
export interface QueueProgress {
  /** The name of the run. */
  readonly run: string;
  /** Jobs that were added until now. */
  readonly total: number;
  /** Jobs whose documents are stored. */
  readonly fulfilled: number;
  /** Jobs that failed for good. */
  readonly rejected: number;
  /** Jobs that wait for a worker. */
  readonly waiting: number;
  /** Jobs that a worker has. */
  readonly active: number;
  /** How many jobs came to their end a second, lately. */
  readonly perSecond: number;
  /** How long the rest takes at that rate, in milliseconds; `Infinity` while that is not known. */
  readonly leftMs: number;
  /** Whether an `add` of the run has come to its end: the total is final then. */
  readonly isAdded: boolean;
}

/** A job that failed for good. */
export interface QueueFailure {
  /** The job's key, if it was added with one. */
  readonly key: string | undefined;
  /** The job's place among the jobs of its `add`, from 0. */
  readonly index: number;
  /** The error's `code`, such as `"bad_request"`. */
  readonly code: string;
  /** What the error said. */
  readonly message: string;
  /** When it failed. */
  readonly failedAt: Date;
}

/** How many ids are read from Redis at once. */
const pageSize = 1000;

/** Runs over many documents on many machines: jobs wait in Redis or Valkey, in a queue of BullMQ. Created by `bulkQueue`. */
export class BulkQueue<T extends { [K in keyof T]: object } = Record<string, object>> {
  readonly #settings: QueueSettings;
  readonly #codec: JobCodec;
  readonly #workers = new Set<QueueWorker>();
  #connected: Promise<OpenQueue> | undefined;

  /** @internal */
  constructor(options: BulkQueueOptions) {
    this.#settings = checkQueueOptions(options);
    this.#codec = new JobCodec(options.sealKey);
    makeDisposable(Object.getPrototypeOf(this), (queue: BulkQueue) => queue.close());
  }

  /**
   * Adds jobs to a run. Adding again adds only what is missing: after a crash, pass the same jobs again. Finished jobs are not
   * generated again.
   *
   * @param run - the name of the run, such as `"2026-11"`
   * @param jobs - any iterable of `{ template, values }`, with properties of your own if you like; it is read in batches
   * @param options - see `AddOptions`
   * @returns how many jobs are new, known and invalid; invalid ones are not added
   * @throws {ConfigurationError} (rejects) if an option is wrong, or bullmq or ioredis is missing
   * @throws {QueueError} (rejects) if Redis cannot be reached or is full, or the run has a job of the same key with other values
   * @throws what the source of the jobs throws (rejects)
   *
   * @example
   * ```ts
   * const { added, known } = await runs.add("2026-11", rows.map((values) => ({ template: "payslip", values })));
   * ```
   */
  async add<J extends JobOf<T, J>>(
    run: string,
    jobs: Jobs<J & Fitting<J>>,
    options: AddOptions<J> = {},
  ): Promise<AddSummary> {
    checkRun(run);
    const adder = new Adder(await this.#open(), this.#codec, options);
    return adder.add(run, jobs as never);
  }

  /**
   * Starts a worker in this process. Start one on each machine, in as many processes as you like.
   *
   * @param options - see `WorkOptions`
   * @returns the worker, which is at work until it is closed. Await its `done` to hear why it stopped by itself.
   * @throws {ConfigurationError} if an option is unknown or wrong
   *
   * @example
   * ```ts
   * const worker = runs.work({ client: pdfs, sink: folder("/mnt/payslips/{{employee}}.pdf"), concurrency: 16 });
   * process.once("SIGTERM", () => worker.close());
   * await worker.done;
   * ```
   */
  work<J = unknown>(options: WorkOptions<J>): QueueWorker {
    checkWorkOptions(options);
    const worker = new QueueWorker(this.#settings, this.#codec, this.#open(), options);
    this.#workers.add(worker);
    const forget = () => void this.#workers.delete(worker);
    worker.done.then(forget, forget);
    return worker;
  }

  /**
   * Reports how a run stands, again and again until all of its jobs have come to their end.
   *
   * @param run - the name of the run
   * @param options - `everyMs`: how often, in milliseconds; default: 1000
   * @throws {QueueError} if there is no run of that name, or Redis cannot be reached
   *
   * @example
   * ```ts
   * for await (const { fulfilled, rejected, total } of runs.progress("2026-11")) console.log(fulfilled, rejected, total);
   * ```
   */
  async *progress(run: string, { everyMs = 1000 } = {}): AsyncGenerator<QueueProgress, void, undefined> {
    let rate: RecentRate | undefined;
    for (;;) {
      const progress = await this.#progressOf(run);
      const ended = progress.fulfilled + progress.rejected;
      const nowMs = performance.now();
      rate ??= new RecentRate(nowMs, ended);
      const perSecond = rate.at(nowMs, ended);
      const left = progress.total - ended;
      yield { ...progress, perSecond, leftMs: left === 0 ? 0 : (left * 1000) / perSecond };
      if (left === 0 && progress.isAdded) return;
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }

  /** The names of the runs of this queue, also of those that are finished. */
  async runs(): Promise<string[]> {
    return (await this.#open()).table.names();
  }

  /**
   * Lists the jobs of a run that failed for good, and whose values are still there.
   *
   * @param run - the name of the run
   * @param options - `limit`: how many at most; default: 1000
   * @throws {QueueError} (rejects) if there is no run of that name
   */
  async failures(run: string, { limit = pageSize } = {}): Promise<QueueFailure[]> {
    const id = await this.#idOf(run);
    const failures: QueueFailure[] = [];
    for await (const jobId of this.#idsOf(id, "failed")) {
      if (failures.length >= limit) break;
      const { queue } = await this.#open();
      const job = await queue.getJob(jobId);
      if (!job) continue;
      const { key, index } = await this.#codec.decode(jobId, job.data);
      const [, code = "unknown", message = ""] = /^(\w+): (.*)$/s.exec(job.failedReason ?? "") ?? [];
      failures.push({ key, index, code, message, failedAt: new Date(job.finishedOn ?? job.timestamp) });
    }
    return failures;
  }

  /**
   * Has the failed jobs of a run generated again.
   *
   * @param run - the name of the run
   * @returns how many; jobs whose values were deleted meanwhile have to be added again
   * @throws {QueueError} (rejects) if there is no run of that name
   */
  async retry(run: string): Promise<number> {
    const id = await this.#idOf(run);
    const { queue, table } = await this.#open();
    let count = 0;
    const jobIds: string[] = [];
    for await (const jobId of this.#idsOf(id, "failed")) jobIds.push(jobId);
    for (const jobId of jobIds) {
      const job = await queue.getJob(jobId);
      if (!job) continue;
      const digest = splitId(jobId)[1];
      const isNews = await table.settle(id, digest, "waiting");
      try {
        await job.updateProgress({ starts: 0 });
        await job.retry("failed", { resetAttemptsMade: true, resetAttemptsStarted: true });
        count++;
      } catch {
        // Its values were deleted meanwhile, or it is failing at this moment: it stays failed.
        if (isNews) await table.settle(id, digest, "rejected");
      }
    }
    return count;
  }

  /**
   * Removes a run with all of its jobs and their values. Documents that are stored stay. A document in flight may still be stored.
   *
   * @param run - the name of the run
   * @throws {QueueError} (rejects) if there is no run of that name
   */
  async remove(run: string): Promise<void> {
    const id = await this.#idOf(run);
    const { queue, table } = await this.#open();
    // First, so that workers pass over its jobs.
    await table.clear(id);
    for (const state of ["wait", "delayed", "failed"] as const) {
      const jobIds: string[] = [];
      for await (const jobId of this.#idsOf(id, state)) jobIds.push(jobId);
      for (let at = 0; at < jobIds.length; at += pageSize) {
        // One that a worker has just taken stays; the worker passes over it.
        await Promise.all(jobIds.slice(at, at + pageSize).map((jobId) => queue.remove(jobId).catch(() => 0)));
      }
    }
    // Last, so that a removal that was interrupted can be repeated.
    await table.forget(run, id);
  }

  /** Closes the workers that this queue started in this process, and its connections. Jobs stay in the queue. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#workers].map((worker) => worker.close()));
    const connected = await this.#connected?.catch(() => undefined);
    this.#connected = undefined;
    await connected?.queue.close();
    connected?.redis.disconnect();
  }

  /** Connects at the first use. After a failure, the next use connects again. */
  #open(): Promise<OpenQueue> {
    this.#connected ??= openQueue(this.#settings).catch((error) => {
      this.#connected = undefined;
      throw error;
    });
    return this.#connected;
  }

  async #idOf(run: string): Promise<string> {
    checkRun(run);
    const id = await (await this.#open()).table.idOf(run);
    if (id !== undefined) return id;
    throw new QueueError(
      `The queue ${JSON.stringify(this.#settings.name)} has no run ${JSON.stringify(run)}.`,
    );
  }

  async #progressOf(run: string): Promise<Omit<QueueProgress, "perSecond" | "leftMs">> {
    const id = await this.#idOf(run);
    const counts = await (await this.#open()).table.counts(id);
    let active = 0;
    for await (const _ of this.#idsOf(id, "active")) active++;
    const left = counts.total - counts.fulfilled - counts.rejected;
    active = Math.min(active, left);
    return { run, ...counts, waiting: left - active, active };
  }

  /** The ids of the jobs of a run that are in a state. */
  async *#idsOf(
    id: string,
    state: "wait" | "delayed" | "failed" | "active",
  ): AsyncGenerator<string, void, undefined> {
    const { queue } = await this.#open();
    for (let start = 0; ; start += pageSize) {
      const jobIds = await queue.getRanges([state], start, start + pageSize - 1, true);
      yield* jobIds.filter((jobId) => jobId.startsWith(`${id}-`));
      if (jobIds.length < pageSize) return;
    }
  }
}

/**
 * Opens a queue for bulk runs on many machines. It connects at the first use.
 *
 * @param options - see `BulkQueueOptions`
 * @throws {ConfigurationError} if an option is unknown or wrong
 *
 * @example
 * ```ts
 * import { folder } from "template-pdf/bulk";
 * import { bulkQueue } from "template-pdf/queue";
 *
 * const runs = bulkQueue({ connection: process.env.REDIS_URL, name: "payslips" });
 * await runs.add("2026-11", rows.map((values) => ({ template: "payslip", values })));
 * const worker = runs.work({ client: pdfs, sink: folder("/mnt/payslips/{{employee}}.pdf") });
 * for await (const { fulfilled, total } of runs.progress("2026-11")) console.log(`${fulfilled} of ${total}`);
 * await runs.close();
 * ```
 */
export function bulkQueue<T extends { [K in keyof T]: object } = Record<string, object>>(
  options: BulkQueueOptions,
): BulkQueue<T> {
  return new BulkQueue<T>(options);
}

function checkRun(run: string): void {
  if (!isText.test(run))
    throw new ConfigurationError('A run needs a name: give it a text, such as "2026-11".');
}
