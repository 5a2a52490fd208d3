import { listenToAbort, stopListening } from "../call/abort-signals.ts";
import { longestTimerMs } from "../runtime/environment.ts";
import type { Pace, Ticket } from "./pace/pace.ts";

/** Ends somebody's waiting for a turn; without a ticket if there is to be no turn. */
type EndWaiting = (ticket: Ticket | undefined) => void;

/** Gives requests their turn, at the pace of the run: those that are tried again before those that are new. */
export class Turns {
  readonly #pace: Pace;
  /** Called when a turn is free that nobody waits for. */
  readonly #onFree: () => void;
  /** Who is to be tried again later. */
  readonly #resting = new Set<EndWaiting>();
  /** Who is to be tried again as soon as may be. */
  readonly #waiting = new Set<EndWaiting>();
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

  /** Waits for a turn of a retry, so long at least; gives no ticket where the signal is aborted or the run has ended. */
  again(delayMs: number, signal: AbortSignal | undefined): Promise<Ticket | undefined> {
    return new Promise((resolve) => {
      if (this.#isClosed || signal?.aborted) return resolve(undefined);
      const end: EndWaiting = (ticket) => {
        clearTimeout(timer);
        if (signal) stopListening(signal, listener);
        this.#resting.delete(end);
        this.#waiting.delete(end);
        resolve(ticket);
      };
      const timer = setTimeout(() => {
        this.#resting.delete(end);
        this.#waiting.add(end);
        this.#serve();
      }, delayMs);
      const listener = { handleEvent: () => end(undefined) };
      if (signal) listenToAbort(signal, listener);
      this.#resting.add(end);
    });
  }

  /** Gives no more turns. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const end of [...this.#waiting, ...this.#resting]) end(undefined);
  }

  #serve(): void {
    for (;;) {
      const nowMs = performance.now();
      if (this.#pace.waitMs(nowMs) > 0) return this.#wakeLater(nowMs);
      const [endFirst] = this.#waiting;
      if (endFirst === undefined) return this.#onFree();
      endFirst(this.#pace.sent(nowMs));
    }
  }

  #wakeLater(nowMs: number): void {
    clearTimeout(this.#timer);
    const waitMs = Math.min(Math.ceil(this.#pace.waitMs(nowMs)), longestTimerMs);
    this.#timer = setTimeout(() => this.#serve(), waitMs);
  }
}
