import { rateAfterRefusal } from "./rate-curve.ts";
import { SentRequests } from "./sent-requests.ts";

/** The first requests a second, and what each good answer adds to them: fivefold in a second. */
const firstRate = 25;
const rampPerAnswer = 1.6;

/** So soon after a fall, a refusal says that it did not fall far enough. */
const soonMs = 2_500;

/** A service that asks for a longer pause than this may limit over more than a second. */
const longPauseMs = 1_500;

/** A refusal at so many times the ceiling tells the next one only roughly. */
const farBeyond = 1.25;

/** And what it tells is another limit, where it is so much below the last. */
const farBelow = 0.8;

/** How long it takes to come back to the ceiling: longer where refusals are dear, but not for ever. */
const shortestClimbMs = 10_000;
const longestClimbMs = 120_000;
/** A pause may take a thirtieth of the run, and refusals may be a hundredth of the requests. */
const climbPerPause = 30;
const requestsPerRefusal = 150;

/** The first refusal tells a rate where so many were sent in the second before; fewer say nothing. */
const tellingCount = 5;

/** One refusal is no proof that less than so much of the rate is allowed. */
const deepestFall = 0.6;

const shortestHoldMs = 100;
const longestHoldMs = 8_000;
const longestDebtMs = 1_000;

/** One in 50 seconds. */
const slowestRate = 0.02;

const newSpell = { falls: 0, refused: 0, pauseMs: 0, accepted: 0, sendingMs: 0, ceilingBefore: 0 };

/**
 * Pure: seeks the rate that a service allows by what it refuses. Until the first refusal, the rate rises with every
 * good answer. A refusal tells a ceiling; `rateAfterRefusal` says what becomes of the rate below and beyond it.
 */
export class RateSeeker {
  readonly #sent = new SentRequests();
  #rampRate = firstRate;
  /** What was refused the last time; `Infinity` before that. */
  #ceiling = Number.POSITIVE_INFINITY;
  #climbMs = 0;
  /** Whether the ceiling is no more than a guess. */
  #isGuess = true;
  /** What the refusals that followed one another soon came to. */
  #spell = newSpell;
  #holdMs = 0;

  /** Requests a second; `Infinity` before the first refusal. */
  get perSecond(): number {
    return this.#isUnlimited ? Number.POSITIVE_INFINITY : this.#rate;
  }

  /** The time between two requests; before the first refusal, too. */
  get spacingMs(): number {
    return 1000 / this.#rate;
  }

  /** Whether it has fallen, and seeks anew how much is allowed. */
  get isGuess(): boolean {
    return this.#isGuess;
  }

  /** The last request that was sent. */
  get last(): number {
    return this.#sent.last;
  }

  /** Whether it was sent after the last fall, so that a refusal of it tells more than that one did. */
  isNews(number: number): boolean {
    return number > this.#sent.mark;
  }

  /** A request is sent, as soon as the rate allows or later; gives its number. */
  sent(nowMs: number, isAtFullRate: boolean): number {
    return this.#sent.add(nowMs, this.spacingMs, isAtFullRate);
  }

  /** It was not sent after all. */
  unsent(number: number): void {
    this.#sent.remove(number);
  }

  passed(number: number): void {
    if (this.#isUnlimited) this.#rampRate += rampPerAnswer;
    if (this.isNews(number)) this.#holdMs = 0;
  }

  /** It was refused. Gives how long to send nothing if the service asks for no pause. */
  refused(number: number, nowMs: number, pauseMs: number): number {
    if (!this.isNews(number)) {
      this.#spell.refused += 1;
      this.#climbMs = this.#climbAfterSpell();
      return 0;
    }
    const sendingMs = this.#sent.sendingMs;
    const seen = Math.max(1, this.#sent.inTheSecondBefore(number));
    this.#beginOrContinueSpell(number, pauseMs);
    this.#setCeiling(number, nowMs, seen, pauseMs);
    this.#sent.setMark(nowMs);
    this.#climbMs = this.#climbAfterSpell();
    this.#holdMs = Math.min(longestHoldMs, Math.max(shortestHoldMs, this.#holdMs * 2));
    // What was sent in less than a second beyond the new rate is made up for by waiting.
    const debtMs = (seen / this.#rate) * 1000 - Math.min(1000, sendingMs);
    return Math.max(this.#holdMs, Math.min(longestDebtMs, debtMs));
  }

  get #isUnlimited(): boolean {
    return this.#ceiling === Number.POSITIVE_INFINITY;
  }

  get #rate(): number {
    if (this.#isUnlimited) return this.#rampRate;
    return Math.max(slowestRate, this.#ceiling * rateAfterRefusal(this.#sent.sendingMs, this.#climbMs));
  }

  #beginOrContinueSpell(number: number, pauseMs: number): void {
    const { sendingMs } = this.#sent;
    const isSoon = !this.#isUnlimited && sendingMs < soonMs;
    const spell = isSoon ? this.#spell : { ...newSpell, ceilingBefore: this.#ceiling };
    this.#spell = {
      falls: spell.falls + 1,
      refused: spell.refused + 1,
      pauseMs: spell.pauseMs + pauseMs,
      accepted: spell.accepted + this.#sent.countSinceMark(number),
      sendingMs: spell.sendingMs + sendingMs,
      ceilingBefore: spell.ceilingBefore,
    };
  }

  /** `seen`: how many were sent in the second before. */
  #setCeiling(number: number, nowMs: number, seen: number, pauseMs: number): void {
    const rate = this.#rate;
    const last = this.#ceiling;
    const isLongPause = pauseMs > longPauseMs;
    // After a pause, few were seen for another reason.
    const least = this.#isUnlimited && seen >= tellingCount ? 0 : deepestFall * rate;
    let ceiling = Math.min(rate, Math.max(seen, least));
    this.#isGuess = rate > farBeyond * last || this.#isUnlimited || seen < least;
    const isRightAfterFall = this.#sent.countSinceMark(number) < Math.max(1, least);
    if (this.#spell.falls > 1 && isLongPause && isRightAfterFall) {
      ceiling = this.#ceilingAcrossPauses(last);
    } else if (this.#spell.falls > 2 && !isLongPause) {
      // Again and again: what the service let pass lies between the average since the fall, and the rate.
      const average = this.#sent.perSecondSinceMark(number, nowMs);
      ceiling = average === 0 ? last : Math.min(ceiling, rate * (average / rate) ** 0.25);
      this.#isGuess ||= average === 0 || ceiling < 0.88 * rate;
    } else if (
      this.#spell.falls === 1 &&
      ceiling > farBelow * last &&
      this.#sent.sendingMs > this.#climbMs / 2
    ) {
      // After a long time, a little below: half of that may be chance.
      if (ceiling < last) ceiling = (ceiling + last) / 2;
    }
    this.#ceiling = Math.max(slowestRate, ceiling);
  }

  /** Refused right after a long pause: it limits over more than that, and what it let pass was for the pauses, too. */
  #ceilingAcrossPauses(last: number): number {
    const { accepted, sendingMs, pauseMs, ceilingBefore } = this.#spell;
    const average = accepted === 0 ? last : (accepted * 1000) / (sendingMs + pauseMs);
    const ceiling = Math.min(last, Math.max(deepestFall * last, average));
    // Or it was out of order: only what is nearly the same as before is sure.
    this.#isGuess = accepted === 0 || ceiling > average || ceiling < farBelow * ceilingBefore;
    return ceiling;
  }

  #climbAfterSpell(): number {
    if (this.#isGuess) return 0;
    const forPausesMs = climbPerPause * this.#spell.pauseMs;
    const forRefusalsMs = (requestsPerRefusal * this.#spell.refused * 1000) / this.#ceiling;
    return Math.max(shortestClimbMs, Math.min(longestClimbMs, Math.max(forPausesMs, forRefusalsMs)));
  }
}
