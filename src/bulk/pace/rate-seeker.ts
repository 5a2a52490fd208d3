/** The first requests a second, and what each good answer adds to them: fivefold in a second. */
const firstRate = 25;
const rampPerAnswer = 1.6;

/** The first refusal may come long after the ramp went beyond the limit: it tells what was sent of late. */
const recentMs = 600;
/** One later refusal is no proof that less than so much of the rate is allowed. */
const deepestFall = 0.6;
/** A refusal so soon after a fall says that it did not fall far enough. */
const soonMs = 2_500;
const soonFall = 0.94;

/** In parts of the ceiling: where the rate begins after a fall, and where it stays for long, safely below. */
const beginsAt = 0.935;
const staysAt = 0.985;
/** How fast the rate grows beyond the ceiling: to e times as much in so long, but slowly at first. */
const growthMs = 8_500;

/** How long it takes to come back to the ceiling: longer where refusals are dear, but not for ever. */
const shortestClimbMs = 10_000;
const longestClimbMs = 200_000;
/** A pause may take a fortieth of the run, and refusals half a percent of the requests. */
const climbPerPause = 40;
const requestsPerRefusal = 200;

/** How long to send nothing after a refusal without `Retry-After`: the longest if everything is refused. */
const shortestHoldMs = 100;
const longestHoldMs = 8_000;
/** The rate rose quickly, and the service may count what was sent in the second before. */
const holdAfterGuessMs = 400;

/** One in ten seconds. */
const slowestRate = 0.1;

/** A longer gap between two requests is idleness; a shorter one a busy process. */
const lateMs = 50;

/**
 * Seeks the rate that a service allows by what it refuses. Until the first refusal, the rate rises with every good answer. A refusal
 * tells a ceiling: the rate falls a little below it, comes back, stays there for long and then goes beyond it faster and faster, as
 * TCP CUBIC does with its window (RFC 9438, 4.1).
 */
export class RateSeeker {
  #rampRate = firstRate;
  /** `Infinity` before the first refusal. */
  #ceiling = Number.POSITIVE_INFINITY;
  /** How long it takes to come back to the ceiling; 0 while the ceiling is only a guess, to go beyond it at once. */
  #climbMs = 0;
  /** How long requests were sent as fast as allowed since the last fall: without pauses and idle times. */
  #sendingMs = 0;
  #lastAtMs = 0;
  #last = 0;
  /** The last request before the fall. Refusals of those before it say nothing new. */
  #lastBeforeFall = 0;
  /** Good answers to requests that were sent since the fall. */
  #passedCount = 0;
  #holdMs = 0;
  /** How many were sent of late, where earlier ones count for less and less. */
  #recentCount = 0;

  /** Creates a seeker that knows about where the limit is: it begins a little below. */
  static below(ceiling: number): RateSeeker {
    const seeker = new RateSeeker();
    seeker.#ceiling = ceiling;
    seeker.#climbMs = seeker.#climbAfter(0);
    return seeker;
  }

  /** Requests a second; `Infinity` before the first refusal. */
  get perSecond(): number {
    return this.#isUnlimited ? Number.POSITIVE_INFINITY : this.#rate;
  }

  /** The time between two requests; before the first refusal, too. */
  get spacingMs(): number {
    return 1000 / this.#rate;
  }

  /** Whether a request was sent after the last fall, so that its refusal tells more than that one did. */
  isNews(number: number): boolean {
    return number > this.#lastBeforeFall;
  }

  /** Registers that a request is sent, as soon as the rate allows or later. */
  sent(number: number, nowMs: number, isAtFullRate: boolean): void {
    const gapMs = this.#last === 0 ? 0 : nowMs - this.#lastAtMs;
    if (isAtFullRate && gapMs <= Math.max(1.5 * this.spacingMs, lateMs)) this.#sendingMs += gapMs;
    this.#recentCount = this.#recentCountAt(nowMs) + 1;
    this.#lastAtMs = nowMs;
    this.#last = number;
  }

  /** The last request, or one shortly before it, was not sent after all. */
  unsent(): void {
    this.#recentCount = Math.max(0, this.#recentCount - 1);
  }

  passed(number: number): void {
    if (this.#isUnlimited) this.#rampRate += rampPerAnswer;
    if (!this.isNews(number)) return;
    this.#holdMs = 0;
    this.#passedCount += 1;
  }

  /** Registers a refusal. Returns how long to send nothing if the service asks for no pause. */
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

  /** Whether the ceiling is no more than a guess: all was refused, or nothing yet. */
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

  /** What a refusal tells of the limit. */
  #ceilingAt(nowMs: number): number {
    const rate = this.#rate;
    const recentRate = (this.#recentCountAt(nowMs) * 1000) / recentMs;
    if (this.#isUnlimited) return Math.min(rate, recentRate);
    // The service refuses everything: that tells nothing of what it allows otherwise.
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
