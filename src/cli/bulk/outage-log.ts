import type { BulkOutage } from "../../bulk/index.ts";
import { formatTimeSpan } from "../duration.ts";
import { formatCount } from "../output.ts";

/** The outages of a run or a worker, for its summary. */
export class OutageLog {
  #count = 0;
  #totalMs = 0;
  #longestMs = 0;
  /** When the current outage began; `undefined` if there is none. */
  #sinceMs: number | undefined;

  /** The number of outages so far, including the current one. */
  get count(): number {
    return this.#count;
  }

  /** Whether the service is unavailable. */
  get isOngoing(): boolean {
    return this.#sinceMs !== undefined;
  }

  /** Records the beginning or the end of an outage. */
  take({ isOver, durationMs }: Pick<BulkOutage, "isOver" | "durationMs">, nowMs: number): void {
    if (!isOver) {
      this.#count++;
      this.#sinceMs = nowMs - durationMs;
      return;
    }
    this.#sinceMs = undefined;
    this.#totalMs += durationMs;
    this.#longestMs = Math.max(this.#longestMs, durationMs);
  }

  /** Describes the outages in a sentence; `undefined` if there were none. */
  summaryAt(nowMs: number): string | undefined {
    if (this.#count === 0) return undefined;
    const currentMs = this.#sinceMs === undefined ? 0 : nowMs - this.#sinceMs;
    const total = formatTimeSpan(this.#totalMs + currentMs);
    const longest = formatTimeSpan(Math.max(this.#longestMs, currentMs));
    const lengths =
      this.#count === 1
        ? `once, for ${total}`
        : `${formatCount(this.#count)} times, for ${total} in total and at most ${longest} at a time`;
    const ending = this.#sinceMs === undefined ? "" : ", and was still unavailable at the end";
    return `The service was unavailable ${lengths}${ending}.`;
  }
}
