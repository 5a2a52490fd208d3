import type { Job as BullJob, Worker } from "bullmq";
import { defaultGiveUpAfterMs } from "../bulk/bulk-options.ts";
import { FailureGroups, kindOfFailure } from "../bulk/failure-groups.ts";
import type { BulkResult, BulkSummary, Job, Result, UseContext } from "../bulk/index.ts";
import { RunStoppedError } from "../bulk/index.ts";
import { JobSource } from "../bulk/job-source.ts";
import { Run } from "../bulk/run.ts";
import { describeUnwritable } from "../bulk/unwritable.ts";
import { forBulkRuns } from "../call/bulk-attempt.ts";
import { isInstance } from "../errors/foreign-values.ts";
import { AuthenticationError, type PendingPdf, type TemplatePdf } from "../index.ts";
import { resolveRetry } from "../options/retry.ts";
import { makeDisposable } from "../runtime/disposal.ts";
import { Feed } from "./feed.ts";
import { FleetPace } from "./fleet-pace.ts";
import { anotherConnection, disconnect, type OpenQueue } from "./open-queue.ts";
import { QueueError } from "./queue-error.ts";
import type { QueueSettings } from "./queue-options.ts";
import type { JobCodec, QueuedContent, RunReference } from "./queued-job.ts";
import { readJob, unreadable } from "./read-job.ts";
import { RedisWait } from "./redis-wait.ts";
import { mayBeOfRecord, repairRecords } from "./repair-records.ts";
import { SharedTurns } from "./shared-turns.ts";
import { withoutCommand } from "./without-command.ts";
import type { WorkOptions } from "./work-options.ts";
import { interruptionOf, isLockLost, placeError, stoppedBy } from "./worker-errors.ts";

/** The interval at which expired values of failed jobs are deleted. */
const cleanMs = 60_000;

/** The result of a queued job. */
export type QueueResult<J> = BulkResult<J> & {
  /** The run that the job was added to. */
  readonly run: string;
};

/** A job in flight in this worker. */
interface Held {
  readonly content: QueuedContent;
  readonly key: string;
  /** Called with its result, or without one if the run ended first. */
  readonly settle: (result: Result<Job, unknown> | undefined) => void;
}

/**
 * Generates the documents for the jobs in a queue on this machine, until you close the worker. Retries, pace,
 * outage handling and the detection of non-retryable failures work as in `runBulk`.
 */
export class QueueWorker {
  /**
   * Resolves when the worker is closed. Rejects if the worker stops because of an error; its jobs remain in
   * the queue.
   */
  readonly done: Promise<void>;
  readonly #settings: QueueSettings;
  readonly #codec: JobCodec;
  readonly #open: Promise<OpenQueue>;
  // biome-ignore lint/suspicious/noExplicitAny: the types of jobs were checked when they were added.
  readonly #options: WorkOptions<any>;
  readonly #feed = new Feed<Job>();
  readonly #held = new Map<Job, Held>();
  readonly #drain = new AbortController();
  readonly #failures = new FailureGroups();
  readonly #counts = { fulfilled: 0, skipped: 0, rejected: 0 };
  readonly #startedAtMs = performance.now();
  readonly #mayRenderTwice: boolean;
  #isEnding = false;
  #failure: { readonly error: unknown } | undefined;
  readonly #sync: SharedTurns;
  readonly #wait = new RedisWait();

  /** @internal */
  constructor(
    settings: QueueSettings,
    codec: JobCodec,
    open: Promise<OpenQueue>,
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    options: WorkOptions<any>,
    onEnd: () => void,
  ) {
    this.#settings = settings;
    this.#codec = codec;
    this.#open = open;
    this.#options = options;
    const retry = (options.client as Partial<TemplatePdf>)[forBulkRuns]?.retry;
    this.#mayRenderTwice = resolveRetry(options.retry, retry).mayRenderTwice;
    this.#sync = new SharedTurns(async () => options.sink.sync?.());
    makeDisposable(Object.getPrototypeOf(this), (worker: QueueWorker) => worker.close().then(() => {}));
    this.done = this.#work().finally(onEnd);
  }

  /**
   * Stops the worker once the documents in flight are finished. Jobs waiting for a retry return to the queue.
   * The worker then waits at most 10 s for Redis to record the results. If Redis does not record them in
   * time, `close` rejects with a `QueueError`, and other workers generate those documents again.
   *
   * @returns the summary of this worker
   * @throws whatever error {@link done} rejects with
   */
  async close(): Promise<BulkSummary> {
    this.#end();
    await this.done;
    return this.#summary();
  }

  async #work(): Promise<void> {
    const { name, prefix } = this.#settings;
    const { sink, concurrency = 16, perSecond, recoverAfter = 30_000, onError } = this.#options;
    const { bullmq, redis, queue, table } = await this.#open;
    await sink.open?.();
    const connection = anotherConnection(redis);
    const pace = new FleetPace(redis, queue, table.paceKey);
    try {
      await this.#wait.for(pace.open(perSecond));
      const run = this.#startRun(pace);
      const worker = new bullmq.Worker(name, (job, token) => this.#process(job, token as string), {
        ...{ connection, prefix, concurrency },
        ...{ lockDuration: recoverAfter, stalledInterval: Math.ceil(recoverAfter / 2) },
        // BullMQ must not fail jobs whose workers died; see `interruptionOf`.
        maxStalledCount: Number.MAX_SAFE_INTEGER,
      });
      worker.on("error", (error) => {
        this.#callBack(onError, withoutCommand(error));
        if (mayBeOfRecord(error)) void repairRecords(queue, redis).catch(() => {});
      });
      const cleaning = setInterval(() => this.#clean(), cleanMs);
      try {
        await this.#take(run, worker);
      } finally {
        clearInterval(cleaning);
        for (const held of this.#held.values()) held.settle(undefined);
        await this.#wait.for(connection.ping()).catch(() => {});
        // Without force, BullMQ would wait for Redis forever.
        await this.#wait.for(worker.close(this.#wait.isOver)).catch(() => {});
      }
    } finally {
      await this.#wait.for(pace.close()).catch(() => {});
      this.#wait.end();
      disconnect(connection);
    }
    if (this.#failure) throw this.#failure.error;
  }

  #startRun(pace: FleetPace): Run<Job, unknown> {
    const { client, concurrency = 16, retry, signal, onOutage } = this.#options;
    return new Run<Job, unknown>(client, new JobSource(this.#feed), {
      ...{ concurrency, retry, signal },
      drain: this.#drain.signal,
      watch: {
        giveUpAfterMs: this.#options.giveUpAfter ?? defaultGiveUpAfterMs,
        onOutage: (outage) => this.#callBack(onOutage, outage),
      },
      use: (pdf, job, context) => this.#put(pdf, job, context),
      onRefused: (retryAfterMs) => void pace.refused(retryAfterMs).catch(() => {}),
    });
  }

  /** Distributes the results of the run until it ends. */
  async #take(run: Run<Job, unknown>, worker: Worker): Promise<void> {
    try {
      for await (const result of run) this.#held.get(result.job)?.settle(result);
    } catch (error) {
      const isOwn = this.#isEnding && RunStoppedError.is(error);
      if (!isOwn) this.#end(error);
    }
    this.#isEnding = true;
    this.#wait.limit();
    // No more jobs are taken, and jobs in flight return to the queue.
    await worker.pause(true);
  }

  /** Ends the worker, with an error if there is one. */
  #end(error?: unknown): void {
    if (error !== undefined) this.#failure ??= { error };
    this.#isEnding = true;
    this.#drain.abort();
    if (this.#held.size === 0) this.#wait.limit();
  }

  /** Processes one job from the queue. Thrown errors are for BullMQ. An unexpected error ends the worker, not the job. */
  async #process(bullJob: BullJob, token: string): Promise<void> {
    const { bullmq } = await this.#open;
    try {
      await this.#perform(bullJob, token);
    } catch (error) {
      const isForBullMq = [bullmq.WaitingError, bullmq.UnrecoverableError].some((type) =>
        isInstance(error, type),
      );
      if (isForBullMq || isLockLost(error)) throw error;
      this.#end(error);
      await this.#putBack(bullJob, token).catch((failure) => {
        // Without a result, BullMQ leaves the job to other workers.
        if (this.#wait.isOver) return new Promise(() => {});
        throw failure;
      });
    }
  }

  async #perform(bullJob: BullJob, token: string): Promise<void> {
    const { bullmq, table } = await this.#open;
    const { sink } = this.#options;
    if (this.#isEnding) return this.#putBack(bullJob, token);
    const taken = await readJob(this.#codec, bullJob, (id) => this.#insist(() => table.formatOf(id)));
    // Finishing the job deletes its values.
    if (taken === undefined) return;
    const { run, digest } = taken;
    if ("error" in taken) return this.#failUnreadable(taken.error, run, digest);
    const { content, input, isSealed } = taken;
    const { job, index } = content;
    const reject = async (error: unknown, attempts: number, key?: string): Promise<void> => {
      const settled = await this.#insist(() => table.settle(run.id, digest, "rejected"));
      if (settled === "removed") return;
      if (settled === "new") {
        this.#counts.rejected++;
        this.#failures.add(error, index);
        this.#tell({ status: "rejected", job, index, attempts, error, key, run: bullJob.name });
      }
      const { code, message } = kindOfFailure(error);
      // A message may contain values.
      const isStored = !this.#codec.isSealing || QueueError.is(error);
      const kept = isStored ? message : "the error message is not stored in Redis";
      throw new bullmq.UnrecoverableError(`${code}: ${kept}`);
    };
    let place: string | undefined;
    try {
      place = sink.keyOf?.(job);
    } catch (error) {
      return reject(error, 0);
    }
    const key = content.key ?? place ?? digest;
    const placeDigest = place && (await this.#codec.digestOf(run, "place", place, isSealed));
    const format = await this.#codec.formatOf(run, isSealed);
    const beginning = { format, input, place: placeDigest };
    const state = await this.#insist(() => table.beginJob(run.id, digest, beginning));
    if (state === "removed") return;
    if (state === "another format" || state === "other values") {
      const error = unreadable(run, bullJob.id as string, `its run has ${state} for it`);
      return this.#failUnreadable(error, run, digest);
    }
    if (state === "done") {
      this.#counts.skipped++;
      this.#tell({ status: "skipped", job, index, key, run: bullJob.name });
      return;
    }
    if (state === "place is taken") return reject(placeError(index), 0, key);
    const interruption = interruptionOf(bullJob, this.#mayRenderTwice);
    if (interruption) return reject(interruption, 0, key);

    const result = await new Promise<Result<Job, unknown> | undefined>((settle) => {
      // The run may have ended meanwhile, and would not settle the job.
      if (this.#isEnding) return settle(undefined);
      this.#held.set(job, { content, key, settle });
      this.#feed.push(job);
    });
    this.#held.delete(job);
    if (result === undefined) return this.#putBack(bullJob, token);
    if (result.status === "rejected") {
      const { error } = result;
      const isOfWorker = AuthenticationError.is(error) || describeUnwritable(error) !== undefined;
      if (isOfWorker) this.#end(stoppedBy(error));
      if (isOfWorker || this.#isEnding) return this.#putBack(bullJob, token);
      return reject(error, result.attempts, key);
    }
    await this.#sync.next();
    const settled = await this.#insist(() => table.settle(run.id, digest, "done"));
    if (settled === "new") this.#counts.fulfilled++;
    this.#tell({ ...result, index, key, run: bullJob.name });
  }

  /** Fails one job that cannot be read. The worker continues with other jobs. */
  async #failUnreadable(error: QueueError, run: RunReference, digest: string): Promise<never> {
    const { bullmq, table } = await this.#open;
    const settled = await this.#insist(() => table.settle(run.id, digest, "unreadable"));
    if (settled !== "known") {
      this.#counts.rejected++;
      this.#failures.add(error, undefined);
      this.#callBack(this.#options.onError, error);
    }
    throw new bullmq.UnrecoverableError(`${error.code}: ${error.message}`);
  }

  #put(pdf: PendingPdf, job: Job, context: UseContext): Promise<unknown> {
    const { content, key } = this.#held.get(job) as Held;
    return this.#options.sink.put(key, pdf, { ...context, index: content.index, job });
  }

  /** Returns a job to the queue for another worker. */
  async #putBack(bullJob: BullJob, token: string): Promise<never> {
    const { bullmq } = await this.#open;
    await this.#insist(async () => {
      await bullJob.updateProgress({ starts: bullJob.attemptsStarted });
      await bullJob.moveToWait(token);
    });
    throw new bullmq.WaitingError();
  }

  #insist<T>(work: () => Promise<T>): Promise<T> {
    return this.#wait.untilDone(work, (error) => this.#callBack(this.#options.onError, error));
  }

  async #clean(): Promise<void> {
    const { queue } = await this.#open;
    await queue.clean(this.#settings.keepFailedForMs, 10_000, "failed").catch(() => {});
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above.
  #tell(result: QueueResult<any>): void {
    this.#callBack(this.#options.onResult, result);
  }

  #callBack<G>(callback: ((given: G) => unknown) | undefined, given: G): void {
    try {
      const returned = callback?.(given);
      if (returned instanceof Promise) returned.catch((error) => this.#end(error));
    } catch (error) {
      this.#end(error);
    }
  }

  #summary(): BulkSummary {
    return {
      ...this.#counts,
      ...{ invalid: 0, changed: 0, missing: undefined },
      failures: this.#failures.all,
      durationMs: performance.now() - this.#startedAtMs,
    };
  }
}
