import { type Failure, templateBroken } from "../call/retry-policy.ts";
import { ApiError, ConnectionError, InvalidPdfError, TimeoutError, TruncatedPdfError } from "../index.ts";
import { Outage, type Unserved } from "./outage.ts";
import type { Ticket } from "./pace/pace.ts";

/** The service has become unavailable to a run, or answers again. */
export interface BulkOutage {
  /** Whether the service answers again. */
  readonly isOver: boolean;
  /** What the last request of those that failed in a row failed with. */
  readonly error: unknown;
  /** How long the service has been unavailable, in milliseconds. */
  readonly durationMs: number;
}

/** What a run with a watch is made with. */
export interface WatchParts {
  /** How long an outage may last, in milliseconds. */
  readonly giveUpAfterMs: number;
  /** Called when an outage begins, and when it is over. */
  readonly onOutage: (outage: BulkOutage) => void;
}

/** An attempt that failed. */
interface FailedAttempt {
  readonly jobIndex: number;
  readonly how: Unserved;
  readonly error: unknown;
  readonly ticket: Ticket | undefined;
}

/** Watches for a run whether the service is there. During an outage, one request at a time looks whether it is back. */
export class ServiceWatch {
  /** How many requests the service has answered, with whatever but 5xx. */
  answerCount = 0;
  /**
   * Whether a job that was not tried yet should be next. The jobs that failed may be the reason for their own 5xx; another job shows
   * whether they are.
   */
  wantsUntried = false;
  /** What the last request failed with, as part of an outage. */
  error: unknown;
  readonly #outage: Outage;
  readonly #onOutage: WatchParts["onOutage"];
  /** The last request that looked whether the service is back, and whether it is still in flight. */
  #probe: Ticket = 0;
  #isProbing = false;

  constructor({ giveUpAfterMs, onOutage }: WatchParts) {
    this.#outage = new Outage(giveUpAfterMs);
    this.#onOutage = onOutage;
  }

  get isOutage(): boolean {
    return this.#outage.isOn;
  }

  /** How long the service has been unavailable; 0 if it is not. */
  outageMs(nowMs: number): number {
    return this.#outage.isOn ? nowMs - (this.#outage.sinceMs ?? nowMs) : 0;
  }

  /** How long until the next request looks whether the service is back; 0 while that is in flight. */
  nextRequestMs(nowMs: number): number {
    return Math.max(0, this.#outage.nextRequestAtMs - nowMs);
  }

  /** How long to wait before a request may be sent; `Infinity` until the one in flight has ended. */
  waitMs(nowMs: number): number {
    return this.#isProbing ? Number.POSITIVE_INFINITY : this.nextRequestMs(nowMs);
  }

  hasLastedTooLong(nowMs: number): boolean {
    return this.#outage.hasLastedTooLong(nowMs);
  }

  /** Registers that a request is sent. */
  sent(ticket: Ticket): void {
    if (!this.#outage.isOn) return;
    this.#probe = ticket;
    this.#isProbing = true;
  }

  /** Registers an answer. Returns whether it ends an outage: requests that were sent before an outage do not. */
  answered(ticket: Ticket | undefined, nowMs: number): boolean {
    this.answerCount++;
    if (this.#outage.sinceMs === undefined) return false;
    const wasOutage = this.#outage.isOn;
    // A service that shuts down refuses new requests, and still answers those in flight.
    if (wasOutage && !this.#isProbe(ticket)) return false;
    const durationMs = this.outageMs(nowMs);
    this.#isProbing = false;
    this.wantsUntried = false;
    this.#outage.answered();
    if (wasOutage) this.#onOutage({ isOver: true, error: this.error, durationMs });
    return wasOutage;
  }

  /** Registers an attempt that was not answered. Returns whether an outage is the reason. */
  failed({ jobIndex, how, error, ticket }: FailedAttempt, nowMs: number): boolean {
    // It was in flight when an outage began that may be over by now.
    if (ticket !== undefined && ticket < this.#probe) return true;
    const wasOutage = this.#outage.isOn;
    const isProbe = this.#isProbe(ticket);
    this.#outage.failed(jobIndex, how, isProbe ? nowMs : Number.NEGATIVE_INFINITY, nowMs);
    if (!this.#outage.isOn) return false;
    this.error = error;
    if (isProbe) this.#isProbing = false;
    if (how === "unserved") this.wantsUntried = true;
    if (!wasOutage) this.#onOutage({ isOver: false, error, durationMs: this.outageMs(nowMs) });
    return true;
  }

  /** Whatever became of a request, it is no longer in flight. */
  settled(ticket: Ticket): void {
    if (this.#isProbe(ticket)) this.#isProbing = false;
  }

  #isProbe(ticket: Ticket | undefined): boolean {
    return this.#isProbing && ticket === this.#probe;
  }
}

/** Tells what a failed attempt says of the service; nothing if it says nothing. */
export function availabilityAfter(
  { repeat }: Pick<Failure, "repeat">,
  error: unknown,
): Unserved | "answered" | undefined {
  // What would fail again was not sent either: a certificate that has expired.
  if (ConnectionError.is(error)) return repeat === "ambiguous" ? "unserved" : "unreached";
  if (TimeoutError.is(error)) return repeat === "safe" ? "unreached" : "unserved";
  if (TruncatedPdfError.is(error)) return "unserved";
  if (ApiError.is(error)) return isUnserved(error) ? "unserved" : "answered";
  return InvalidPdfError.is(error) ? "answered" : undefined;
}

function isUnserved({ status, rawBody }: ApiError): boolean {
  return status >= 500 && !rawBody.includes(templateBroken);
}

/** Says why a run has ended: `the service has been unavailable for 15 min; the last error: …`. */
export function describeLongOutage(outageMs: number, error: unknown): string {
  const seconds = Math.round(outageMs / 1000);
  const span = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  const what = seconds === 0 ? "is unavailable" : `has been unavailable for ${span}`;
  const message = error instanceof Error ? error.message : String(error);
  return `the service ${what}; the last error: ${message.replace(/\.$/, "")}`;
}
