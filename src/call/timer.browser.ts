import { longestTimerMs } from "../runtime/environment.ts";
import type { TimerListener } from "./timer.ts";

/** The browser variant of `timer.ts`: a page makes few calls at a time, so each change may set a new timer. */
export class Timer {
  readonly #listener: TimerListener;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(listener: TimerListener) {
    this.#listener = listener;
  }

  set(limitMs: number): void {
    this.clear();
    if (limitMs > longestTimerMs) return;
    // Set twice: after the device was busy or asleep, timers fire before data that arrived in time is received.
    this.#timer = setTimeout(() => {
      this.#timer = setTimeout(() => this.#listener.onTimeOver());
    }, limitMs);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}
