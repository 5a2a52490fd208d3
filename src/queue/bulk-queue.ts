import type { Fitting, JobOf, Jobs } from "../bulk/index.ts";
import { RecentRate } from "../bulk/recent-rate.ts";
import { ConfigurationError } from "../index.ts";
import { isText } from "../options/option-rules.ts";
import { makeDisposable } from "../runtime/disposal.ts";
import { ownOptions } from "../runtime/own-options.ts";
import { Adder } from "./add.ts";
import type { AddOptions, AddSummary } from "./add-options.ts";
import { disconnect, type OpenQueue, openQueue } from "./open-queue.ts";
import { QueueError } from "./queue-error.ts";
import { type BulkQueueOptions, checkQueueOptions, type QueueSettings } from "./queue-options.ts";
import { JobCodec, Objection, type ReadJob, splitId } from "./queued-job.ts";
import { unusableRun } from "./read-job.ts";
import { checkWorkOptions, type WorkOptions } from "./work-options.ts";
import { QueueWorker } from "./worker.ts";

/** The progress of a run. */
export interface QueueProgress {
  /** The name of the run. */
  readonly run: string;
  /** The number of jobs added so far. */
  readonly total: number;
  /** The number of jobs whose documents are stored. */
  readonly fulfilled: number;
  /** The number of failed jobs. */
  readonly rejected: number;
  /** The number of jobs that are waiting for a worker. */
  readonly waiting: number;
  /** The number of jobs that workers are processing. */
  readonly active: number;
  /** The recent rate of finished jobs per second. */
  readonly perSecond: number;
  /** The estimated remaining time in milliseconds; `Infinity` if it is unknown. */
  readonly leftMs: number;
  /**
   * Whether the total is final: no call to `add` is active for the run, and the last call completed. If a
   * process is killed during `add`, the call counts as active for another 30 s.
   */
  readonly isAdded: boolean;
}

/** A failed job. */
export interface QueueFailure {
  /** The ID of the job in BullMQ, which dashboards show. */
  readonly id: string;
  /** The key of the job, if it was added with one and can be read. */
  readonly key: string | undefined;
  /** The index of the job in its call to `add`, starting at 0; `undefined` if the job cannot be read. */
  readonly index: number | undefined;
  /** The `code` of the error, for example `"bad_request"`. */
  readonly code: string;
  /** The message of the error. */
  readonly message: string;
  /** The time of the failure. */
  readonly failedAt: Date;
}

/** A queue for bulk runs on several machines: jobs wait in Redis or Valkey, in a BullMQ queue. Created by `bulkQueue`. */
export class BulkQueue<T extends { [K in keyof T]: object } = Record<string, object>> {
  readonly #settings: QueueSettings;
  readonly #codec: JobCodec;
  readonly #workers = new Set<QueueWorker>();
  #connected: Promise<OpenQueue> | undefined;

  /** @internal */
  constructor(options: BulkQueueOptions) {
    this.#settings = checkQueueOptions(options);
    this.#codec = new JobCodec(this.#settings);
    makeDisposable(Object.getPrototypeOf(this), (queue: BulkQueue) => queue.close());
  }

  /**
   * Adds jobs to a run. Jobs that the run already contains are skipped, so after a crash you can pass the same jobs again.
   * Finished jobs are not generated again.
   *
   * @param run - the name of the run, for example `"2026-11"`
   * @param jobs - any iterable of `{ template, values }`, read in batches. Jobs may have additional
   * properties
   * @param options - see `AddOptions`
   * @returns the numbers of new, existing and invalid jobs; invalid jobs are not added
   * @throws {ConfigurationError} (rejects) if an option is invalid, or bullmq or ioredis is missing
   * @throws {QueueError} (rejects) if Redis is unreachable or full, if the run already has a job with the same key but different
   * values, if the run was added with another `sealKey` or without one, or if the run is removed at the same
   * time
   * @throws any error thrown by the `jobs` iterable (rejects)
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
   * Starts a worker in this process. You can start workers in any number of processes and on any number of
   * machines.
   *
   * @param options - see `WorkOptions`
   * @returns the worker, which runs until you close it. If the worker stops because of an error, its `done`
   * promise rejects. If you do not handle this rejection, Node.js ends the process
   * @throws {ConfigurationError} if an option is unknown or invalid
   *
   * @example
   * ```ts
   * const worker = runs.work({ client: pdfs, sink: folder("/mnt/payslips/{{employee}}.pdf"), concurrency: 16 });
   * process.once("SIGTERM", () => worker.close());
   * await worker.done;
   * ```
   */
  work<J = unknown>(options: WorkOptions<J>): QueueWorker {
    const checked = checkWorkOptions(options);
    const onEnd = () => void this.#workers.delete(worker);
    const worker = new QueueWorker(this.#settings, this.#codec, this.#open(), checked, onEnd);
    this.#workers.add(worker);
    return worker;
  }

  /**
   * Yields the progress of a run at intervals, until its total is final and all of its jobs are finished.
   *
   * @param run - the name of the run
   * @param options - `everyMs` is the interval in milliseconds. Default: 1000
   * @throws {QueueError} if the run does not exist, or Redis cannot be reached
   *
   * @example
   * ```ts
   * for await (const { fulfilled, rejected, total } of runs.progress("2026-11")) console.log(fulfilled, rejected, total);
   * ```
   */
  async *progress(
    run: string,
    options: { readonly everyMs?: number | undefined } = {},
  ): AsyncGenerator<QueueProgress, void, undefined> {
    const { everyMs = 1000 } = ownOptions(options, ["everyMs"]);
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

  /** Returns the names of the runs in this queue, including finished ones. */
  async runs(): Promise<string[]> {
    return (await this.#open()).table.names();
  }

  /**
   * Lists the failed jobs of a run, oldest failure first. A job is no longer listed when its values have been
   * deleted (see `keepFailedFor`).
   *
   * @param run - the name of the run
   * @param options - `limit` is the maximum number of jobs. Default: 1000
   * @throws {QueueError} (rejects) if the run does not exist, or was added with another `sealKey` or without
   * one
   */
  async failures(
    run: string,
    options: { readonly limit?: number | undefined } = {},
  ): Promise<QueueFailure[]> {
    const { limit = 1000 } = ownOptions(options, ["limit"]);
    const id = await this.#idOf(run);
    const failures: QueueFailure[] = [];
    const { queue, table } = await this.#open();
    const reference = { name: run, id };
    const format = await table.formatOf(id);
    const objection = format && (await this.#codec.objectionTo(reference, format));
    if (objection) throw unusableRun(reference, objection);
    for (const jobId of await this.#failedOf(id)) {
      if (failures.length >= limit) break;
      const job = await queue.getJob(jobId);
      if (!job) continue;
      // A job that cannot be read is listed by its ID.
      const read = await this.#codec
        .decode(reference, jobId, job.data)
        .catch((error): ReadJob | undefined => {
          if (!(error instanceof Objection)) throw error;
          return undefined;
        });
      const { key, index } = read?.content ?? {};
      const [, code = "unknown", message = ""] = /^(\w+): (.*)$/s.exec(job.failedReason ?? "") ?? [];
      const failedAt = new Date(job.finishedOn ?? job.timestamp);
      failures.push({ id: jobId, key, index, code, message, failedAt });
    }
    return failures;
  }

  /**
   * Retries the failed jobs of a run.
   *
   * @param run - the name of the run
   * @returns the number of retried jobs. Jobs whose values have been deleted must be added again
   * @throws {QueueError} (rejects) if the run does not exist
   */
  async retry(run: string): Promise<number> {
    const id = await this.#idOf(run);
    const { queue, table } = await this.#open();
    let count = 0;
    for (const jobId of await this.#failedOf(id)) {
      const job = await queue.getJob(jobId);
      if (!job) continue;
      const { digest = "" } = splitId(jobId) ?? {};
      const isNews = (await table.settle(id, digest, "waiting")) === "new";
      try {
        await job.updateProgress({ starts: 0 });
        await job.retry("failed", { resetAttemptsMade: true, resetAttemptsStarted: true });
        count++;
      } catch {
        // Its values are deleted, or it is failing at this moment, so it stays failed.
        if (isNews) await table.settle(id, digest, "rejected");
      }
    }
    return count;
  }

  /**
   * Removes a run with its jobs and their values. Stored documents are kept, and documents in flight may
   * still be stored. If a call to `add` is still active for the run, that call rejects.
   *
   * @param run - the name of the run
   * @throws {QueueError} (rejects) if the run does not exist
   */
  async remove(run: string): Promise<void> {
    const id = await this.#idOf(run);
    const { queue, table } = await this.#open();
    await table.close(id);
    for await (const digests of table.unfinished(id)) {
      // A job that a worker has just taken stays. The worker skips it.
      await Promise.all(digests.map((digest) => queue.remove(`${id}-${digest}`).catch(() => 0)));
    }
    // Done last, so that an interrupted removal can be repeated.
    await table.forget(run, id);
  }

  /**
   * Closes the workers that this queue started, and its connections. Jobs remain in the queue. Once the
   * documents in flight are finished, each worker waits at most 10 s for Redis to record the results. Other
   * workers then regenerate the documents whose results were not recorded.
   */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#workers].map((worker) => worker.close()));
    const connected = await this.#connected?.catch(() => undefined);
    this.#connected = undefined;
    await connected?.queue.close();
    if (connected) disconnect(connected.redis);
  }

  /** Connects on first use, and again after a failure. */
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
    throw this.#noRun(run);
  }

  async #progressOf(run: string): Promise<Omit<QueueProgress, "perSecond" | "leftMs">> {
    const id = await this.#idOf(run);
    const { queue, table } = await this.#open();
    const counts = await table.counts(id);
    if (!counts) throw this.#noRun(run);
    // Read at once: the workers hold only a few jobs each.
    const activeIds = await queue.getRanges(["active"], 0, -1);
    const left = counts.total - counts.fulfilled - counts.rejected;
    const active = Math.min(activeIds.filter((jobId) => jobId.startsWith(`${id}-`)).length, left);
    return { run, ...counts, waiting: left - active, active };
  }

  #noRun(run: string): QueueError {
    const name = JSON.stringify(this.#settings.name);
    return new QueueError(`The ${name} queue has no run ${JSON.stringify(run)}.`);
  }

  /** Returns the ids of the failed jobs of a run, oldest failure first. Pages by offset would skip jobs when others leave. */
  async #failedOf(id: string): Promise<string[]> {
    const { queue, redis } = await this.#open();
    const failedAtMs = new Map<string, number>();
    let cursor = "0";
    do {
      const [next, found] = await redis.zscan(
        queue.toKey("failed"),
        cursor,
        "MATCH",
        `${id}-*`,
        "COUNT",
        1000,
      );
      for (let at = 0; at < found.length; at += 2) failedAtMs.set(found[at] as string, Number(found[at + 1]));
      cursor = next;
    } while (cursor !== "0");
    return [...failedAtMs].sort(([, one], [, other]) => one - other).map(([jobId]) => jobId);
  }
}

/**
 * Creates a queue for bulk runs on several machines. It connects on first use.
 *
 * @param options - see `BulkQueueOptions`
 * @throws {ConfigurationError} if an option is unknown or invalid
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
  if (!isText.test(run)) throw new ConfigurationError('A run needs a name: pass a string such as "2026-11".');
}
