/** A run begins so small that a service that has enough with that much is not flooded. */
const firstSlots = 4;

/**
 * More documents at once than most services render for one customer, and few enough sockets and documents in memory
 * for any machine: 64 of 1 MB are 64 MB. At 50 ms a document, 64 in hand are 1,280 a second.
 */
const mostSlots = 64;

/** What was too much once is tried again after so many good answers: half a percent of refusals at most. */
const goodBeforeProbe = 200;

/** And after so many times the pause that it cost, so that pauses take a twentieth of the run at most. */
const pausesBeforeProbe = 20;

/** Pure: how many requests may be under way. It rises while all slots are in use, and falls when it was too much. */
export class SlotLimit {
  #slots = firstSlots;
  /** What was too much the last time. */
  #tooMany = Number.POSITIVE_INFINITY;
  #isQuickStart = true;
  /** Whether the last rise was to what had been too much. */
  #isProbe = false;
  /** Good answers since the last change. */
  #good = 0;
  #probeNotBeforeMs = Number.NEGATIVE_INFINITY;
  /** The most that were under way since the last change by a refusal. */
  #most = 0;

  get slots(): number {
    return this.#slots;
  }

  /** One more is under way; so many there are with it. */
  sent(underWay: number): void {
    this.#most = Math.max(this.#most, underWay);
  }

  /** A good answer, of so many that were under way. */
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

  /** So many were too much: half, or one less where one more was only tried. */
  fall(pauseMs: number, nowMs: number): void {
    const tooMany = this.#slots;
    this.#fallTo(this.#isProbe ? tooMany - 1 : Math.floor(tooMany / 2), tooMany);
    this.#probeNotBeforeMs = nowMs + pauseMs * pausesBeforeProbe;
  }

  /** 429, when so many were under way, with it. If there never were more, that may have been the reason. Few are no reason. */
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
