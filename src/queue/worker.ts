import type { Worker } from "bullmq";
import { defaultGiveUpAfterMs } from "../bulk/bulk-options.ts";
import type { BulkSummary } from "../bulk/index.ts";
import { describeLongOutage } from "../bulk/service-watch.ts";
import { describeThrown, isInstance, readForeignText } from "../errors/foreign-values.ts";
import { inSeconds } from "../errors/retry-after.ts";
import { makeDisposable } from "../runtime/disposal.ts";
import { mayBeOfRecord } from "./bullmq-records.ts";
import { FleetMember, type FleetView } from "./fleet.ts";
import { isOutage } from "./fleet-state.ts";
import { JobProcessor, type ProcessorEvents, RetryLater } from "./job-processor.ts";
import { type AnotherConnection, anotherConnection, type OpenQueue } from "./open-queue.ts";
import { QueueError } from "./queue-error.ts";
import type { QueueSettings } from "./queue-options.ts";
import type { JobCodec } from "./queued-job.ts";
import { redisError } from "./redis-error.ts";
import { RedisWait } from "./redis-wait.ts";
import type { WorkOptions } from "./work-options.ts";
import { isLockLost, stoppedBy } from "./worker-errors.ts";

/** The interval at which expired values of failed jobs are deleted. */
const cleanMs = 60_000;
/** A worker begins with this many documents in flight. Each response allows one more, up to its `concurrency`. */
const firstConcurrency = 2;
/** An error of Redis with the same message is reported again after this time. */
const sameErrorMs = 30_000;
const mostMessages = 100;
/** Matches errors of a Redis server that is full, read-only, loading or busy. */
const refusal = /^(?:OOM|READONLY|MISCONF|LOADING|BUSY) /;
const restMs = 1000;

/**
 * Generates the documents for the jobs in a queue on this machine, until you close the worker. BullMQ retries jobs, limits the
 * requests of all workers and recovers the jobs of dead workers.
 */
export class QueueWorker {
  /**
   * Resolves when the worker is closed. Rejects if the worker stops because of an error, which `onError` also
   * receives; its jobs remain in the queue.
   */
  readonly done: Promise<void>;
  readonly #settings: QueueSettings;
  // biome-ignore lint/suspicious/noExplicitAny: the types of jobs were checked when they were added.
  readonly #options: WorkOptions<any>;
  readonly #startedAtMs = performance.now();
  readonly #wait = new RedisWait();
  #processor: JobProcessor | undefined;
  /** Whether and why the worker ends. */
  #ending: { readonly error?: unknown } | undefined;
  #onEnding = () => {};
  /** Redis's time when this worker started. An outage that stopped other workers does not stop this one at once. */
  #startedAtRedisMs: number | undefined;
  /** The messages of reported errors, and when they were reported. */
  readonly #reportedAtMs = new Map<string, number>();

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
    this.#options = options;
    makeDisposable(Object.getPrototypeOf(this), (worker: QueueWorker) => worker.close().then(() => {}));
    this.done = this.#work(open, codec).finally(onEnd);
  }

  /**
   * Stops the worker once the documents in flight are finished. The worker then waits at most 10 s for Redis
   * to record the results. If Redis does not record them in time, `close` rejects with a `QueueError`, and
   * other workers generate those documents again.
   *
   * @returns the summary of this worker
   * @throws whatever error {@link done} rejects with
   */
  async close(): Promise<BulkSummary> {
    this.#end();
    await this.done;
    return this.#summary();
  }

  async #work(opening: Promise<OpenQueue>, codec: JobCodec): Promise<void> {
    const { signal } = this.#options;
    const onAbort = () => {
      this.#end(signal?.reason);
      this.#processor?.cancel(signal?.reason);
    };
    try {
      signal?.addEventListener("abort", onAbort);
      await this.#run(await opening, codec);
    } catch (error) {
      this.#end(redisError(error));
    } finally {
      signal?.removeEventListener("abort", onAbort);
      this.#wait.end();
    }
    if (this.#ending?.error !== undefined) throw this.#ending.error;
    if (this.#processor?.hasLostResults) throw this.#wait.error;
  }

  async #run(open: OpenQueue, codec: JobCodec): Promise<void> {
    const { sink, perSecond, signal } = this.#options;
    const member = new FleetMember(open.fleet, {
      onOutage: (outage) => this.#callBack(this.#options.onOutage, outage),
      onView: (view) => this.#endIfUseless(view),
      onError: (error) => this.#report(error),
    });
    const connection = anotherConnection(open.redis);
    // Otherwise, BullMQ would record the jobs that the limit ends as failed once Redis responds.
    this.#wait.onOver = () => connection.close();
    try {
      signal?.throwIfAborted();
      await sink.open?.();
      await this.#wait.untilDone(
        () => member.open(perSecond),
        (error) => this.#report(error),
      );
      await this.#process(open, codec, member, connection);
    } finally {
      this.#wait.limit();
      await this.#wait.for(member.close()).catch(() => {});
      connection.close();
    }
  }

  /** Processes jobs until the worker ends. */
  async #process(
    open: OpenQueue,
    codec: JobCodec,
    member: FleetMember,
    connection: AnotherConnection,
  ): Promise<void> {
    const { concurrency = 16, recoverAfter = 30_000 } = this.#options;
    const { bullmq, records, queue, prefix, skipVersionCheck } = open;
    const events: ProcessorEvents = {
      isEnding: () => this.#ending !== undefined,
      onUseless: (error) => this.#end(error),
      onAnswer: () => {
        if (worker.concurrency < concurrency) worker.concurrency++;
      },
      onIdle: () => this.#limitWait(),
      onError: (error) => this.#report(error),
      callBack: (callback, given) => this.#callBack(callback, given),
    };
    const parts = { open, codec, options: this.#options, wait: this.#wait, member, events };
    const processor = new JobProcessor(parts);
    this.#processor = processor;
    const worker: Worker = new bullmq.Worker(
      this.#settings.name,
      (job, token) => processor.process(job, token as string),
      {
        ...{ connection: connection.redis, prefix, skipVersionCheck },
        concurrency: Math.min(concurrency, firstConcurrency),
        ...lockTimes(recoverAfter),
        // During a longer pause, delayed jobs are still moved to the waiting ones.
        maximumRateLimitDelay: 1000,
        // Dashboards show finished and failed jobs of the last two weeks.
        metrics: { maxDataPoints: 20_160 },
        // BullMQ must not fail jobs whose workers died; see `JobStart`.
        maxStalledCount: Number.MAX_SAFE_INTEGER,
        settings: {
          backoffStrategy: (_attempts, _type, error) => RetryLater.delayOf(error),
        },
      },
    );
    worker.on("error", (error) => {
      this.#report(error);
      if (refusal.test(readForeignText(error, "message") ?? "")) this.#rest(worker);
      if (mayBeOfRecord(error)) void records.repairActive().catch(() => {});
    });
    const cleaning = setInterval(() => {
      queue.clean(this.#settings.keepFailedForMs, 10_000, "failed").catch(() => {});
    }, cleanMs);
    try {
      await new Promise<void>((resolve) => {
        this.#onEnding = resolve;
        if (this.#ending) resolve();
      });
      // No more jobs are taken.
      await worker.pause(true);
      this.#limitWait();
      connection.wake();
      await worker.close();
    } finally {
      clearInterval(cleaning);
    }
  }

  /** BullMQ would repeat a refused command without a delay. */
  #rest(worker: Worker): void {
    if (worker.isPaused() || this.#ending) return;
    worker.pause(true).catch(() => {});
    setTimeout(() => {
      if (!this.#ending) worker.resume().catch((error) => this.#report(error));
    }, restMs).unref();
  }

  /** Ends the worker, with an error if there is one. */
  #end(error?: unknown): void {
    const isNews = error !== undefined && this.#ending?.error === undefined;
    if (isNews || !this.#ending) this.#ending = error === undefined ? {} : { error };
    this.#onEnding();
    this.#limitWait();
    // Nobody may be waiting for `done`.
    if (isNews && isInstance(error, Error) && !this.#options.signal?.aborted) {
      this.#callBack(this.#options.onError, error as Error);
    }
  }

  /** Limits the time that a closing worker waits for Redis, once nothing else is in flight. */
  #limitWait(): void {
    if (this.#ending && (this.#processor?.isIdle ?? true)) this.#wait.limit();
  }

  /** Ends the worker if the service has been unavailable or has refused everything for too long. */
  #endIfUseless({ state, nowMs }: FleetView): void {
    const { giveUpAfter = defaultGiveUpAfterMs } = this.#options;
    this.#startedAtRedisMs ??= nowMs;
    const seenMs = nowMs - this.#startedAtRedisMs;
    const { failing, refusedSinceMs = nowMs } = state;
    const outageMs = isOutage(state) && failing ? nowMs - failing.sinceMs : undefined;
    if (outageMs !== undefined && Math.min(outageMs, seenMs) >= giveUpAfter) {
      const why = describeLongOutage(outageMs, new QueueError(failing?.message ?? ""));
      this.#end(stoppedBy(new QueueError(why)));
    } else if (refusedSinceMs < nowMs && Math.min(nowMs - refusedSinceMs, seenMs) >= giveUpAfter) {
      const why = `the service has refused all requests with 429 for ${inSeconds(nowMs - refusedSinceMs)}`;
      this.#end(stoppedBy(new QueueError(why)));
    }
  }

  /** Reports an error of Redis, but not the same one again and again: every command fails while Redis is unavailable. */
  #report(caught: unknown): void {
    // Another worker has the job, or this worker no longer waits for Redis.
    if (isLockLost(caught) || this.#wait.isOver) return;
    const error = redisError(caught);
    const message = describeThrown(error);
    const nowMs = performance.now();
    const atMs = this.#reportedAtMs.get(message);
    if (atMs !== undefined && nowMs - atMs < sameErrorMs) return;
    // Some messages name a job.
    if (this.#reportedAtMs.size >= mostMessages) this.#reportedAtMs.clear();
    this.#reportedAtMs.set(message, nowMs);
    this.#callBack(this.#options.onError, error as Error);
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
      ...(this.#processor?.counts ?? { fulfilled: 0, skipped: 0, rejected: 0 }),
      ...{ invalid: 0, changed: 0, missing: undefined },
      failures: this.#processor?.failures ?? [],
      durationMs: performance.now() - this.#startedAtMs,
    };
  }
}

/**
 * Returns when the lock of a job expires, and how often expired locks are looked for. BullMQ takes over a job at the second look
 * after its worker died, or at the first look after its lock expired, whichever is later.
 */
function lockTimes(recoverAfterMs: number) {
  return { lockDuration: recoverAfterMs * 0.8, stalledInterval: recoverAfterMs / 10 };
}
