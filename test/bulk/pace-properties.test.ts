import fc from "fast-check";
import { describe, expect } from "vitest";
import { Pace } from "../../src/bulk/pace/pace.ts";
import { property } from "../support/fuzz.ts";

const outcomes = fc.record({
  afterMs: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 5000, noNaN: true })),
  outcome: fc.constantFrom("passed" as const, "unsent" as const, "refused" as const, "overloaded" as const),
  retryAfterMs: fc.option(fc.double({ min: 0, max: 120_000, noNaN: true }), { nil: undefined }),
  /** Which of those under way it is. */
  which: fc.nat(),
});
const options = fc.record({
  concurrency: fc.oneof(fc.constant("auto" as const), fc.integer({ min: 1, max: 200 })),
  perSecond: fc.option(fc.double({ min: 0.001, max: 1e6, noNaN: true }), { nil: undefined }),
});

describe("any pace, whatever the service answers", () => {
  property("has 1 to 64 slots or as many as are asked for, a finite wait, and respects every pause", () =>
    fc.property(options, fc.array(outcomes, { maxLength: 100 }), (chosen, steps) => {
      const pace = new Pace(chosen);
      const underWay: number[] = [];
      let [nowMs, pausedUntilMs] = [0, 0];
      for (const { afterMs, outcome, retryAfterMs, which } of steps) {
        nowMs += afterMs;
        if (underWay.length < pace.slots) {
          nowMs += pace.waitMs(nowMs);
          expect(nowMs).toBeGreaterThanOrEqual(pausedUntilMs - 0.001);
          underWay.push(pace.sent(nowMs));
        }
        const [ticket] = underWay.splice(which % underWay.length, 1);
        if (outcome === "passed" || outcome === "unsent") pace[outcome](ticket ?? 0, nowMs);
        else {
          pace[outcome](ticket ?? 0, nowMs, retryAfterMs);
          pausedUntilMs = Math.max(pausedUntilMs, nowMs + (retryAfterMs ?? 0));
        }
        expect(Number.isInteger(pace.slots)).toBe(true);
        expect(pace.slots).toBeGreaterThanOrEqual(1);
        if (chosen.concurrency === "auto") expect(pace.slots).toBeLessThanOrEqual(64);
        else expect(pace.slots).toBe(chosen.concurrency);
        expect(pace.perSecond).toBeGreaterThan(0);
        expect(pace.perSecond).toBeLessThanOrEqual(chosen.perSecond ?? Number.POSITIVE_INFINITY);
        const waitMs = pace.waitMs(nowMs);
        expect(Number.isFinite(waitMs) && waitMs >= 0).toBe(true);
        expect(pace.waitMs(nowMs)).toBe(waitMs);
      }
    }),
  );
});
