import type { Complete } from "../options/option-rules.ts";
import type { Timeouts } from "../options/timeouts.ts";
import { longestTimerMs } from "../runtime/timers.ts";

/** Who reads the document: nobody yet, a stream that was returned but not read from, or an output. */
export type ReadState = "nobody" | "untouched" | "reading";

/** The phases of an attempt that have a limit. `refusal` is the rest of an error response. */
export type Phase = "connect" | "firstByte" | "refusal" | "stall" | "unread";

/** The timeout for the rest of an error response. Reporting the error matters more than its full text. */
const longestRefusalMs = 10_000;

/** The phase that an event begins, by who reads the document. After `none`, there is no limit. After `same`, the phase goes on. */
export const phaseAfter = {
  opened: { nobody: "connect", untouched: "connect", reading: "connect" },
  sent: { nobody: "firstByte", untouched: "firstByte", reading: "firstByte" },
  refused: { nobody: "refusal", untouched: "refusal", reading: "refusal" },
  /** The first bytes arrived, but may not be a PDF. */
  bytes: { nobody: "stall", untouched: "stall", reading: "stall" },
  /** The first bytes of a document arrived. */
  document: { nobody: "unread", untouched: "stall", reading: "stall" },
  /** An output reads a document whose first bytes have arrived. */
  read: { nobody: "same", untouched: "stall", reading: "stall" },
  /** A reader may be slow, but a stream that was never read from counts as unread. */
  paused: { nobody: "same", untouched: "unread", reading: "none" },
  resumed: { nobody: "stall", untouched: "stall", reading: "stall" },
  ended: { nobody: "none", untouched: "none", reading: "none" },
} as const satisfies { [event: string]: { [reader in ReadState]: Phase | "none" | "same" } };

/** Returns the limit of a phase in milliseconds. */
export function limitOf(phase: Phase, timeouts: Complete<Timeouts>): number {
  return phase === "refusal" ? Math.min(timeouts.stall, longestRefusalMs) : timeouts[phase];
}

/** Is notified when a limit is reached. */
export interface TimeoutListener {
  onPhaseOver(phase: Phase, limitMs: number): void;
  /** Called when `timeouts.total` is reached. */
  onTotalOver(): void;
  /** Called when the delay before a retry is over. */
  onRetryDelayOver(): void;
}

/**
 * The limits of one call: of the phase that its attempt is in, or of the delay before a retry, and of all attempts. One timer
 * serves all of them, because setting a timer is expensive, and hardly any timer ever fires. A limit may be reached a few
 * milliseconds late, but never early.
 */
export class PhaseTimeouts {
  readonly #timeouts: Complete<Timeouts>;
  readonly #listener: TimeoutListener;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #phase: Phase | "retryDelay" | "none" = "none";
  #limitMs = Number.POSITIVE_INFINITY;
  #phaseDueAtMs = Number.POSITIVE_INFINITY;
  #totalDueAtMs = Number.POSITIVE_INFINITY;
  /** When the timer fires; `Infinity` if it is not set. */
  #wakesAtMs = Number.POSITIVE_INFINITY;

  constructor(timeouts: Complete<Timeouts>, listener: TimeoutListener) {
    this.#timeouts = timeouts;
    this.#listener = listener;
  }

  /** Begins the phase that follows an event. */
  after(event: keyof typeof phaseAfter, reader: ReadState = "nobody"): void {
    const phase = phaseAfter[event][reader];
    if (phase === "same") return;
    this.#begin(phase, phase === "none" ? Number.POSITIVE_INFINITY : limitOf(phase, this.#timeouts));
  }

  /** Begins the delay before a retry. */
  delayRetry(delayMs: number): void {
    this.#begin("retryDelay", delayMs);
  }

  /** Called for each chunk after the first one. */
  moreBytes(): void {
    if (this.#phase === "stall") this.#restart();
  }

  /** Limits the call, in addition to the phases. `Infinity` for no limit. */
  limitTotal(limitMs: number): void {
    const nowMs = performance.now();
    this.#totalDueAtMs = nowMs + limitMs;
    this.#setTimer(nowMs);
  }

  /** Ends every limit. */
  clear(): void {
    this.#phase = "none";
    this.#phaseDueAtMs = Number.POSITIVE_INFINITY;
    this.#totalDueAtMs = Number.POSITIVE_INFINITY;
    this.#clearTimer();
  }

  #begin(phase: Phase | "retryDelay" | "none", limitMs: number): void {
    this.#phase = phase;
    this.#limitMs = limitMs;
    this.#restart();
  }

  #restart(): void {
    const nowMs = performance.now();
    this.#phaseDueAtMs = nowMs + this.#limitMs;
    this.#setTimer(nowMs);
  }

  /** @param latestMs - the time after which the timer fires at the latest, even if no limit is reached */
  #setTimer(nowMs: number, latestMs = this.#timeouts.stall): void {
    const dueAtMs = Math.min(this.#phaseDueAtMs, this.#totalDueAtMs);
    if (dueAtMs === Number.POSITIVE_INFINITY) return this.#clearTimer();
    // Most phases end early, and `stall` follows them. If the timer fires before the phase is over, it is set again, which is
    // cheaper than setting it again for each phase and chunk.
    const wakesAtMs = Math.min(dueAtMs, nowMs + latestMs);
    if (wakesAtMs >= this.#wakesAtMs) return;
    clearTimeout(this.#timer);
    this.#wakesAtMs = wakesAtMs;
    // Set twice: if the process was busy or suspended, timers fire before data that arrived in time is received.
    const onTimer = () => {
      this.#timer = setTimeout(() => this.#wake(), 0);
    };
    this.#timer = setTimeout(onTimer, Math.min(Math.ceil(wakesAtMs - nowMs), longestTimerMs));
  }

  #clearTimer(): void {
    clearTimeout(this.#timer);
    this.#wakesAtMs = Number.POSITIVE_INFINITY;
  }

  #wake(): void {
    const nowMs = performance.now();
    const [phase, limitMs] = [this.#phase, this.#limitMs];
    const isPhaseOver = this.#phaseDueAtMs <= nowMs && this.#phaseDueAtMs <= this.#totalDueAtMs;
    const isTotalOver = !isPhaseOver && this.#totalDueAtMs <= nowMs;
    this.#wakesAtMs = Number.POSITIVE_INFINITY;
    if (isPhaseOver) this.after("ended");
    else if (isTotalOver) this.limitTotal(Number.POSITIVE_INFINITY);
    else this.#setTimer(nowMs, Number.POSITIVE_INFINITY);
    if (isTotalOver) this.#listener.onTotalOver();
    else if (phase === "retryDelay" && isPhaseOver) this.#listener.onRetryDelayOver();
    else if (isPhaseOver) this.#listener.onPhaseOver(phase as Phase, limitMs);
  }
}
