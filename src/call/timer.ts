import { endsTimersWithRequests, longestTimerMs } from "../runtime/environment.ts";
import { Link, LinkedList } from "./linked-list.ts";

/**
 * One timer for all calls in flight. Every call watches several limits, and nearly none of them is ever reached:
 * so setting one costs a comparison, and the timer sleeps until the first that is due. It may wake late, by a
 * tenth of the shortest limit and 250 ms at most; never early. In an edge worker, each limit has a timer of its own.
 */

const coarsestMs = 250;

const armed = new LinkedList<Timer>();
/**
 * What is to ring in the next turn of the event loop. Not at once: where the process was busy, or suspended, what
 * arrived in time is heard only after the timers.
 */
let due: Timer[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;
/** The `setTimeout` that made the timer. */
let timersOfTimer: typeof setTimeout | undefined;
/** When the timer fires, in the time of `performance.now()`. */
let wakesAtMs = Number.POSITIVE_INFINITY;

/** Hears that the time is over. */
export interface TimerListener {
  onTimeOver(): void;
}

/** One limit that can be set, moved and cleared any number of times. */
export class Timer extends Link {
  readonly #listener: TimerListener;
  #limitMs = 0;
  #dueAtMs = 0;
  #ownTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(listener: TimerListener) {
    super();
    this.#listener = listener;
  }

  /** Rings once, in `limitMs` from now, unless it is set anew or cleared before; `Infinity` never rings. */
  set(limitMs: number): void {
    if (limitMs === Number.POSITIVE_INFINITY) return this.clear();
    const nowMs = performance.now();
    this.#limitMs = limitMs;
    this.#dueAtMs = nowMs + limitMs;
    if (endsTimersWithRequests()) return this.#sleepAlone(limitMs);
    armed.add(this);
    // Somebody's fake timers came or went meanwhile, and took the timer along.
    if (timersOfTimer !== setTimeout || wakesAtMs < nowMs - coarsestMs) Timer.#sleepOn();
    else if (this.#dueAtMs < wakesAtMs) sleep(limitMs, nowMs);
  }

  clear(): void {
    if (this.#ownTimer !== undefined) clearTimeout(this.#ownTimer);
    if (!armed.delete(this) || !armed.isEmpty) return;
    clearTimeout(timer);
    timer = undefined;
    wakesAtMs = Number.POSITIVE_INFINITY;
  }

  #sleepAlone(delayMs: number): void {
    clearTimeout(this.#ownTimer);
    this.#ownTimer = setTimeout(
      () => {
        const leftMs = this.#dueAtMs - performance.now();
        if (leftMs > 0) this.#sleepAlone(leftMs);
        else this.#listener.onTimeOver();
      },
      Math.min(Math.ceil(delayMs), longestTimerMs),
    );
  }

  /** Rings what was found due a turn ago and still is, and sleeps until the next. */
  static wake(): void {
    const nowMs = performance.now();
    wakesAtMs = Number.POSITIVE_INFINITY;
    const found = due;
    try {
      // One that was cleared or set anew meanwhile is no longer due.
      for (const alarm of found) {
        if (alarm.#dueAtMs <= nowMs && armed.delete(alarm)) alarm.#listener.onTimeOver();
      }
    } finally {
      // Also when a listener throws: the others have to hear all the same.
      Timer.#sleepOn();
    }
  }

  static #sleepOn(): void {
    const nowMs = performance.now();
    due = [];
    let nextMs = Number.POSITIVE_INFINITY;
    let shortestMs = Number.POSITIVE_INFINITY;
    for (const alarm of armed.members()) {
      if (alarm.#dueAtMs <= nowMs) due.push(alarm);
      nextMs = Math.min(nextMs, alarm.#dueAtMs);
      shortestMs = Math.min(shortestMs, alarm.#limitMs);
    }
    if (due.length > 0) sleep(0, nowMs);
    else if (!armed.isEmpty) sleep(Math.max(nextMs - nowMs, Math.min(coarsestMs, shortestMs / 10)), nowMs);
  }
}

function sleep(delayMs: number, nowMs: number): void {
  clearTimeout(timer);
  timersOfTimer = setTimeout;
  // Rounded up: a timer may fire a fraction of a millisecond early, and would have to go to sleep once more.
  timer = setTimeout(Timer.wake, Math.min(Math.ceil(delayMs) + 1, longestTimerMs));
  wakesAtMs = nowMs + delayMs;
}
