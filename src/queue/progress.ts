import { RecentRate } from "../bulk/recent-rate.ts";
import { inSeconds } from "../errors/retry-after.ts";
import { type FleetView, limitOf } from "./fleet.ts";
import { isOutage } from "./fleet-state.ts";
import type { OpenQueue } from "./open-queue.ts";
import type { QueueProgress } from "./queue-results.ts";
import type { RunReference } from "./queued-job.ts";
import type { RunCounts } from "./run-records.ts";

/** If nothing changes for this time, jobs that were deleted or lost in Redis are looked for. */
const stuckMs = 5_000;
const stuckAgainMs = 30_000;
/** A service that refuses a few requests only makes the workers slower. */
const refusedMs = 5_000;

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
    const { total, fulfilled, rejected, cancelled, adding, isCompleted, addError } = counts;
    const ended = fulfilled + rejected;
    const left = total - ended - cancelled;
    const active = Math.min(activeIds.filter((jobId) => jobId.startsWith(`${id}-`)).length, left);
    const nowMs = performance.now();
    const ofQueue = isPaused ? "the queue is paused" : describeService(view);
    const paused = left === 0 ? undefined : (describePause(counts) ?? ofQueue);
    // The time of a pause does not belong to the rate.
    if (paused !== undefined) this.#rate = undefined;
    this.#rate ??= new RecentRate(nowMs, ended);
    const perSecond = this.#rate.at(nowMs, ended);
    const isKnown = adding === 0 && paused === undefined && perSecond > 0;
    const progress = {
      ...{ run: name, total, fulfilled, rejected, cancelled, waiting: left - active, active, perSecond },
      leftMs: left === 0 && adding === 0 ? 0 : isKnown ? (left * 1000) / perSecond : undefined,
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

/** Describes why no worker sends requests, or only one at a time. */
function describeService({ state, nowMs, workers }: FleetView): string | undefined {
  // Without workers, nobody knows.
  if (workers === 0) return undefined;
  const { failing, refusedSinceMs = nowMs } = state;
  if (isOutage(state) && failing) return `the service is unavailable: ${failing.message}`;
  const forMs = nowMs - refusedSinceMs;
  return forMs < refusedMs
    ? undefined
    : `the service has refused all requests with 429 for ${inSeconds(forMs)}`;
}

function describePause({ state, reason }: RunCounts): string | undefined {
  if (state === "paused") return `the run is paused${reason ? `: ${reason}` : ""}`;
  return undefined;
}
