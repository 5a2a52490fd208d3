import { listenToAbort, stopListening } from "../call/abort-signals.ts";
import { longestTimerMs } from "../runtime/timers.ts";
import type { Pace, Ticket } from "./pace/pace.ts";
import type { ServiceWatch } from "./service-watch.ts";

/** Ends the wait for a turn, without a ticket if the run has ended. */
type EndWaiting = (ticket: Ticket | undefined) => void;

/** Assigns turns to requests at the run's pace. Retries come before new jobs. */
export class Turns {
  readonly #pace: Pace;
  readonly #watch: ServiceWatch | undefined;
  /** Called when a turn is free and no requests are waiting for it. */
  readonly #onFree: () => void;
  /** Retries with a delay. */
  readonly #resting = new Set<EndWaiting>();
  /** Retries without a delay. */
  readonly #waiting = new Set<EndWaiting>();
  /** First attempts. */
  readonly #untried = new Set<EndWaiting>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(pace: Pace, watch: ServiceWatch | undefined, onFree: () => void) {
    this.#pace = pace;
    this.#watch = watch;
    this.#onFree = onFree;
  }

  /** Whether a request may be sent now. If not, `onFree` is called when it may. */
  isFree(): boolean {
    if (this.#isClosed) return false;
    const nowMs = performance.now();
    const isFirst = this.#waiting.size === 0 && this.#untried.size === 0;
    if (isFirst && this.#waitMs(nowMs) <= 0 && !this.#isFull) return true;
    this.#wakeLater(nowMs);
    return false;
  }

  /** Takes a turn, after requests that are already waiting. */
  take(signal: AbortSignal | undefined): Ticket | Promise<Ticket | undefined> {
    return this.isFree() ? this.#sent(performance.now()) : this.#wait(0, signal, this.#untried);
  }

  /** Waits for a retry's turn, with a minimum delay. Resolves without a ticket if the signal is aborted or the run has ended. */
  again(delayMs: number, signal: AbortSignal | undefined): Promise<Ticket | undefined> {
    return this.#wait(delayMs, signal, this.#waiting);
  }

  /** Called when a request has ended, which may free a turn. */
  onSettled(): void {
    if (this.#waiting.size > 0 || this.#untried.size > 0) this.#serve();
  }

  #wait(
    delayMs: number,
    signal: AbortSignal | undefined,
    line: Set<EndWaiting>,
  ): Promise<Ticket | undefined> {
    return new Promise((resolve) => {
      if (this.#isClosed || signal?.aborted) return resolve(undefined);
      const end: EndWaiting = (ticket) => {
        clearTimeout(timer);
        if (signal) stopListening(signal, listener);
        this.#resting.delete(end);
        line.delete(end);
        resolve(ticket);
      };
      const timer = setTimeout(() => {
        this.#resting.delete(end);
        line.add(end);
        this.#serve();
      }, delayMs);
      const listener = { handleEvent: () => end(undefined) };
      if (signal) listenToAbort(signal, listener);
      this.#resting.add(end);
    });
  }

  /** Ends all waits without a turn. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const end of [...this.#waiting, ...this.#untried, ...this.#resting]) end(undefined);
  }

  #serve(): void {
    for (;;) {
      const nowMs = performance.now();
      if (this.#waitMs(nowMs) > 0) return this.#wakeLater(nowMs);
      const endFirst = this.#first();
      if (endFirst === undefined) return this.#onFree();
      if (this.#isFull) return;
      endFirst(this.#sent(nowMs));
    }
  }

  #first(): EndWaiting | undefined {
    const [waiting] = this.#waiting;
    const [untried] = this.#untried;
    return this.#watch?.isOutage ? (untried ?? waiting) : (waiting ?? untried);
  }

  #sent(nowMs: number): Ticket {
    const ticket = this.#pace.sent(nowMs);
    this.#watch?.sent(ticket);
    return ticket;
  }

  /** Only a run with a watch needs the end of a request. */
  get #isFull(): boolean {
    return this.#watch !== undefined && this.#pace.isFull;
  }

  #waitMs(nowMs: number): number {
    const paceMs = this.#pace.waitMs(nowMs);
    return this.#watch?.isOutage ? Math.max(paceMs, this.#watch.waitMs(nowMs)) : paceMs;
  }

  #wakeLater(nowMs: number): void {
    clearTimeout(this.#timer);
    const waitMs = Math.min(Math.ceil(this.#waitMs(nowMs)), longestTimerMs);
    this.#timer = setTimeout(() => this.#serve(), waitMs);
  }
}
