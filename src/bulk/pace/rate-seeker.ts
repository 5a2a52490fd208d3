/** The initial number of requests per second, and the increase with each success. The rate grows fivefold in a second. */
const firstRate = 25;
const rampPerAnswer = 1.6;

/** The first refusal may come long after the rate exceeded the limit, so it refers to recent requests. */
const recentMs = 600;
/** A later refusal does not prove that the allowed rate is below this fraction of the current rate. */
const deepestFall = 0.6;
/** A refusal this soon after a fall means that the rate is still too high. */
const soonMs = 2_500;
const soonFall = 0.94;

/** Fractions of the ceiling: the rate after a fall, and the rate that is held for long. */
const beginsAt = 0.935;
const staysAt = 0.985;
/** The time in which the rate grows e-fold beyond the ceiling, slowly at first. */
const growthMs = 8_500;

/** The time to return to the ceiling: longer if refusals are expensive, within limits. */
const shortestClimbMs = 10_000;
const longestClimbMs = 200_000;
/** Pauses may take a fortieth of the run, and refusals half a percent of the requests. */
const climbPerPause = 40;
const requestsPerRefusal = 200;

/** The pause after a refusal without `Retry-After`, longest if everything is refused. */
const shortestHoldMs = 100;
const longestHoldMs = 8_000;
/** The rate rose quickly, and the service may count the requests of the previous second. */
const holdAfterGuessMs = 400;

/** One in ten seconds. */
const slowestRate = 0.1;

/** A longer gap between two requests counts as idle time, a shorter one as a busy process. */
const lateMs = 50;

/**
 * Finds the rate that a service allows. Until the first refusal, the rate rises with every success. A refusal sets a ceiling. The
 * rate falls slightly below the ceiling, returns to it, stays there for long, and then exceeds it faster and faster, like the TCP
 * CUBIC window (RFC 9438, 4.1).
 */
export class RateSeeker {
  #rampRate = firstRate;
  /** `Infinity` before the first refusal. */
  #ceiling = Number.POSITIVE_INFINITY;
  /** The time to return to the ceiling; 0 while the ceiling is a guess, to exceed it immediately. */
  #climbMs = 0;
  /** The time since the last fall in which requests were sent at the full rate, without pauses and idle times. */
  #sendingMs = 0;
  #lastAtMs = 0;
  #last = 0;
  /** The last request before the fall. Refusals of earlier requests are ignored. */
  #lastBeforeFall = 0;
  /** The number of successes among the requests since the fall. */
  #passedCount = 0;
  #holdMs = 0;
  /** The number of recent requests, weighted by age. */
  #recentCount = 0;

  /** The rate in requests per second; `Infinity` before the first refusal. */
  get perSecond(): number {
    return this.#isUnlimited ? Number.POSITIVE_INFINITY : this.#rate;
  }

  /** The time between two requests, which is also defined before the first refusal. */
  get spacingMs(): number {
    return 1000 / this.#rate;
  }

  /** Whether a request was sent after the last fall, so that its refusal is new information. */
  isNews(number: number): boolean {
    return number > this.#lastBeforeFall;
  }

  /** Records that a request was sent. */
  sent(number: number, nowMs: number, isAtFullRate: boolean): void {
    const gapMs = this.#last === 0 ? 0 : nowMs - this.#lastAtMs;
    if (isAtFullRate && gapMs <= Math.max(1.5 * this.spacingMs, lateMs)) this.#sendingMs += gapMs;
    this.#recentCount = this.#recentCountAt(nowMs) + 1;
    this.#lastAtMs = nowMs;
    this.#last = number;
  }

  /** Records that a recent request was not sent. */
  unsent(): void {
    this.#recentCount = Math.max(0, this.#recentCount - 1);
  }

  passed(number: number): void {
    if (this.#isUnlimited) this.#rampRate += rampPerAnswer;
    if (!this.isNews(number)) return;
    this.#holdMs = 0;
    this.#passedCount += 1;
  }

  /** Records a refusal. Returns the pause to use if the service does not request one. */
  refused(number: number, nowMs: number, pauseMs: number): number {
    if (!this.isNews(number)) return 0;
    const wasGuess = this.#isGuess;
    const isGuess = this.#isUnlimited || this.#passedCount === 0;
    this.#ceiling = Math.max(slowestRate, this.#ceilingAt(nowMs));
    this.#lastBeforeFall = this.#last;
    this.#sendingMs = 0;
    this.#passedCount = 0;
    this.#climbMs = isGuess ? 0 : this.#climbAfter(pauseMs);
    this.#holdMs = Math.min(longestHoldMs, Math.max(shortestHoldMs, this.#holdMs * 2));
    return Math.max(this.#holdMs, wasGuess ? holdAfterGuessMs : 0);
  }

  /** Whether the ceiling is a guess, because everything or nothing was refused. */
  get #isGuess(): boolean {
    return this.#climbMs === 0;
  }

  get #isUnlimited(): boolean {
    return this.#ceiling === Number.POSITIVE_INFINITY;
  }

  get #rate(): number {
    if (this.#isUnlimited) return this.#rampRate;
    const left = this.#isGuess ? 1 : Math.max(0, 1 - this.#sendingMs / this.#climbMs);
    const beyond = Math.max(0, this.#sendingMs - this.#climbMs) / growthMs;
    return this.#ceiling * (staysAt - (staysAt - beginsAt) * left ** 3) * Math.exp(beyond ** 2);
  }

  /** Returns the limit that a refusal indicates. */
  #ceilingAt(nowMs: number): number {
    const rate = this.#rate;
    const recentRate = (this.#recentCountAt(nowMs) * 1000) / recentMs;
    if (this.#isUnlimited) return Math.min(rate, recentRate);
    // The service refuses everything, which says nothing about its normal limit.
    if (this.#passedCount === 0) return this.#ceiling;
    if (this.#sendingMs < soonMs) return rate * soonFall;
    return Math.min(rate, Math.max(deepestFall * rate, recentRate));
  }

  #recentCountAt(nowMs: number): number {
    return this.#recentCount * Math.exp((this.#lastAtMs - nowMs) / recentMs);
  }

  #climbAfter(pauseMs: number): number {
    const forRefusalMs = (requestsPerRefusal * 1000) / this.#ceiling;
    const climbMs = Math.max(shortestClimbMs, climbPerPause * pauseMs, forRefusalMs);
    return Math.min(longestClimbMs, climbMs);
  }
}
