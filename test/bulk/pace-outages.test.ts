import { describe, expect, it } from "vitest";
import {
  type Allowed,
  fixedWindow,
  outOfOrder,
  type RetryAfter,
  refusingOnce,
  slidingWindow,
  tokenBucket,
  unlimited,
} from "./rate-limited-server.ts";
import { simulateAuto } from "./simulated-run.ts";

const servers = {
  "a window by the clock": fixedWindow,
  "a sliding window": slidingWindow,
  "a bucket of a second": (allowed: Allowed, says: RetryAfter) => tokenBucket(allowed, allowed(0), says),
};
const longPauses: readonly RetryAfter[] = ["2", "5"];

/** Every one of these with every one of those. */
function pairs<A, B>(these: readonly A[], those: readonly B[]): [A, B][] {
  return these.flatMap((one) => those.map((other): [A, B] => [one, other]));
}

describe("a service that always asks for a long pause", () => {
  const cases = pairs(Object.entries(servers), pairs(longPauses, [20, 100]));

  it.each(cases.map(([[name, make], [says, rate]]) => ({ name, make, says, rate })))(
    "allows all the same $rate a second: $name, Retry-After: $says",
    ({ make, says, rate }) => {
      const server = make(() => rate, says);
      const outcome = simulateAuto(server, { durationMs: 200_000, settledFromMs: 80_000 });
      expect(outcome.settledPerSecond).toBeGreaterThan(0.9 * rate);
      expect(outcome.settledPerSecond).toBeLessThan(1.1 * rate);
      expect(outcome.refusedShare).toBeLessThan(0.005);
    },
  );

  it.each(pairs(longPauses, [10, 100]))(
    "and limits over a minute: Retry-After: %s, %i a second",
    (says, rate) => {
      const server = fixedWindow(() => rate, says, "by the clock", 60_000);
      const outcome = simulateAuto(server, { durationMs: 600_000, settledFromMs: 0 });
      expect(outcome.settledPerSecond).toBeGreaterThan(0.9 * rate);
      // Nothing tells such a window from an outage: it is asked again after every pause.
      expect(outcome.refusedShare).toBeLessThan(0.07);
    },
  );
});

describe("a service that refuses everything for a while", () => {
  it.each(pairs([6, 60], ["none", "1", "2", "5", "10"] as const))(
    "has what it allows used again within 20 s: after %i s, Retry-After: %s",
    (seconds, says) => {
      const untilMs = 20_000 + seconds * 1000;
      const server = outOfOrder(
        fixedWindow(() => 100, "none"),
        20_000,
        untilMs,
        says,
      );
      const settledFromMs = untilMs + 20_000;
      const outcome = simulateAuto(server, { durationMs: settledFromMs + 20_000, settledFromMs });
      expect(outcome.settledPerSecond).toBeGreaterThan(90);
      expect(outcome.refusedShare).toBeLessThan(0.02);
    },
  );

  it.each(["none", "2", "10"] as const)("from the beginning, Retry-After: %s", (says) => {
    const server = outOfOrder(unlimited(), 0, 30_000, says);
    const outcome = simulateAuto(server, { durationMs: 80_000, settledFromMs: 60_000, latencyMs: 200 });
    expect(outcome.settledPerSecond).toBeGreaterThan(300);
  });

  it("soon after the beginning and for long, and is not flooded afterwards", () => {
    const server = outOfOrder(unlimited(), 300, 1_500_000, "10");
    const outcome = simulateAuto(server, { durationMs: 1_700_000, settledFromMs: 1_650_000, latencyMs: 200 });
    expect(outcome.settledPerSecond).toBeGreaterThan(300);
    expect(outcome.highestRate).toBeLessThan(2 * 320);
  });
});

describe("a single refusal of a service that has no limit", () => {
  it.each(pairs([1000, 5000], ["none", "2", "5"] as const))(
    "costs little more than the pause: at %i ms, Retry-After: %s",
    (atMs, says) => {
      const server = refusingOnce(unlimited(), atMs, says);
      const outcome = simulateAuto(server, { durationMs: 40_000, settledFromMs: 20_000, latencyMs: 200 });
      // Nearly all 64 slots are in use.
      expect(outcome.settledPerSecond).toBeGreaterThan(0.9 * 320);
    },
  );

  it("raises no rate beyond what is sent, so that a limit that comes later is found at once", () => {
    const limited = fixedWindow(() => 50, "none");
    const { ask } = refusingOnce(unlimited(), 5000, "none");
    const server = { ...limited, ask: (nowMs: number) => (nowMs < 60_000 ? ask(nowMs) : limited.ask(nowMs)) };
    const outcome = simulateAuto(server, { durationMs: 100_000, settledFromMs: 70_000, latencyMs: 200 });
    expect(outcome.highestRate).toBeLessThan(2 * 320);
    expect(outcome.settledPerSecond).toBeGreaterThan(45);
    expect(outcome.refused).toBeLessThan(100);
  });
});
