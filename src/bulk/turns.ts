import { longestTimerMs } from "../input/longest-timer.ts";
import type { Pace, Ticket } from "./pace/pace.ts";

/** Whoever waits for a turn. */
type Waiting = (ticket: Ticket | undefined) => void;

/** Gives requests their turn, at the pace of the run: those that are tried again before those that are new. */
export class Turns {
  readonly #pace: Pace;
  /** Called when a turn is free that nobody waits for. */
  readonly #onFree: () => void;
  /** Who is to be tried again, as soon as may be. */
  readonly #waiting: Waiting[] = [];
  /** Who is to be tried again later. */
  readonly #resting = new Map<Waiting, ReturnType<typeof setTimeout>>();
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
    if (this.#waiting.length === 0 && this.#pace.waitMs(nowMs) <= 0) return true;
    this.#wakeLater(nowMs);
    return false;
  }

  /** Takes a turn: at once where it is free, else after those that wait. `undefined` where the run has ended meanwhile. */
  take(): Ticket | Promise<Ticket | undefined> {
    return this.isFree() ? this.#pace.sent(performance.now()) : this.again(0);
  }

  /**
   * Waits for a turn of a request that is tried again.
   *
   * @param delayMs - how long it has to wait at least
   * @returns `undefined` where the run has ended meanwhile
   */
  again(delayMs: number): Promise<Ticket | undefined> {
    return new Promise((resolve) => {
      if (this.#isClosed) return resolve(undefined);
      const timer = setTimeout(() => {
        this.#resting.delete(resolve);
        this.#waiting.push(resolve);
        this.#serve();
      }, delayMs);
      this.#resting.set(resolve, timer);
    });
  }

  /** Gives no more turns. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const given = [...this.#waiting.splice(0), ...this.#resting.keys()];
    for (const timer of this.#resting.values()) clearTimeout(timer);
    this.#resting.clear();
    for (const resolve of given) resolve(undefined);
  }

  #serve(): void {
    for (;;) {
      const nowMs = performance.now();
      const [first] = this.#waiting;
      if (this.#pace.waitMs(nowMs) > 0) return this.#wakeLater(nowMs);
      if (first === undefined) return this.#onFree();
      this.#waiting.shift();
      first(this.#pace.sent(nowMs));
    }
  }

  #wakeLater(nowMs: number): void {
    clearTimeout(this.#timer);
    const waitMs = Math.min(Math.ceil(this.#pace.waitMs(nowMs)), longestTimerMs);
    this.#timer = setTimeout(() => this.#serve(), waitMs);
  }
}
