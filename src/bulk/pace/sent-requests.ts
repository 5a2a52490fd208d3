/** More than are sent in a second by the runs that this is for; 16 kB. */
const remembered = 2_048;

/** A little more than a second, because what is sent evenly is a little late now and then. */
const secondMs = 1_010;

/** A gap of this much is no sign of idleness: a busy process is late. */
const lateMs = 50;

/** The requests that were sent: their numbers, which count up from 1, and when the last 2,048 of them were. */
export class SentRequests {
  readonly #times = new Float64Array(remembered);
  #last = 0;
  #mark = 0;
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

  /** One is sent, where they may follow each other so closely; gives its number. */
  add(nowMs: number, spacingMs: number): number {
    const gapMs = this.#last === 0 ? 0 : nowMs - this.#at(this.#last);
    if (gapMs <= Math.max(1.5 * spacingMs, lateMs)) this.#sendingMs += gapMs;
    if (this.#last === 0) this.#markedAtMs = nowMs;
    this.#last += 1;
    this.#times[this.#last % remembered] = nowMs;
    return this.#last;
  }

  /** What comes from now on is counted anew. */
  setMark(nowMs: number): void {
    this.#mark = this.#last;
    this.#markedAtMs = nowMs;
    this.#sendingMs = 0;
  }

  /** How many a second were sent from the mark until now, before that one, pauses included. */
  perSecondSinceMark(number: number, nowMs: number): number {
    return ((number - this.#mark - 1) * 1000) / Math.max(1, nowMs - this.#markedAtMs);
  }

  /** How many were sent in the second before that one, without it. */
  inTheSecondBefore(number: number): number {
    const oldest = Math.max(1, this.#last - remembered + 1);
    if (number <= oldest) return Math.min(number - 1, remembered);
    const atMs = this.#at(number);
    let first = number;
    while (first > oldest && this.#at(first - 1) > atMs - secondMs) first -= 1;
    if (first > oldest || oldest === 1) return number - first;
    // The memory ends within the second: before that, it went on like this.
    return ((number - first) * 1000) / Math.max(1, atMs - this.#at(first));
  }

  #at(number: number): number {
    return this.#times[number % remembered] ?? 0;
  }
}
