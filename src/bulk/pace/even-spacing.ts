/** What timers are late by. */
const timerLatenessMs = 10;

/** Pure: when the next request may be sent, so that they follow one another evenly and never in a burst. */
export class EvenSpacing {
  readonly #creditMs: number;
  #nextAtMs = Number.NEGATIVE_INFINITY;
  /** What it was before the last one was sent. */
  #wasNextAtMs = Number.NEGATIVE_INFINITY;

  /** `creditMs`: how much time a run that was late may make up for. One request is always made up for. */
  constructor(creditMs = timerLatenessMs) {
    this.#creditMs = creditMs;
  }

  /** How long until then; 0 for now. */
  waitMs(nowMs: number): number {
    return Math.max(0, this.#nextAtMs - nowMs);
  }

  /** Whether one that is sent now is so late that something else than the spacing held it up. */
  isBehind(nowMs: number, spacingMs: number): boolean {
    return this.#nextAtMs < nowMs - Math.max(spacingMs, this.#creditMs) / 2;
  }

  /** One is sent: the next may follow `spacingMs` after the time it was due at, however late it was. */
  sent(nowMs: number, spacingMs: number): void {
    const isFirst = this.#nextAtMs === Number.NEGATIVE_INFINITY;
    const dueMs = isFirst ? nowMs : Math.max(this.#nextAtMs, nowMs - Math.max(spacingMs, this.#creditMs));
    this.#wasNextAtMs = this.#nextAtMs;
    this.#nextAtMs = dueMs + spacingMs;
  }

  /** The last one was not sent after all: the next may follow when that one might have. */
  lastUnsent(): void {
    this.#nextAtMs = this.#wasNextAtMs;
  }

  /** None before then. */
  holdUntil(timeMs: number): void {
    this.#nextAtMs = Math.max(this.#nextAtMs, timeMs);
    this.#wasNextAtMs = Math.max(this.#wasNextAtMs, timeMs);
  }
}
