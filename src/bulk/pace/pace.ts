import { EvenSpacing } from "./even-spacing.ts";
import { RateSeeker } from "./rate-seeker.ts";
import { SlotLimit } from "./slot-limit.ts";

/** What the outcome of a request is told with: the number of the request. */
export type Ticket = number;

/** When a run may send its next request, and how many may be under way. Any clock that goes forward serves. */
export interface Pace {
  /** How many jobs may be in hand at once: an integer, 1 or more. May change with every call below. */
  readonly slots: number;
  /** Requests a second that the run allows itself at the moment; `Infinity` while it knows of no limit. */
  readonly perSecond: number;
  /** When the pause of the whole run that `Retry-After` asked for ends; not after now if there is none. */
  readonly pausedUntilMs: number;
  /** How long to wait before the next request may be sent, in milliseconds; 0 for now. Asking changes nothing. */
  waitMs(nowMs: number): number;
  /** A request is sent, the first of a job or a retry. Each ticket is told of once below. */
  sent(nowMs: number): Ticket;
  /** It was not sent after all. If none was sent since, the next may be sent in its stead. */
  unsent(ticket: Ticket, nowMs: number): void;
  /** It was answered well, or failed in a way that says nothing about the pace. */
  passed(ticket: Ticket, nowMs: number): void;
  /** Refused with 429: too many requests. `retryAfterMs` is what `Retry-After` asks for. */
  refused(ticket: Ticket, nowMs: number, retryAfterMs: number | undefined): void;
  /** 503 or no answer in time: the service has too much in hand. */
  overloaded(ticket: Ticket, nowMs: number, retryAfterMs: number | undefined): void;
}

/** Makes the pace of one run. `"auto"` seeks both limits by what the service refuses. */
export function createPace(options: {
  readonly concurrency: number | "auto";
  readonly perSecond?: number | undefined;
}): Pace {
  return options.concurrency === "auto"
    ? new SeekingPace(options.perSecond)
    : new FixedPace(options.concurrency, options.perSecond);
}

/** What both share: a rate that is asked for, and the pauses that `Retry-After` asks for. */
class FixedPace implements Pace {
  readonly perSecond: number;
  readonly #slots: number;
  readonly #spacing = new EvenSpacing();
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #lastTicket = 0;

  constructor(slots: number, perSecond = Number.POSITIVE_INFINITY) {
    this.#slots = slots;
    this.perSecond = perSecond;
  }

  get slots(): number {
    return this.#slots;
  }

  get pausedUntilMs(): number {
    return this.#pausedUntilMs;
  }

  waitMs(nowMs: number): number {
    return Math.max(this.#spacing.waitMs(nowMs), this.#pausedUntilMs - nowMs);
  }

  sent(nowMs: number): Ticket {
    this.#spacing.sent(nowMs, 1000 / this.perSecond);
    this.#lastTicket += 1;
    return this.#lastTicket;
  }

  unsent(ticket: Ticket, _nowMs: number): void {
    if (ticket === this.#lastTicket) this.#spacing.lastUnsent();
  }

  passed(_ticket: Ticket, _nowMs: number): void {}

  refused(_ticket: Ticket, nowMs: number, retryAfterMs: number | undefined): void {
    if (retryAfterMs === undefined) return;
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, nowMs + retryAfterMs);
    this.#spacing.holdUntil(this.#pausedUntilMs);
  }

  overloaded(ticket: Ticket, nowMs: number, retryAfterMs: number | undefined): void {
    this.refused(ticket, nowMs, retryAfterMs);
  }
}

/** A process that is busy with documents is late by this much now and then, and would lose so much of its rate. */
const busyMs = 50;

/** `"auto"`, within the rate that is asked for. */
class SeekingPace implements Pace {
  readonly #asked: FixedPace;
  readonly #seeker = new RateSeeker();
  readonly #spacing = new EvenSpacing(busyMs);
  readonly #limit = new SlotLimit();
  #underWay = 0;
  /** The last request before the slots fell: 503 for those before it is no news. */
  #lastBeforeFall = 0;

  constructor(perSecond: number | undefined) {
    this.#asked = new FixedPace(1, perSecond);
  }

  get slots(): number {
    return this.#limit.slots;
  }

  get perSecond(): number {
    return Math.min(this.#asked.perSecond, this.#seeker.perSecond);
  }

  get pausedUntilMs(): number {
    return this.#asked.pausedUntilMs;
  }

  waitMs(nowMs: number): number {
    return Math.max(this.#asked.waitMs(nowMs), this.#spacing.waitMs(nowMs));
  }

  sent(nowMs: number): Ticket {
    this.#underWay += 1;
    this.#limit.sent(this.#underWay);
    this.#asked.sent(nowMs);
    const { spacingMs } = this.#seeker;
    const isAtFullRate = !this.#spacing.isBehind(nowMs, spacingMs);
    this.#spacing.sent(nowMs, spacingMs);
    return this.#seeker.sent(nowMs, isAtFullRate);
  }

  unsent(ticket: Ticket, nowMs: number): void {
    this.#underWay -= 1;
    // Both count alike.
    this.#asked.unsent(ticket, nowMs);
    if (ticket === this.#seeker.last) this.#spacing.lastUnsent();
    this.#seeker.unsent(ticket);
  }

  passed(ticket: Ticket, nowMs: number): void {
    this.#limit.passed(this.#underWay, nowMs, this.#seeker.isGuess);
    this.#underWay -= 1;
    this.#seeker.passed(ticket);
  }

  refused(ticket: Ticket, nowMs: number, retryAfterMs: number | undefined): void {
    const pauseMs = retryAfterMs ?? 0;
    this.#limit.refused(this.#underWay, this.#seeker.isNews(ticket), pauseMs, nowMs);
    this.#underWay -= 1;
    const holdMs = this.#seeker.refused(ticket, nowMs, pauseMs);
    this.#spacing.holdUntil(nowMs + (retryAfterMs ?? holdMs));
    this.#asked.refused(ticket, nowMs, retryAfterMs);
  }

  overloaded(ticket: Ticket, nowMs: number, retryAfterMs: number | undefined): void {
    this.#underWay -= 1;
    if (ticket > this.#lastBeforeFall) {
      this.#limit.fall(retryAfterMs ?? 0, nowMs);
      this.#lastBeforeFall = this.#seeker.last;
    }
    if (retryAfterMs !== undefined) this.#spacing.holdUntil(nowMs + retryAfterMs);
    this.#asked.overloaded(ticket, nowMs, retryAfterMs);
  }
}
