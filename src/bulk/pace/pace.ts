import { RateSeeker } from "./rate-seeker.ts";
import { SlotLimit } from "./slot-limit.ts";

/** The number of a request, with which its outcome is reported: they count up from 1. */
export type Ticket = number;

/** How late a run may be and still catch up: timers are late by some milliseconds, a busy process by more. */
const timerLatenessMs = 10;
const busyMs = 50;

/**
 * Decides when a run may send its next request, and how many may be under way. Requests follow one another evenly. `"auto"` seeks
 * both limits by what the service refuses. Any clock that goes forward serves.
 */
export class Pace {
  readonly #fixedSlots: number;
  readonly #askedPerSecond: number;
  readonly #creditMs: number;
  #limit: SlotLimit | undefined;
  readonly #seeker: RateSeeker | undefined;
  /** When the next request may be sent, and what that was before the last one was sent. */
  #nextAtMs = Number.NEGATIVE_INFINITY;
  #wasNextAtMs = Number.NEGATIVE_INFINITY;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #last: Ticket = 0;
  /** The last request before the slots fell: a 503 for those before it says nothing new. */
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

  /** How many jobs may be in flight at once: an integer, 1 or more. Every call below may change it. */
  get slots(): number {
    return this.#limit?.slots ?? this.#fixedSlots;
  }

  /** Requests a second that the run allows itself at the moment; `Infinity` while it knows of no limit. */
  get perSecond(): number {
    return Math.min(this.#askedPerSecond, this.#seeker?.perSecond ?? Number.POSITIVE_INFINITY);
  }

  /** Whether as many requests are under way as may be. */
  get isFull(): boolean {
    return this.#underWay >= this.slots;
  }

  /** When the pause of the whole run that `Retry-After` asked for ends; not after now if there is none. */
  get pausedUntilMs(): number {
    return this.#pausedUntilMs;
  }

  /** How long to wait before the next request may be sent, in milliseconds; 0 for now. */
  waitMs(nowMs: number): number {
    return Math.max(0, this.#nextAtMs - nowMs);
  }

  /** Registers that a request is sent, the first of a job or a retry. One of the methods below reports what became of it. */
  sent(nowMs: number): Ticket {
    const askedMs = 1000 / this.#askedPerSecond;
    const soughtMs = this.#seeker?.spacingMs ?? 0;
    const spacingMs = Math.max(askedMs, soughtMs);
    const creditMs = Math.max(spacingMs, this.#creditMs);
    const isFirst = this.#last === 0;
    // A request that is later than that was held up by something else than its spacing.
    const isOnTime = isFirst || this.#nextAtMs >= nowMs - creditMs / 2;
    this.#last += 1;
    this.#underWay += 1;
    this.#limit?.sent(this.#underWay);
    this.#seeker?.sent(this.#last, nowMs, isOnTime && soughtMs >= askedMs);
    this.#wasNextAtMs = this.#nextAtMs;
    this.#nextAtMs = (isFirst ? nowMs : Math.max(this.#nextAtMs, nowMs - creditMs)) + spacingMs;
    return this.#last;
  }

  /** The request was not sent after all. If none was sent since, the next may be sent in its stead. */
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

  /** 503, or no answer in time: the service has too much to do. */
  overloaded(ticket: Ticket, nowMs: number, retryAfterMs: number | undefined): void {
    this.#underWay -= 1;
    if (ticket > this.#lastBeforeFall) {
      this.#limit?.fall(retryAfterMs ?? 0, nowMs);
      this.#lastBeforeFall = this.#last;
    }
    if (retryAfterMs !== undefined) this.#pause(nowMs, retryAfterMs);
  }

  /** The request failed in an outage of the service, which says nothing about the pace. */
  lost(ticket: Ticket, nowMs: number, retryAfterMs: number | undefined): void {
    this.#underWay -= 1;
    this.#lastBeforeFall = Math.max(this.#lastBeforeFall, ticket);
    if (retryAfterMs !== undefined) this.#pause(nowMs, retryAfterMs);
  }

  /** The service is back: it gets as few requests at once as at the beginning. */
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
