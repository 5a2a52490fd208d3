import { describe, expect, it } from "vitest";
import {
  type Allowed,
  atOnce,
  cellRate,
  fixedWindow,
  type Limiter,
  type RetryAfter,
  slidingWindow,
  tokenBucket,
  withAnother,
} from "./rate-limited-server.ts";
import { seededRandom } from "./seeded-random.ts";
import { type Outcome, simulateAuto } from "./simulated-run.ts";

type MakeServer = (allowed: Allowed, says: RetryAfter) => Limiter;

const windows: Readonly<Record<string, MakeServer>> = {
  "a window by the clock": (allowed, says) => fixedWindow(allowed, says),
  "a window from the first request": (allowed, says) => fixedWindow(allowed, says, "with a request"),
  "a sliding window": slidingWindow,
  "a bucket of a second": (allowed, says) => tokenBucket(allowed, allowed(0), says),
};
const steady: Readonly<Record<string, MakeServer>> = {
  ...windows,
  "a bucket of 10": (allowed, says) => tokenBucket(allowed, 10, says),
  "cells, 100 ms early at most": (allowed, says) => cellRate(allowed, 100, says),
};
const sayings: readonly RetryAfter[] = ["none", "1", "rest"];

/** Every server of these with every `Retry-After`. */
function casesOf(servers: Readonly<Record<string, MakeServer>>, rates: readonly number[]) {
  return Object.entries(servers).flatMap(([name, make]) =>
    sayings.flatMap((says) => rates.map((rate) => ({ name, says, rate, make }))),
  );
}

function expectWithinTenPercent({ settledPerSecond }: Outcome, allowed: number): void {
  expect(settledPerSecond).toBeGreaterThan(0.9 * allowed);
  expect(settledPerSecond).toBeLessThan(1.1 * allowed);
}

describe("the pace that seeks a rate, in virtual time", () => {
  it.each(casesOf(steady, [20, 100, 500]))(
    "settles within 10 % of $rate a second with less than 2 % refused: $name, Retry-After: $says",
    ({ make, rate, says }) => {
      const outcome = simulateAuto(make(() => rate, says));
      expectWithinTenPercent(outcome, rate);
      expect(outcome.refusedShare).toBeLessThan(0.02);
      expect(outcome.perSecond).toBeGreaterThan(0.75 * rate);
    },
  );

  it.each(casesOf(windows, [2000]))("keeps up with $rate a second: $name, Retry-After: $says", (it) => {
    const outcome = simulateAuto(
      it.make(() => it.rate, it.says),
      { latencyMs: 2 },
    );
    expectWithinTenPercent(outcome, it.rate);
    expect(outcome.refusedShare).toBeLessThan(0.002);
  });

  it.each(casesOf(steady, [5]))("is slow where $rate a second are: $name, Retry-After: $says", (it) => {
    const outcome = simulateAuto(
      it.make(() => it.rate, it.says),
      { durationMs: 120_000 },
    );
    expectWithinTenPercent(outcome, it.rate);
    expect(outcome.refusedShare).toBeLessThan(0.025);
  });

  it.each(casesOf(windows, [100]))("needs no fast answers: $name, Retry-After: $says", (it) => {
    const outcome = simulateAuto(
      it.make(() => it.rate, it.says),
      { latencyMs: 300 },
    );
    expectWithinTenPercent(outcome, it.rate);
    expect(outcome.refusedShare).toBeLessThan(0.02);
  });

  it.each(casesOf(windows, [100]))("pays for slow refusals: $name, Retry-After: $says", (it) => {
    const outcome = simulateAuto(
      it.make(() => it.rate, it.says),
      { latencyMs: 150, refusesAtOnce: false, durationMs: 60_000 },
    );
    expect(outcome.settledPerSecond).toBeGreaterThan(0.8 * it.rate);
    expect(outcome.refusedShare).toBeLessThan(0.03);
  });

  it.each(casesOf(windows, [100]))("follows a limit that halves: $name, Retry-After: $says", (it) => {
    const outcome = simulateAuto(
      it.make((nowMs) => (nowMs < 20_000 ? it.rate : it.rate / 2), it.says),
      { durationMs: 60_000 },
    );
    expectWithinTenPercent(outcome, it.rate / 2);
    expect(outcome.refusedShare).toBeLessThan(0.02);
  });

  it.each(casesOf(windows, [100]))("follows a limit that doubles: $name, Retry-After: $says", (it) => {
    const outcome = simulateAuto(
      it.make((nowMs) => (nowMs < 20_000 ? it.rate : it.rate * 2), it.says),
      { durationMs: 120_000, settledFromMs: 80_000 },
    );
    expectWithinTenPercent(outcome, it.rate * 2);
    expect(outcome.refusedShare).toBeLessThan(0.02);
  });

  it.each(casesOf(windows, [100]))("takes what another client leaves: $name, Retry-After: $says", (it) => {
    const server = it.make(() => it.rate, it.says);
    const outcome = simulateAuto(withAnother(server, it.rate / 3, seededRandom(9)), { durationMs: 60_000 });
    expect(outcome.settledPerSecond).toBeGreaterThan(0.8 * (2 / 3) * it.rate);
    expect(outcome.refusedShare).toBeLessThan(0.02);
  });

  it.each(sayings)("gets on where each request has to keep its distance, Retry-After: %s", (says) => {
    const outcome = simulateAuto(tokenBucket(() => 20, 1, says));
    expect(outcome.settledPerSecond).toBeGreaterThan(0.7 * 20);
    expect(outcome.refusedShare).toBeLessThan(0.02);
  });

  it.each(["by the clock", "with a request"] as const)(
    "waits for windows of a minute, begun %s",
    (begins) => {
      const outcome = simulateAuto(
        fixedWindow(() => 10, "rest", begins, 60_000),
        { durationMs: 600_000 },
      );
      expectWithinTenPercent(outcome, 10);
      expect(outcome.refusedShare).toBeLessThan(0.02);
    },
  );

  it.each([1, 3, 8, 20, 50])("finds how many at once are not answered with 503: %i", (most) => {
    const outcome = simulateAuto(atOnce(most, 503, "none"), { latencyMs: 100, durationMs: 60_000 });
    expectWithinTenPercent(outcome, most * 10);
    expect(outcome.refusedShare).toBeLessThan(0.02);
  });

  it.each([3, 8, 20])("gets on where more than so many at once are answered with 429: %i", (most) => {
    const outcome = simulateAuto(atOnce(most, 429, "none"), { latencyMs: 100, durationMs: 60_000 });
    expect(outcome.settledPerSecond).toBeGreaterThan(0.5 * most * 10);
    expect(outcome.refusedShare).toBeLessThan(0.02);
  });

  it("uses all its slots where nothing is limited", () => {
    const outcome = simulateAuto({ ask: () => ({ status: 200 }), done: () => {} }, { durationMs: 10_000 });
    expect(outcome.settledPerSecond).toBeGreaterThan(0.95 * 64 * (1000 / 40));
  });
});
