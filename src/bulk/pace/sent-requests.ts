/** More than are sent in a second by the runs that this is for; 16 kB. */
const remembered = 2_048;

/** A little more than a second, because what is sent evenly is a little late now and then. */
const secondMs = 1_010;

/** A gap of this much is no sign of idleness: a busy process is late. */
const lateMs = 50;

/**
 * The requests that were sent: their numbers, which count up from 1, and when the last 2,048 of them were. What was not
 * sent after all keeps its number, and has no time.
 */
export class SentRequests {
  readonly #times = new Float64Array(remembered);
  #last = 0;
  #lastAtMs = Number.NaN;
  #mark = 0;
  #removedSinceMark = 0;
  #markedAtMs = Number.NaN;
  #sendingMs = 0;

  /** The number of the last one; 0 before the first. */
  get last(): number {
    return this.#last;
  }

  /** The last one before the mark. */
  get mark(): number {
    return this.#mark;
  }

  /** How long requests were sent as fast as allowed since the mark: without the pauses, and idle times. */
  get sendingMs(): number {
    return this.#sendingMs;
  }

  /** One is sent, where they may follow each other so closely, and do or are held up; gives its number. */
  add(nowMs: number, spacingMs: number, isAtFullRate: boolean): number {
    const gapMs = this.#last === 0 ? 0 : nowMs - this.#lastAtMs;
    if (isAtFullRate && gapMs <= Math.max(1.5 * spacingMs, lateMs)) this.#sendingMs += gapMs;
    if (this.#last === 0) this.#markedAtMs = nowMs;
    this.#last += 1;
    this.#lastAtMs = nowMs;
    this.#times[this.#last % remembered] = nowMs;
    return this.#last;
  }

  /** That one was not sent. */
  remove(number: number): void {
    if (number > this.#last - remembered) this.#times[number % remembered] = Number.NaN;
    if (number > this.#mark) this.#removedSinceMark += 1;
  }

  /** What comes from now on is counted anew. */
  setMark(nowMs: number): void {
    this.#mark = this.#last;
    this.#markedAtMs = nowMs;
    this.#removedSinceMark = 0;
    this.#sendingMs = 0;
  }

  /** How many were sent from the mark until that one, without it. */
  countSinceMark(number: number): number {
    return Math.max(0, number - this.#mark - 1 - this.#removedSinceMark);
  }

  /** How many a second were sent from the mark until now, before that one, pauses included. */
  perSecondSinceMark(number: number, nowMs: number): number {
    return (this.countSinceMark(number) * 1000) / Math.max(1, nowMs - this.#markedAtMs);
  }

  /** How many were sent in the second before that one, without it. */
  inTheSecondBefore(number: number): number {
    const oldest = Math.max(1, this.#last - remembered + 1);
    if (number <= oldest) return Math.min(number - 1, remembered);
    const atMs = this.#at(number);
    let [count, fromMs] = [0, atMs];
    for (let earlier = number - 1; earlier >= oldest; earlier -= 1) {
      const sentAtMs = this.#at(earlier);
      if (sentAtMs <= atMs - secondMs) return count;
      if (Number.isNaN(sentAtMs)) continue;
      count += 1;
      fromMs = sentAtMs;
    }
    // The memory ends within the second: before that, it went on like this.
    return oldest === 1 ? count : (count * 1000) / Math.max(1, atMs - fromMs);
  }

  #at(number: number): number {
    return this.#times[number % remembered] ?? 0;
  }
}
