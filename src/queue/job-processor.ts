import type { Job as BullJob } from "bullmq";
import { FailureGroups, kindOfFailure } from "../bulk/failure-groups.ts";
import type { FailureGroup } from "../bulk/index.ts";
import { describeLongPause } from "../bulk/service-watch.ts";
import { systematicFailureOf } from "../bulk/systematic-failures.ts";
import { describeUnwritable } from "../bulk/unwritable.ts";
import { forBulkRuns } from "../call/bulk-attempt.ts";
import { isInstance } from "../errors/foreign-values.ts";
import { AuthenticationError, ConfigurationError, type PendingPdf, type TemplatePdf } from "../index.ts";
import { resolveRetry } from "../options/retry.ts";
import { SharedTurns } from "../runtime/shared-turns.ts";
import { Attempt, type AttemptEnd } from "./attempt.ts";
import type { FleetMember } from "./fleet.ts";
import { isOutage } from "./fleet-state.ts";
import { JobStart } from "./job-start.ts";
import type { OpenQueue } from "./open-queue.ts";
import { QueueError } from "./queue-error.ts";
import type { QueueResult } from "./queue-results.ts";
import type { JobCodec, RunReference } from "./queued-job.ts";
import type { RedisWait } from "./redis-wait.ts";
import type { WorkOptions } from "./work-options.ts";
import { isLockLost, stoppedBy } from "./worker-errors.ts";

/** A job is attempted this often without counting, while no other request succeeds. */
const mostDoubts = 8;
const firstUncountedMs = 500;

/** The parts of a worker that process its jobs. */
export interface ProcessorParts {
  readonly open: OpenQueue;
  readonly codec: JobCodec;
  // biome-ignore lint/suspicious/noExplicitAny: the types of jobs were checked when they were added.
  readonly options: WorkOptions<any>;
  readonly wait: RedisWait;
  readonly member: FleetMember;
  readonly events: ProcessorEvents;
}

/** The events that a worker receives from its jobs. */
export interface ProcessorEvents {
  /** Whether the worker is ending, so that no more requests are sent. */
  isEnding(): boolean;
  /** Called with an error that no job of this worker survives. */
  onUseless(error: unknown): void;
  /** Called when the service has responded. */
  onAnswer(): void;
  /** Called when nothing is in flight, except results that wait for Redis. */
  onIdle(): void;
  /** Called with each error of Redis. */
  onError(error: unknown): void;
  /** Calls a callback of the user. */
  callBack<G>(callback: ((given: G) => unknown) | undefined, given: G): void;
}

/**
 * Processes the jobs that BullMQ gives a worker: one attempt each. The result tells BullMQ what to do: a value finishes the job, and
 * errors retry, delay, put back or fail it.
 */
export class JobProcessor {
  readonly counts = { fulfilled: 0, skipped: 0, rejected: 0 };
  readonly #parts: ProcessorParts;
  readonly #mayRenderTwice: boolean;
  readonly #sync: SharedTurns;
  readonly #inFlight = new Set<Attempt>();
  /** The number of requests and documents in flight that do not wait for Redis. */
  #busyCount = 0;
  /** Whether Redis did not record the result of a job in time. */
  hasLostResults = false;
  readonly #failures = new FailureGroups();

  constructor(parts: ProcessorParts) {
    this.#parts = parts;
    const { client, retry, sink } = parts.options;
    const ofClient = (client as Partial<TemplatePdf>)[forBulkRuns]?.retry;
    this.#mayRenderTwice = resolveRetry(retry, ofClient).mayRenderTwice;
    this.#sync = new SharedTurns(async () => sink.sync?.());
  }

  /** Whether nothing is in flight, except results that wait for Redis. */
  get isIdle(): boolean {
    return this.#busyCount === 0;
  }

  get failures(): FailureGroup[] {
    return this.#failures.all;
  }

  /** Cancels the documents in flight. */
  cancel(reason: unknown): void {
    for (const attempt of this.#inFlight) attempt.cancel(reason);
  }

  /** Processes one job from the queue. Thrown errors are for BullMQ. An unexpected error ends the worker, not the job. */
  async process(bullJob: BullJob, token: string): Promise<void> {
    const { bullmq } = this.#parts.open;
    try {
      await this.#perform(bullJob, token);
    } catch (error) {
      const forBullMq = [
        bullmq.WaitingError,
        bullmq.DelayedError,
        bullmq.RateLimitError,
        bullmq.UnrecoverableError,
      ];
      const isForBullMq = isInstance(error, RetryLater) || forBullMq.some((type) => isInstance(error, type));
      // Without a result, BullMQ leaves the job to other workers.
      if (this.#parts.wait.isOver) this.hasLostResults = true;
      if (isForBullMq || isLockLost(error) || this.#parts.wait.isOver) throw error;
      this.#parts.events.onUseless(error);
      return this.#putBack(bullJob, token);
    }
  }

  async #perform(bullJob: BullJob, token: string): Promise<void> {
    const { open, codec, events } = this.#parts;
    const { bullmq, runs, records } = open;
    const { sink, client, retry, signal = neverAborted } = this.#parts.options;
    if (events.isEnding()) return this.#putBack(bullJob, token);
    const insist = <T>(command: () => Promise<T>) => this.#insist(command);
    const start = await JobStart.of(bullJob, { codec, runs, sink, insist });
    const { run, digest, job, index, key, input } = start;
    switch (start.state) {
      case "removed":
        // Finishing the job deletes its values.
        return;
      case "done":
        this.counts.skipped++;
        return this.#tell({ status: "skipped", job, index, key, run: run.name });
      case "paused":
        await insist(() => bullJob.moveToDelayed(records.heldUntilMs, token));
        throw new bullmq.DelayedError();
      case "unreadable":
        return this.#failUnreadable(start.error as QueueError, run, digest);
      case "rejected":
        return this.#reject(start, start.error, bullJob.attemptsStarted - 1);
      case "begun":
    }
    const interruption = start.interruption(this.#mayRenderTwice);
    if (interruption) {
      await insist(() => bullJob.updateProgress({ stalls: bullJob.stalledCounter }));
      return this.#reject(start, interruption, bullJob.attemptsStarted - 1);
    }
    // The worker may have been stopped meanwhile, and would not cancel this attempt.
    if (events.isEnding()) return this.#putBack(bullJob, token);
    const attempt = new Attempt(bullJob.attemptsMade, bullJob.attemptsStarted - 1);
    const context = { index, attempt: bullJob.attemptsStarted, job };
    let isOurs = true;
    this.#inFlight.add(attempt);
    this.#busyCount++;
    const end = await attempt
      .run(client, { job, index }, retry, async (pdf: PendingPdf) => {
        // The document is rendered when its headers arrive.
        await pdf;
        this.#leaveBusy();
        isOurs = await this.#insist(() => runs.mayStore(run.id, digest, input)).finally(
          () => this.#busyCount++,
        );
        if (isOurs) return sink.put(key, pdf, { ...context, signal });
        await pdf.cancel();
        throw new QueueError("The job was removed while its document was generated.");
      })
      .finally(() => {
        this.#inFlight.delete(attempt);
        this.#leaveBusy();
      });
    // The service responded.
    const isAnswered = end?.how === "transient" || (end?.how === "final" && end.isAnswered);
    if (!end || !isOurs || isAnswered) this.#answered(start.epoch);
    if (!isOurs) return;
    if (end) return this.#retryOrReject(end, start, bullJob, token);
    await this.#sync.next();
    const recorded = await this.#insist(() => runs.fulfil(run.id, digest, input));
    if (recorded !== "new") return;
    this.counts.fulfilled++;
    const attempts = bullJob.attemptsStarted;
    this.#tell({ status: "fulfilled", job, index, key, run: run.name, attempts, value: undefined });
  }

  /** Decides what happens to a job after a failed attempt. Always throws, for BullMQ. */
  async #retryOrReject(end: AttemptEnd, start: JobStart, bullJob: BullJob, token: string): Promise<never> {
    const { open, codec, options, member, events } = this.#parts;
    const { bullmq, queue } = open;
    const { error } = end;
    const { epoch } = start;
    const isOfWorker =
      AuthenticationError.is(error) ||
      ConfigurationError.is(error) ||
      describeUnwritable(error) !== undefined;
    if (isOfWorker) events.onUseless(stoppedBy(error));
    if (isOfWorker || options.signal?.aborted) return this.#putBack(bullJob, token);
    const pauseMs = "retryAfterMs" in end ? (end.retryAfterMs ?? 0) : 0;
    const why = describeLongPause(pauseMs);
    if (why !== undefined) {
      events.onUseless(stoppedBy(new QueueError(why, { cause: error })));
      return this.#putBack(bullJob, token);
    }
    if (end.how === "refused") {
      const { retryAfterMs } = end;
      await this.#insist(() => member.report({ epoch, isRefused: true, retryAfterMs }));
      throw new bullmq.RateLimitError();
    }
    if (end.how === "final") return this.#reject(start, error, bullJob.attemptsStarted);
    if (end.how === "transient") return this.#later(bullJob, error, end.delayMs);
    const message = codec.isSealing ? kindOfFailure(error).code : kindOfFailure(error).message;
    const failure = { jobId: bullJob.id as string, how: end.how, message };
    const view = await this.#insist(() => member.report({ epoch, failure }, error));
    if (pauseMs > 0) await this.#insist(() => queue.rateLimit(pauseMs));
    const known = start.doubts;
    const isProven = view.passed > known.passed || view.waiting === 0 || known.count >= mostDoubts;
    if (end.mayRepeat && (isOutage(view.state) || !isProven)) {
      const count = isOutage(view.state) ? known.count : known.count + 1;
      await this.#keep(bullJob, start, view.passed, count);
      const delayMs = Math.max(pauseMs, firstUncountedMs * 2 ** Math.min(count, 5));
      await this.#insist(() => bullJob.moveToDelayed(Date.now() + delayMs, token));
      throw new bullmq.DelayedError();
    }
    if (end.delayMs === undefined) return this.#reject(start, error, bullJob.attemptsStarted);
    await this.#keep(bullJob, start, view.passed, known.count);
    return this.#later(bullJob, error, Math.max(end.delayMs, pauseMs));
  }

  /** Keeps what the next attempt must know. */
  async #keep(bullJob: BullJob, { progress }: JobStart, passed: number, doubts: number): Promise<void> {
    await this.#insist(() => bullJob.updateProgress({ ...progress, passed, doubts }));
  }

  /** BullMQ makes another attempt, which counts. */
  #later(bullJob: BullJob, error: unknown, delayMs: number): never {
    // The worker decides how many attempts there are, not the program that added the job.
    bullJob.opts.attempts = Number.MAX_SAFE_INTEGER;
    const { code, message } = kindOfFailure(error);
    throw new RetryLater(this.#parts.codec.isSealing ? code : `${code}: ${message}`, Math.max(1, delayMs));
  }

  /** Rejects a job. Pauses its run if every other job would fail in the same way. */
  async #reject(start: JobStart, error: unknown, attempts: number): Promise<never> {
    const { open, codec } = this.#parts;
    const { bullmq, runs, control } = open;
    const { run, digest, job, index, key } = start;
    const { kind, enough } = systematicFailureOf(error) ?? {};
    const failure = await codec.encodeFailure(run, digest, start.content, error);
    const found = await this.#insist(() => runs.reject(run.id, digest, failure, kind));
    if (found.recorded === "new") {
      this.counts.rejected++;
      this.#failures.add(error, index);
      this.#tell({ status: "rejected", job, index, attempts, error, key, run: run.name });
    }
    if (enough !== undefined && found.stored === 0 && found.count >= enough) {
      await this.#insist(() =>
        control.hold(run, `no job has succeeded, and ${found.count} failed with ${kind}`),
      );
    }
    // A message may contain values.
    const { code, message } = kindOfFailure(error);
    const isStored = !codec.isSealing || QueueError.is(error);
    throw new bullmq.UnrecoverableError(
      `${code}: ${isStored ? message : "the error message is encrypted; `failures` returns it"}`,
    );
  }

  /** Fails one job that cannot be read. The worker continues with other jobs. */
  async #failUnreadable(error: QueueError, run: RunReference, digest: string): Promise<never> {
    const { open, codec, options, events } = this.#parts;
    const { bullmq, runs } = open;
    const failure = await codec.encodeFailure(run, digest, undefined, error);
    const { recorded } = await this.#insist(() => runs.reject(run.id, digest, failure));
    if (recorded !== "known") {
      this.counts.rejected++;
      this.#failures.add(error, undefined);
      events.callBack(options.onError, error);
    }
    throw new bullmq.UnrecoverableError(`${error.code}: ${error.message}`);
  }

  /** Returns a job to the queue for another worker. */
  async #putBack(bullJob: BullJob, token: string): Promise<never> {
    const { bullmq } = this.#parts.open;
    await this.#insist(() => bullJob.moveToWait(token));
    throw new bullmq.WaitingError();
  }

  /** Records a response of the service. */
  #answered(epoch: number): void {
    this.#parts.member.answered(epoch);
    this.#parts.events.onAnswer();
  }

  #leaveBusy(): void {
    this.#busyCount--;
    if (this.isIdle) this.#parts.events.onIdle();
  }

  #insist<T>(work: () => Promise<T>): Promise<T> {
    const { wait, events } = this.#parts;
    return wait.untilDone(work, events.onError);
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above.
  #tell(result: QueueResult<any>): void {
    this.#parts.events.callBack(this.#parts.options.onResult, result);
  }
}

const neverAborted = new AbortController().signal;

/** Makes BullMQ retry a job after a delay. */
export class RetryLater extends Error {
  readonly delayMs: number;

  constructor(message: string, delayMs: number) {
    super(message);
    this.delayMs = delayMs;
  }

  static delayOf(error: unknown): number {
    return isInstance(error, RetryLater) ? (error as RetryLater).delayMs : 0;
  }
}
