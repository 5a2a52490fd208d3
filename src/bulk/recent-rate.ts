/** The length of the window, and the minimum distance between samples. */
const windowMs = 10_000;
const sampleMs = 250;

/** Measures a recent rate per second. Works with any monotonic clock. */
export class RecentRate {
  readonly #samples: { readonly atMs: number; readonly count: number }[];

  /** @param startMs - the time at which the count was `startCount` */
  constructor(startMs: number, startCount = 0) {
    this.#samples = [{ atMs: startMs, count: startCount }];
  }

  /** Records the current count. Returns the rate per second of the last 10 s. */
  at(nowMs: number, count: number): number {
    const samples = this.#samples;
    const last = samples.at(-1);
    if (last === undefined || nowMs - last.atMs >= sampleMs) samples.push({ atMs: nowMs, count });
    while (samples.length > 1 && nowMs - (samples[1]?.atMs ?? 0) >= windowMs) samples.shift();
    const [first] = samples;
    if (first === undefined || nowMs <= first.atMs) return 0;
    // Failed jobs that are retried are not finished any more.
    return (Math.max(0, count - first.count) * 1000) / (nowMs - first.atMs);
  }
}
