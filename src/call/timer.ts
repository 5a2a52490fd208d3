import { longestTimerMs } from "../runtime/environment.ts";

/** Receives the end of a time limit. */
export interface TimerListener {
  onTimeOver(): void;
}

/**
 * One time limit, which can be set, moved and cleared any number of times. It may be reported a few milliseconds late, never early.
 * Every chunk of a body moves a limit: so moving it to a later time only writes a number, and the timer sleeps on once it fires.
 */
export class Timer {
  readonly #listener: TimerListener;
  #dueAtMs = 0;
  #firesAtMs = Number.POSITIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(listener: TimerListener) {
    this.#listener = listener;
  }

  /** Reports once, in `limitMs` from now, unless it is set again or cleared before; `Infinity` never does. */
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
    // Rounded up: a timer may fire a fraction of a millisecond early, and would have to sleep once more.
    this.#timer = setTimeout(() => this.#wake(wasDue), Math.min(Math.ceil(delayMs) + 1, longestTimerMs));
    this.#firesAtMs = nowMs + delayMs;
  }

  #wake(wasDue: boolean): void {
    const nowMs = performance.now();
    const leftMs = this.#dueAtMs - nowMs;
    if (leftMs > 0) return this.#sleep(nowMs, leftMs, false);
    // Not at once: if the process was busy or suspended, what arrived in time is received only after the timers.
    if (!wasDue) return this.#sleep(nowMs, 0, true);
    this.#timer = undefined;
    this.#listener.onTimeOver();
  }
}
