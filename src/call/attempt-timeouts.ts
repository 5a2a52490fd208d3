import type { TimeoutPhase } from "../errors/errors.ts";
import type { Body } from "./body.ts";
import { Timer } from "./timer.ts";

/** What one attempt waits for. */
export type AttemptPhase = Exclude<TimeoutPhase, "total">;

/** How long one attempt may wait for each, in milliseconds. */
export type AttemptLimits = Readonly<Record<AttemptPhase, number>>;

/**
 * The timeouts of one attempt: for a connection, for the first byte, for a body that stalls, and for one that nobody reads. One of them
 * runs at a time.
 */
export class AttemptTimeouts extends Timer {
  /** What is waited for now. */
  phase: AttemptPhase | undefined;
  /** How long that may take, in milliseconds. */
  limitMs = 0;
  readonly #limits: AttemptLimits;

  /** @param listener - called when the time of the phase is over */
  constructor(limits: AttemptLimits, listener: { onTimeOver(): void }) {
    super(listener);
    this.#limits = limits;
  }

  start(phase: AttemptPhase, limitMs = this.#limits[phase]): void {
    this.phase = phase;
    this.limitMs = limitMs;
    this.set(limitMs);
  }

  stop(): void {
    this.phase = undefined;
    this.clear();
  }

  /** Bytes of the body have arrived. */
  onBytes(body: Body | undefined): void {
    if (this.phase === "stall") this.set(this.limitMs);
    else if (this.phase === "firstByte") this.start(body?.isRead === false ? "unread" : "stall");
  }

  /**
   * The body waits for its reader, which may take its time. But a stream that was handed out and never touched is as good
   * as unread.
   */
  waitForReader(body: Body): void {
    if (body.isUntouched) this.start("unread");
    else this.stop();
  }
}
