import type { Fitting, JobOf, Jobs } from "../bulk/index.ts";
import { ConfigurationError } from "../index.ts";
import { isText } from "../options/option-rules.ts";
import { makeDisposable } from "../runtime/disposal.ts";
import { ownOptions } from "../runtime/own-options.ts";
import { untilAborted } from "../runtime/until-aborted.ts";
import { Adder } from "./add.ts";
import { type AddOptions, type AddSummary, checkAddOptions } from "./add-options.ts";
import { disconnect, type OpenQueue, openQueue } from "./open-queue.ts";
import { ProgressReader } from "./progress.ts";
import { QueueError } from "./queue-error.ts";
import { type BulkQueueOptions, checkQueueOptions, type QueueSettings } from "./queue-options.ts";
import type { QueueFailure, QueueProgress, Repair } from "./queue-results.ts";
import { JobCodec, jobIdOf, type RunReference } from "./queued-job.ts";
import { unusableRun } from "./read-job.ts";
import { redisError } from "./redis-error.ts";
import { checkWorkOptions, type WorkOptions } from "./work-options.ts";
import { QueueWorker } from "./worker.ts";

const closingMs = 1000;

/** A queue for bulk runs on several machines: jobs wait in Redis or Valkey, in a BullMQ queue. Created by `bulkQueue`. */
export class BulkQueue<T extends { [K in keyof T]: object } = Record<string, object>> {
  readonly #settings: QueueSettings;
  readonly #codec: JobCodec;
  readonly #workers = new Set<QueueWorker>();
  /** The calls to `add` in progress. */
  readonly #adding = new Set<{ readonly run: string }>();
  #connected: Promise<OpenQueue> | undefined;
  #isClosed = false;

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
   * @returns the numbers of jobs that were queued, that needed nothing and that are invalid
   * @throws {ConfigurationError} (rejects) if an option is invalid, or bullmq or ioredis is missing
   * @throws {QueueError} (rejects) if Redis is unreachable or full, if the run already has a job with the same key but different
   * values (all other jobs are added first), if the run was cancelled, if it was added with another `sealKey` or
   * without one, or if it is removed at the same time
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
    const checked = checkAddOptions(options as AddOptions<unknown>);
    const adding = { run };
    this.#adding.add(adding);
    try {
      const open = await untilAborted(this.#open(), checked.signal);
      return await new Adder(open, this.#codec, checked).add(run, jobs as never);
    } finally {
      this.#adding.delete(adding);
    }
  }

  /**
   * Starts a worker in this process. You can start workers in any number of processes and on any number of
   * machines.
   *
   * @param options - see `WorkOptions`
   * @returns the worker, which runs until you close it. If the worker stops because of an error, its `done`
   * promise rejects. If you do not handle this rejection, Node.js ends the process
   * @throws {ConfigurationError} if an option is unknown or invalid, or the queue is closed
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
    this.#checkOpen();
    const onEnd = () => void this.#workers.delete(worker);
    const worker = new QueueWorker(this.#settings, this.#codec, this.#open(), checked, onEnd);
    this.#workers.add(worker);
    return worker;
  }

  /**
   * Yields the progress of a run at intervals, until no job is left and no call to `add` is in progress. If
   * nothing changes for 5 s although jobs are waiting, the run is repaired as by `repair`.
   *
   * @param run - the name of the run
   * @param options - `everyMs` is the interval in milliseconds. Default: 1000
   * @throws {QueueError} if the run does not exist or is removed, or Redis cannot be reached
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
    const reference = await this.#referenceTo(run);
    const reader = new ProgressReader(await this.#open(), reference, () => this.#repair(reference));
    for (;;) {
      const found = await reader.read().catch((error) => {
        throw redisError(error);
      });
      if (!found) throw this.#noRun(run);
      yield found.progress;
      if (found.isOver) return;
      await new Promise((resolve) => setTimeout(resolve, everyMs));
      this.#checkOpen();
    }
  }

  /** Returns the names of the runs in this queue, including finished ones. */
  async runs(): Promise<string[]> {
    return (await this.#open()).runs.names();
  }

  /**
   * Lists the failed jobs of a run, oldest failure first. Failures remain after the values of their jobs have
   * been deleted (see `keepFailedFor`), until the run is removed.
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
    return this.#act(run, async ({ runs }, reference) => {
      const format = await runs.formatOf(reference.id);
      const objection = format && this.#codec.objectionTo(reference, format);
      if (objection) throw unusableRun(reference, objection);
      const failures: QueueFailure[] = [];
      for await (const found of runs.failures(reference.id)) {
        for (const [digest, failure] of found) {
          const { atMs, ...known } = await this.#codec.decodeFailure(reference, digest, failure);
          failures.push({ id: jobIdOf(reference.id, digest), ...known, failedAt: new Date(atMs) });
        }
      }
      return failures.sort((one, other) => Number(one.failedAt) - Number(other.failedAt)).slice(0, limit);
    });
  }

  /**
   * Retries the failed jobs of a run, with all attempts again.
   *
   * @param run - the name of the run
   * @returns the number of retried jobs. Jobs whose values have been deleted must be added again
   * @throws {QueueError} (rejects) if the run does not exist or was cancelled
   */
  async retry(run: string): Promise<number> {
    return this.#act(run, ({ control }, reference) => control.retry(reference));
  }

  /**
   * Pauses a run until `resume` is called. Its documents in flight are finished, and other runs continue.
   *
   * @param run - the name of the run
   * @throws {QueueError} (rejects) if the run does not exist
   */
  async pause(run: string): Promise<void> {
    await this.#act(run, ({ control }, reference) => control.pause(reference));
  }

  /**
   * Resumes a paused or cancelled run. Workers also pause a run, if none of its jobs has succeeded and five
   * failed with 403 or 404, or twenty with 422. Jobs that were cancelled must be added again.
   *
   * @param run - the name of the run
   * @throws {QueueError} (rejects) if the run does not exist
   */
  async resume(run: string): Promise<void> {
    await this.#act(run, ({ control }, reference) => control.resume(reference));
  }

  /**
   * Cancels a run: deletes its unfinished jobs and their values. Its counts and failures remain, and `add`
   * rejects jobs for it. Documents in flight are finished.
   *
   * @param run - the name of the run
   * @throws {QueueError} (rejects) if the run does not exist
   */
  async cancel(run: string): Promise<void> {
    await this.#act(run, ({ control }, reference) => control.cancel(reference));
  }

  /**
   * Repairs a run after Redis lost data, for example in a power failure, or after jobs were deleted in a
   * dashboard. Jobs in none of BullMQ's lists are queued again. Jobs whose values are gone fail; add them again.
   *
   * @param run - the name of the run
   * @returns the number of queued and of deleted jobs
   * @throws {QueueError} (rejects) if the run does not exist
   */
  async repair(run: string): Promise<Repair> {
    return this.#act(run, (_open, reference) => this.#repair(reference));
  }

  /**
   * Removes a run with its jobs and their values. Stored documents are kept. Waits up to 30 s for workers that
   * are storing a document. If a call to `add` is still active for the run, that call rejects.
   *
   * @param run - the name of the run
   * @throws {QueueError} (rejects) if the run does not exist
   */
  async remove(run: string): Promise<void> {
    await this.#act(run, ({ control }, reference) => control.remove(reference));
  }

  /**
   * Closes the workers that this queue started, and its connections. Jobs remain in the queue. Once the
   * documents in flight are finished, each worker waits at most 10 s for Redis to record the results. Every later
   * call of a method throws a `ConfigurationError`.
   *
   * @throws {QueueError} (rejects) if results were not recorded. Other workers generate those documents again
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    const ends = await Promise.allSettled([...this.#workers].map((worker) => worker.close()));
    const connected = await this.#connected?.catch(() => undefined);
    if (connected) {
      // BullMQ waits for a connection, which ends here in any case.
      const closed = connected.queue.close().catch(() => {});
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, closingMs).unref())]);
      disconnect(connected.redis);
    }
    const errors = ends.map((end) => (end.status === "rejected" ? end.reason : undefined));
    const lost = errors.find((error) => QueueError.is(error));
    if (lost) throw lost;
  }

  /** Connects on first use, and again after a failure. */
  async #open(): Promise<OpenQueue> {
    this.#checkOpen();
    this.#connected ??= openQueue(this.#settings, this.#codec).catch((error) => {
      this.#connected = undefined;
      throw error;
    });
    return this.#connected;
  }

  /** @throws {ConfigurationError} if the queue is closed: a new connection would keep the process alive */
  #checkOpen(): void {
    if (this.#isClosed) throw new ConfigurationError("This queue is closed. Create another one.");
  }

  /** Acts on an existing run. */
  async #act<T>(run: string, action: (open: OpenQueue, reference: RunReference) => Promise<T>): Promise<T> {
    try {
      const reference = await this.#referenceTo(run);
      return await action(await this.#open(), reference);
    } catch (error) {
      throw redisError(error);
    }
  }

  async #repair(reference: RunReference): Promise<Repair> {
    const failureOf = (digest: string) =>
      this.#codec.encodeFailure(reference, digest, undefined, deletedJob());
    return (await this.#open()).control.repair(reference, failureOf);
  }

  async #referenceTo(run: string): Promise<RunReference> {
    checkRun(run);
    const { runs } = await this.#open();
    for (;;) {
      const id = await runs.idOf(run);
      if (id !== undefined) return { name: run, id };
      // It may be about to create the run.
      if (![...this.#adding].some((adding) => adding.run === run)) throw this.#noRun(run);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  #noRun(run: string): QueueError {
    const name = JSON.stringify(this.#settings.name);
    return new QueueError(`The ${name} queue has no run ${JSON.stringify(run)}.`);
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

function deletedJob(): QueueError {
  return new QueueError("The job was deleted from Redis. Add it again.");
}

function checkRun(run: string): void {
  if (!isText.test(run)) throw new ConfigurationError('A run needs a name: pass a string such as "2026-11".');
}
