/** How far below the ceiling it begins, and where it stays for long: safely below, where nothing is refused. */
const beginsAt = 0.935;
const staysAt = 0.985;

/** How fast it grows beyond the ceiling: to e times as much in so long, but slowly at first. */
const growthMs = 7_000;

/**
 * Pure: the rate after a refusal, in parts of the ceiling that the refusal told of, as TCP CUBIC does with its window
 * (RFC 9438, 4.1). It comes near to the ceiling quickly, stays a little below, and when the climb is over it goes
 * beyond faster and faster: there may be more by now. With no climb, where the ceiling is only a guess, it goes beyond
 * at once.
 *
 * @param sendingMs - how long requests were sent since the refusal
 * @param climbMs - how long it takes to come back to the ceiling
 */
export function rateAfterRefusal(sendingMs: number, climbMs: number): number {
  const left = climbMs === 0 ? 1 : Math.max(0, 1 - sendingMs / climbMs);
  const beyond = Math.max(0, sendingMs - climbMs) / growthMs;
  return (staysAt - (staysAt - beginsAt) * left ** 3) * Math.exp(beyond ** 2);
}
