import { type AbortSubscription, listenToAbort } from "../call/abort-signals.ts";
import { longestTimerMs } from "../json/longest-timer.ts";
import type { Pace, Ticket } from "./pace/pace.ts";

/** Somebody who waits for a turn, to try again. */
class Waiting {
  readonly #resolve: (ticket: Ticket | undefined) => void;
  timer: ReturnType<typeof setTimeout> | undefined;
  subscription: AbortSubscription | undefined;

  constructor(resolve: (ticket: Ticket | undefined) => void) {
    this.#resolve = resolve;
  }

  /** @param ticket - none where there is to be no turn */
  end(ticket: Ticket | undefined): void {
    clearTimeout(this.timer);
    this.subscription?.end();
    this.#resolve(ticket);
  }
}

/** Gives requests their turn, at the pace of the run: those that are tried again before those that are new. */
export class Turns {
  readonly #pace: Pace;
  /** Called when a turn is free that nobody waits for. */
  readonly #onFree: () => void;
  /** Who is to be tried again later. */
  readonly #resting = new Set<Waiting>();
  /** Who is to be tried again as soon as may be. */
  readonly #waiting = new Set<Waiting>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(pace: Pace, onFree: () => void) {
    this.#pace = pace;
    this.#onFree = onFree;
  }

  /** Whether a request may be sent now; if not, `onFree` is called when it may. */
  isFree(): boolean {
    if (this.#isClosed) return false;
    const nowMs = performance.now();
    if (this.#waiting.size === 0 && this.#pace.waitMs(nowMs) <= 0) return true;
    this.#wakeLater(nowMs);
    return false;
  }

  /** Takes a turn: at once where it is free, else after those that wait. */
  take(signal: AbortSignal | undefined): Ticket | Promise<Ticket | undefined> {
    return this.isFree() ? this.#pace.sent(performance.now()) : this.again(0, signal);
  }

  /**
   * Waits for a turn of a request that is tried again.
   *
   * @param delayMs - how long it has to wait at least
   * @param signal - ends the waiting
   * @returns `undefined` where the signal is aborted, or the run has ended meanwhile
   */
  again(delayMs: number, signal: AbortSignal | undefined): Promise<Ticket | undefined> {
    return new Promise((resolve) => {
      if (this.#isClosed || signal?.aborted) return resolve(undefined);
      const waiting = new Waiting(resolve);
      const onAbort = () => {
        this.#resting.delete(waiting);
        this.#waiting.delete(waiting);
        waiting.end(undefined);
      };
      if (signal) waiting.subscription = listenToAbort(signal, { onAbort });
      waiting.timer = setTimeout(() => {
        this.#resting.delete(waiting);
        this.#waiting.add(waiting);
        this.#serve();
      }, delayMs);
      this.#resting.add(waiting);
    });
  }

  /** Gives no more turns. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const waiting of [...this.#waiting, ...this.#resting]) waiting.end(undefined);
    this.#waiting.clear();
    this.#resting.clear();
  }

  #serve(): void {
    for (;;) {
      const nowMs = performance.now();
      if (this.#pace.waitMs(nowMs) > 0) return this.#wakeLater(nowMs);
      const [first] = this.#waiting;
      if (first === undefined) return this.#onFree();
      this.#waiting.delete(first);
      first.end(this.#pace.sent(nowMs));
    }
  }

  #wakeLater(nowMs: number): void {
    clearTimeout(this.#timer);
    const waitMs = Math.min(Math.ceil(this.#pace.waitMs(nowMs)), longestTimerMs);
    this.#timer = setTimeout(() => this.#serve(), waitMs);
  }
}
