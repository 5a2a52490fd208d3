/** The initial number of slots, small enough not to overload any service. */
const firstSlots = 4;

/**
 * The maximum number of slots: more than most services render for one customer, and few enough for any machine. 64 documents of 1
 * MB take 64 MB. At 50 ms each, 64 in flight amount to 1,280 per second.
 */
const mostSlots = 64;

/**
 * A number of slots that was too high is retried after this many successes, so that at most half a percent of requests are
 * refused.
 */
const goodBeforeProbe = 200;

/**
 * It is also retried only after this multiple of the pause that it caused, so that pauses take at most a twentieth of the run.
 */
const pausesBeforeProbe = 20;

/**
 * Decides how many requests may be in flight. The number rises while all slots are in use, and falls after an overload. This
 * class has no side effects.
 */
export class SlotLimit {
  #slots = firstSlots;
  /** The last number that was too high. */
  #tooMany = Number.POSITIVE_INFINITY;
  #isQuickStart = true;
  /** Whether the last increase was a retry of that number. */
  #isProbe = false;
  /** The number of successes since the last change. */
  #good = 0;
  #probeNotBeforeMs = Number.NEGATIVE_INFINITY;
  /** The maximum number in flight since the last change after a refusal. */
  #most = 0;

  get slots(): number {
    return this.#slots;
  }

  /** Records that a request was sent, given the number in flight. */
  sent(underWay: number): void {
    this.#most = Math.max(this.#most, underWay);
  }

  /** Records a success, given the number in flight. */
  passed(underWay: number, nowMs: number): void {
    if (underWay < this.#slots || this.#slots === mostSlots) return;
    this.#good += 1;
    if (this.#isProbe && this.#good >= this.#slots) {
      this.#tooMany = Number.POSITIVE_INFINITY;
      this.#isProbe = false;
    }
    const isProbe = this.#slots + 1 >= this.#tooMany;
    if (this.#good < this.#goodBeforeNext(isProbe) || (isProbe && nowMs < this.#probeNotBeforeMs)) return;
    this.#isProbe = isProbe;
    this.#slots += 1;
    this.#good = 0;
  }

  /** Records an overload: halves the number of slots, or reverts the last increase. */
  fall(pauseMs: number, nowMs: number): void {
    const tooMany = this.#slots;
    this.#fallTo(this.#isProbe ? tooMany - 1 : Math.floor(tooMany / 2), tooMany);
    this.#probeNotBeforeMs = nowMs + pauseMs * pausesBeforeProbe;
  }

  /** Records a 429, given the number in flight. If that number is a new maximum, it may be the cause. */
  refused(underWay: number, isNews: boolean): void {
    this.#isQuickStart = false;
    if (!isNews || underWay < this.#most || underWay <= firstSlots) return;
    this.#fallTo(Math.min(this.#slots, underWay - 1), underWay);
    this.#most = underWay - 1;
  }

  #fallTo(slots: number, tooMany: number): void {
    this.#slots = Math.max(1, slots);
    this.#tooMany = Math.max(2, tooMany);
    this.#isQuickStart = false;
    this.#isProbe = false;
    this.#good = 0;
  }

  #goodBeforeNext(isProbe: boolean): number {
    if (isProbe) return Math.max(this.#slots, goodBeforeProbe);
    return this.#isQuickStart ? 1 : this.#slots;
  }
}
