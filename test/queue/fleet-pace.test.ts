import { describe, expect, it } from "vitest";
import { Leading, windowOf } from "../../src/queue/fleet-pace.ts";

describe("a rate limit window", () => {
  it.each([0.1, 7.5, 187, 12_345])("allows %d requests per second to within 0.5%", (perSecond) => {
    const { max, duration } = windowOf(perSecond);
    expect(Number.isInteger(max) && Number.isInteger(duration)).toBe(true);
    expect((max * 1000) / duration / perSecond).toBeGreaterThan(0.995);
    expect((max * 1000) / duration / perSecond).toBeLessThan(1.005);
  });

  it("allows at least 1,000,000 requests per second if the limit is infinite", () => {
    const { max, duration } = windowOf(Number.POSITIVE_INFINITY);
    expect((max * 1000) / duration).toBeGreaterThanOrEqual(1_000_000);
  });
});

/**
 * Simulates four workers that can exceed the service's limit of `allowed` requests per second. Returns the
 * rates of the second half, the share of refusals, and the accepted requests per second.
 */
function simulate(allowed: number, seconds: number, known = Number.POSITIVE_INFINITY) {
  const leading = new Leading(known);
  const most = 1200;
  const settled: number[] = [];
  let [sent, passed, refusedCount, rate, pausedUntilMs] = [0, 0, 0, known, 0];
  let window = { second: -1, count: 0 };
  leading.at(-250, 0, 0, []);
  for (let nowMs = 0; nowMs < seconds * 1000; nowMs += 250) {
    const refusals: number[] = [];
    const wanted = nowMs < pausedUntilMs ? 0 : Math.round(Math.min(rate, most) / 4);
    for (let request = 0; request < wanted; request++) {
      const second = Math.floor(nowMs / 1000);
      if (second !== window.second) window = { second, count: 0 };
      sent++;
      if (++window.count <= allowed) passed++;
      // At most 64 are in flight when the first is refused.
      else if (refusals.length < 64) {
        refusals.push(1000);
        refusedCount++;
      }
    }
    if (refusals.length > 0) pausedUntilMs = nowMs + 1000;
    rate = leading.at(nowMs, sent, passed, refusals);
    if (nowMs > seconds * 500) settled.push(rate);
  }
  return { settled, refusedShare: refusedCount / sent, passedPerSecond: passed / seconds };
}

describe("the leading worker", () => {
  it.each([40, 600])("finds a limit of %d requests per second with few rejected requests", (allowed) => {
    const { settled, refusedShare, passedPerSecond } = simulate(allowed, 120);
    expect(Math.max(...settled)).toBeLessThan(allowed * 1.1);
    expect(Math.min(...settled)).toBeGreaterThan(allowed * 0.8);
    expect(refusedShare).toBeLessThan(0.02);
    expect(passedPerSecond).toBeGreaterThan(allowed * 0.85);
  });

  it("does not set a limit as long as no request is rejected", () => {
    expect(new Set(simulate(5000, 20).settled)).toEqual(new Set([Number.POSITIVE_INFINITY]));
  });

  it("does not count for long if a count in Redis was changed", () => {
    const leading = new Leading(50);
    leading.at(0, 0, 0, []);
    // Counting to these numbers would take years.
    const rate = leading.at(250, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, []);
    expect(rate).toBeGreaterThan(0);
  });

  it("starts just below the limit that another worker has found", () => {
    const leading = new Leading(200);
    const rate = leading.at(0, 0, 0, []);
    expect(rate).toBeGreaterThan(180);
    expect(rate).toBeLessThan(200);
  });
});
