import { templateBroken } from "../call/api-error.ts";
import type { AttemptFailure } from "../call/attempt-failures.ts";
import { describeThrown } from "../errors/foreign-values.ts";
import { inSeconds } from "../errors/retry-after.ts";
import { ApiError, ConnectionError, InvalidPdfError, TimeoutError, TruncatedPdfError } from "../index.ts";
import { Outage, type Unserved } from "./outage.ts";
import type { Ticket } from "./pace/pace.ts";

/** The start or end of a service outage. */
export interface BulkOutage {
  /** Whether the service is responding again. */
  readonly isOver: boolean;
  /** The error from the last failed request. */
  readonly error: unknown;
  /** The duration of the outage in milliseconds. */
  readonly durationMs: number;
}

/** The outage options for a run. */
export interface WatchParts {
  /** The maximum duration of an outage in milliseconds. */
  readonly giveUpAfterMs: number;
  /** Called when an outage begins and when it ends. */
  readonly onOutage: (outage: BulkOutage) => void;
}

/** A failed attempt. */
interface FailedAttempt {
  readonly jobIndex: number;
  readonly how: Unserved;
  readonly error: unknown;
  readonly ticket: Ticket | undefined;
}

/** Detects service outages for a run. During an outage, one probe request at a time is sent. */
export class ServiceWatch {
  /** The number of responses other than 5xx. */
  answerCount = 0;
  /**
   * Whether the next request should be for a new job. A failed job may itself cause the 5xx; another job shows whether it does.
   */
  wantsUntried = false;
  /** The error from the last request in the outage. */
  error: unknown;
  readonly #outage: Outage;
  readonly #onOutage: WatchParts["onOutage"];
  /** The last probe request, and whether it is in flight. */
  #probe: Ticket = 0;
  #isProbing = false;

  constructor({ giveUpAfterMs, onOutage }: WatchParts) {
    this.#outage = new Outage(giveUpAfterMs);
    this.#onOutage = onOutage;
  }

  get isOutage(): boolean {
    return this.#outage.isOn;
  }

  /** The duration of the outage; 0 if there is none. */
  outageMs(nowMs: number): number {
    return this.#outage.isOn ? nowMs - (this.#outage.sinceMs ?? nowMs) : 0;
  }

  /** The time until the next probe request; 0 while one is in flight. */
  nextRequestMs(nowMs: number): number {
    return Math.max(0, this.#outage.nextRequestAtMs - nowMs);
  }

  /** The delay before the next request; `Infinity` while a probe request is in flight. */
  waitMs(nowMs: number): number {
    return this.#isProbing ? Number.POSITIVE_INFINITY : this.nextRequestMs(nowMs);
  }

  hasLastedTooLong(nowMs: number): boolean {
    return this.#outage.hasLastedTooLong(nowMs);
  }

  /** Records that a request was sent. */
  sent(ticket: Ticket): void {
    if (!this.#outage.isOn) return;
    this.#probe = ticket;
    this.#isProbing = true;
  }

  /**
   * Records a response. Returns `true` if the response ends an outage. A response to a request sent before
   * the outage does not end the outage.
   */
  answered(ticket: Ticket | undefined, nowMs: number): boolean {
    this.answerCount++;
    if (this.#outage.sinceMs === undefined) return false;
    const wasOutage = this.#outage.isOn;
    // A service that shuts down refuses new requests but completes those in flight.
    if (wasOutage && !this.#isProbe(ticket)) return false;
    const durationMs = this.outageMs(nowMs);
    this.#isProbing = false;
    this.wantsUntried = false;
    this.#outage.answered();
    if (wasOutage) this.#onOutage({ isOver: true, error: this.error, durationMs });
    return wasOutage;
  }

  /** Records an attempt without a response. Returns `true` if an outage is the cause. */
  failed({ jobIndex, how, error, ticket }: FailedAttempt, nowMs: number): boolean {
    // It was in flight when an outage began. That outage may have ended since.
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

  /** Records that a request is no longer in flight. */
  settled(ticket: Ticket): void {
    if (this.#isProbe(ticket)) this.#isProbing = false;
  }

  #isProbe(ticket: Ticket | undefined): boolean {
    return this.#isProbing && ticket === this.#probe;
  }
}

/** Returns what a failed attempt says about the service, if anything. */
export function availabilityAfter(
  { repeat }: Pick<AttemptFailure, "repeat">,
  error: unknown,
): Unserved | "answered" | undefined {
  // Requests with a lasting failure, such as an expired certificate, were not sent either.
  if (ConnectionError.is(error)) return repeat === "ambiguous" ? "unserved" : "unreached";
  if (TimeoutError.is(error)) return repeat === "safe" ? "unreached" : "unserved";
  if (TruncatedPdfError.is(error)) return "unserved";
  if (ApiError.is(error)) return isUnserved(error) ? "unserved" : "answered";
  return InvalidPdfError.is(error) ? "answered" : undefined;
}

function isUnserved({ status, rawBody }: ApiError): boolean {
  return status >= 500 && !rawBody.includes(templateBroken);
}

/** The longest pause that a run or a queue accepts from `Retry-After`. */
const longestPauseMs = 3_600_000;

/** Describes why a run has ended, if the requested pause is too long. */
export function describeLongPause(retryAfterMs: number): string | undefined {
  if (retryAfterMs <= longestPauseMs) return undefined;
  return `the service requests a delay of ${inSeconds(retryAfterMs)}, which exceeds the limit of one hour`;
}

/** Describes why a run has ended: `the service has been unavailable for 15 min; the last error: …`. */
export function describeLongOutage(outageMs: number, error: unknown): string {
  const seconds = Math.round(outageMs / 1000);
  const span = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  const what = seconds === 0 ? "is unavailable" : `has been unavailable for ${span}`;
  return `the service ${what}; the last error: ${describeThrown(error).replace(/\.$/, "")}`;
}
