import { longestTimerMs } from "../runtime/environment.ts";
import type { TimerListener } from "./timer.ts";

/** What browsers load in place of `timer.ts`: a page has few calls at a time, so each change of a limit may set a timer anew. */
export class Timer {
  readonly #listener: TimerListener;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(listener: TimerListener) {
    this.#listener = listener;
  }

  set(limitMs: number): void {
    this.clear();
    if (limitMs > longestTimerMs) return;
    // Twice: if the device was busy or asleep, what arrived in time is received only after the timers.
    this.#timer = setTimeout(() => {
      this.#timer = setTimeout(() => this.#listener.onTimeOver());
    }, limitMs);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}
