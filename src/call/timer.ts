import { longestTimerMs } from "../runtime/environment.ts";

/** Is notified when a timeout is reached. */
export interface TimerListener {
  onTimeOver(): void;
}

/**
 * One timeout, which can be set, moved and cleared any number of times. It may fire a few milliseconds late, but never early.
 * Every chunk of a body moves a timeout, so moving it to a later time only writes a number. When the timer fires, it sleeps
 * again.
 */
export class Timer {
  readonly #listener: TimerListener;
  #dueAtMs = 0;
  #firesAtMs = Number.POSITIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(listener: TimerListener) {
    this.#listener = listener;
  }

  /** Fires once after `limitMs`, unless it is set again or cleared before. `Infinity` never fires. */
  set(limitMs: number): void {
    if (limitMs === Number.POSITIVE_INFINITY) return this.clear();
    const nowMs = performance.now();
    this.#dueAtMs = nowMs + limitMs;
    if (this.#timer === undefined || this.#dueAtMs < this.#firesAtMs) this.#sleep(nowMs, limitMs, false);
  }

  clear(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #sleep(nowMs: number, delayMs: number, wasDue: boolean): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    // Rounded up, because a timer may fire a fraction of a millisecond early.
    this.#timer = setTimeout(() => this.#wake(wasDue), Math.min(Math.ceil(delayMs) + 1, longestTimerMs));
    this.#firesAtMs = nowMs + delayMs;
  }

  #wake(wasDue: boolean): void {
    const nowMs = performance.now();
    const leftMs = this.#dueAtMs - nowMs;
    if (leftMs > 0) return this.#sleep(nowMs, leftMs, false);
    // Not immediately: if the process was busy or suspended, data that arrived in time is received after the timers.
    if (!wasDue) return this.#sleep(nowMs, 0, true);
    this.#timer = undefined;
    this.#listener.onTimeOver();
  }
}
