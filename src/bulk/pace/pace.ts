import { RateSeeker } from "./rate-seeker.ts";
import { SlotLimit } from "./slot-limit.ts";

/** The number of a request, starting at 1. It identifies the request when its outcome is reported. */
export type Ticket = number;

/** The maximum delay that a run makes up for. Timers fire a few milliseconds late, and later in busy processes. */
const timerLatenessMs = 10;
const busyMs = 50;

/**
 * Decides when a run may send its next request, and how many requests may be in flight. Requests are evenly
 * spaced. With `"auto"`, both limits adapt when the service rate-limits or rejects requests. Works with any
 * monotonic clock.
 */
export class Pace {
  readonly #fixedSlots: number;
  readonly #askedPerSecond: number;
  readonly #creditMs: number;
  #limit: SlotLimit | undefined;
  readonly #seeker: RateSeeker | undefined;
  /** The time of the next request, and its value before the last request. */
  #nextAtMs = Number.NEGATIVE_INFINITY;
  #wasNextAtMs = Number.NEGATIVE_INFINITY;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #last: Ticket = 0;
  /** The last request before the number of slots was reduced. Further 503 responses to earlier requests are ignored. */
  #lastBeforeFall: Ticket = 0;
  #underWay = 0;

  constructor(options: { readonly concurrency: number | "auto"; readonly perSecond?: number | undefined }) {
    const { concurrency, perSecond = Number.POSITIVE_INFINITY } = options;
    const isAuto = concurrency === "auto";
    this.#fixedSlots = isAuto ? 1 : concurrency;
    this.#askedPerSecond = perSecond;
    this.#limit = isAuto ? new SlotLimit() : undefined;
    this.#seeker = isAuto ? new RateSeeker() : undefined;
    this.#creditMs = isAuto && perSecond === Number.POSITIVE_INFINITY ? busyMs : timerLatenessMs;
  }

  /** The maximum number of jobs in flight, at least 1. Every method below may change it. */
  get slots(): number {
    return this.#limit?.slots ?? this.#fixedSlots;
  }

  /** The current limit in requests per second; `Infinity` if none is known. */
  get perSecond(): number {
    return Math.min(this.#askedPerSecond, this.#seeker?.perSecond ?? Number.POSITIVE_INFINITY);
  }

  /** Whether the maximum number of requests is in flight. */
  get isFull(): boolean {
    return this.#underWay >= this.slots;
  }

  /** The end of the pause that `Retry-After` requested; in the past if there is none. */
  get pausedUntilMs(): number {
    return this.#pausedUntilMs;
  }

  /** The delay before the next request in milliseconds. */
  waitMs(nowMs: number): number {
    return Math.max(0, this.#nextAtMs - nowMs);
  }

  /** Records that a request was sent. One of the methods below reports its outcome. */
  sent(nowMs: number): Ticket {
    const askedMs = 1000 / this.#askedPerSecond;
    const soughtMs = this.#seeker?.spacingMs ?? 0;
    const spacingMs = Math.max(askedMs, soughtMs);
    const creditMs = Math.max(spacingMs, this.#creditMs);
    const isFirst = this.#last === 0;
    // Longer delays are not caused by the spacing.
    const isOnTime = isFirst || this.#nextAtMs >= nowMs - creditMs / 2;
    this.#last += 1;
    this.#underWay += 1;
    this.#limit?.sent(this.#underWay);
    this.#seeker?.sent(this.#last, nowMs, isOnTime && soughtMs >= askedMs);
    this.#wasNextAtMs = this.#nextAtMs;
    this.#nextAtMs = (isFirst ? nowMs : Math.max(this.#nextAtMs, nowMs - creditMs)) + spacingMs;
    return this.#last;
  }

  /** The request was not sent. If no other requests have been sent since, the next one may take its slot. */
  unsent(ticket: Ticket): void {
    this.#underWay -= 1;
    this.#seeker?.unsent();
    if (ticket === this.#last) this.#nextAtMs = this.#wasNextAtMs;
  }

  /** The request succeeded, or failed in a way that says nothing about the pace. */
  passed(ticket: Ticket, nowMs: number): void {
    this.#limit?.passed(this.#underWay, nowMs);
    this.#underWay -= 1;
    this.#seeker?.passed(ticket);
  }

  /** The request was refused with 429: too many requests. */
  refused(ticket: Ticket, nowMs: number, retryAfterMs: number | undefined): void {
    this.#limit?.refused(this.#underWay, this.#seeker?.isNews(ticket) === true);
    this.#underWay -= 1;
    const holdMs = this.#seeker?.refused(ticket, nowMs, retryAfterMs ?? 0) ?? 0;
    if (retryAfterMs === undefined) this.#holdUntil(nowMs + holdMs);
    else this.#pause(nowMs, retryAfterMs);
  }

  /** The service is overloaded: 503, or no response in time. */
  overloaded(ticket: Ticket, nowMs: number, retryAfterMs: number | undefined): void {
    this.#underWay -= 1;
    if (ticket > this.#lastBeforeFall) {
      this.#limit?.fall(retryAfterMs ?? 0, nowMs);
      this.#lastBeforeFall = this.#last;
    }
    if (retryAfterMs !== undefined) this.#pause(nowMs, retryAfterMs);
  }

  /** The request failed during a service outage. That says nothing about the pace. */
  lost(ticket: Ticket, nowMs: number, retryAfterMs: number | undefined): void {
    this.#underWay -= 1;
    this.#lastBeforeFall = Math.max(this.#lastBeforeFall, ticket);
    if (retryAfterMs !== undefined) this.#pause(nowMs, retryAfterMs);
  }

  /** The service is available again. The pace restarts as in a new run. */
  restart(): void {
    if (this.#limit) this.#limit = new SlotLimit();
    this.#lastBeforeFall = this.#last;
  }

  #pause(nowMs: number, retryAfterMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, nowMs + retryAfterMs);
    this.#holdUntil(this.#pausedUntilMs);
  }

  #holdUntil(timeMs: number): void {
    this.#nextAtMs = Math.max(this.#nextAtMs, timeMs);
    this.#wasNextAtMs = Math.max(this.#wasNextAtMs, timeMs);
  }
}
