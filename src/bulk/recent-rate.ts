/** How far back it looks, and how far apart its samples are at least. */
const windowMs = 10_000;
const sampleMs = 250;

/** How many there were a second, lately. Any clock that goes forward serves. */
export class RecentRate {
  readonly #samples: { readonly atMs: number; readonly count: number }[];

  /** @param startMs - when counting began, at `startCount` */
  constructor(startMs: number, startCount = 0) {
    this.#samples = [{ atMs: startMs, count: startCount }];
  }

  /** Notes how many there have been until now; gives how many that were a second in the last 10 s. */
  at(nowMs: number, count: number): number {
    const samples = this.#samples;
    const last = samples.at(-1);
    if (last === undefined || nowMs - last.atMs >= sampleMs) samples.push({ atMs: nowMs, count });
    while (samples.length > 1 && nowMs - (samples[1]?.atMs ?? 0) >= windowMs) samples.shift();
    const [first] = samples;
    if (first === undefined || nowMs <= first.atMs) return 0;
    return ((count - first.count) * 1000) / (nowMs - first.atMs);
  }
}
