import { RecentRate } from "../bulk/recent-rate.ts";
import { limitOf } from "./fleet.ts";
import { isOutage } from "./fleet-state.ts";
import type { OpenQueue } from "./open-queue.ts";
import type { RunReference } from "./queued-job.ts";
import type { RunCounts } from "./run-records.ts";

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
  /** The number of jobs that were cancelled with the run. */
  readonly cancelled: number;
  /** The number of jobs that are waiting for a worker. */
  readonly waiting: number;
  /** The number of jobs that workers are processing. */
  readonly active: number;
  /** The recent rate of finished jobs per second. */
  readonly perSecond: number;
  /**
   * The estimated remaining time in milliseconds; `undefined` if it is unknown, because jobs are still being
   * added, the run is paused or no job has finished recently.
   */
  readonly leftMs: number | undefined;
  /** Whether the total is final: no call to `add` is in progress for the run, and the last call completed. */
  readonly isAdded: boolean;
  /** Why the last call to `add` did not complete, if no other call is in progress. */
  readonly addError: string | undefined;
  /** The number of live workers of the queue. A worker that was killed counts for another 15 s. */
  readonly workers: number;
  /** The maximum number of requests per second that all workers send at the moment; `undefined` without a limit. */
  readonly limit: number | undefined;
  /** Why no jobs of the run begin at the moment: it is paused or cancelled, or the service is unavailable. */
  readonly paused: string | undefined;
}

/** If nothing changes for this time, jobs that were deleted or lost in Redis are looked for. */
const stuckMs = 5_000;
const stuckAgainMs = 30_000;

/** Reads the progress of one run repeatedly. */
export class ProgressReader {
  readonly #open: OpenQueue;
  readonly #run: RunReference;
  readonly #repair: () => Promise<unknown>;
  #rate: RecentRate | undefined;
  #ended = -1;
  #repairAtMs = 0;

  /** @param repair - repairs the run */
  constructor(open: OpenQueue, run: RunReference, repair: () => Promise<unknown>) {
    this.#open = open;
    this.#run = run;
    this.#repair = repair;
  }

  /** Returns nothing if the run was removed. */
  async read(): Promise<{ readonly progress: QueueProgress; readonly isOver: boolean } | undefined> {
    const { queue, runs, fleet } = this.#open;
    const { id, name } = this.#run;
    const [counts, activeIds, view, isPaused] = await Promise.all([
      runs.counts(id),
      // Read at once: the workers hold only a few jobs each.
      queue.getRanges(["active"], 0, -1),
      fleet.read(),
      queue.isPaused(),
    ]);
    if (!counts) return undefined;
    const { total, fulfilled, rejected, adding, isCompleted, addError, state } = counts;
    const ended = fulfilled + rejected;
    const cancelled = state === "cancelled" ? total - ended : 0;
    const left = total - ended - cancelled;
    const active = Math.min(activeIds.filter((jobId) => jobId.startsWith(`${id}-`)).length, left);
    const nowMs = performance.now();
    this.#rate ??= new RecentRate(nowMs, ended);
    const perSecond = this.#rate.at(nowMs, ended);
    const { failing } = view.state;
    const outage =
      isOutage(view.state) && failing ? `the service is unavailable: ${failing.message}` : undefined;
    const paused =
      left === 0 ? undefined : (describePause(counts) ?? (isPaused ? "the queue is paused" : outage));
    const isKnown = adding === 0 && paused === undefined && perSecond > 0;
    const progress = {
      ...{ run: name, total, fulfilled, rejected, cancelled, waiting: left - active, active, perSecond },
      leftMs: left === 0 ? 0 : isKnown ? (left * 1000) / perSecond : undefined,
      ...{ isAdded: adding === 0 && isCompleted, addError },
      ...{ workers: view.workers, limit: limitOf(view), paused },
    };
    const isStuck = left > 0 && active === 0 && paused === undefined && adding === 0;
    await this.#repairIfStuck(isStuck, ended, nowMs);
    return { progress, isOver: left === 0 && adding === 0 };
  }

  async #repairIfStuck(isStuck: boolean, ended: number, nowMs: number): Promise<void> {
    if (!isStuck || ended !== this.#ended) {
      this.#ended = ended;
      this.#repairAtMs = nowMs + stuckMs;
    } else if (nowMs >= this.#repairAtMs) {
      this.#repairAtMs = nowMs + stuckAgainMs;
      await this.#repair();
    }
  }
}

function describePause({ state, reason }: RunCounts): string | undefined {
  if (state === "cancelled") return "the run was cancelled";
  if (state === "paused") return `the run is paused${reason ? `: ${reason}` : ""}`;
  return undefined;
}
