/** How much time a run that was late may make up for: what timers are late by. One request is always made up for. */
const creditMs = 10;

/** Pure: when the next request may be sent, so that they follow one another evenly and never in a burst. */
export class EvenSpacing {
  #nextAtMs = Number.NEGATIVE_INFINITY;

  /** How long until then; 0 for now. */
  waitMs(nowMs: number): number {
    return Math.max(0, this.#nextAtMs - nowMs);
  }

  /** One is sent: the next may follow `spacingMs` after the time it was due at, however late it was. */
  sent(nowMs: number, spacingMs: number): void {
    const isFirst = this.#nextAtMs === Number.NEGATIVE_INFINITY;
    const dueMs = isFirst ? nowMs : Math.max(this.#nextAtMs, nowMs - Math.max(spacingMs, creditMs));
    this.#nextAtMs = dueMs + spacingMs;
  }

  /** None before then. */
  holdUntil(timeMs: number): void {
    this.#nextAtMs = Math.max(this.#nextAtMs, timeMs);
  }
}
