import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Pace } from "../../src/bulk/pace/pace.ts";
import { property } from "../support/fuzz.ts";
import {
  type Allowed,
  atOnce,
  fixedWindow,
  type Limiter,
  outOfOrder,
  type RetryAfter,
  refusingOnce,
  simulateAuto,
  tokenBucket,
  unlimited,
} from "./simulated-run.ts";

type MakeServer = (allowed: Allowed, retryAfter: RetryAfter) => Limiter;
const byClock: MakeServer = (allowed, retryAfter) => fixedWindow(allowed, retryAfter);
const fromRequest: MakeServer = (allowed, retryAfter) => fixedWindow(allowed, retryAfter, "with a request");
const minute: MakeServer = (allowed, retryAfter) => fixedWindow(allowed, retryAfter, "by the clock", 60_000);
const bucketOf =
  (burst?: number): MakeServer =>
  (allowed, retryAfter) =>
    tokenBucket(allowed, burst ?? allowed(0), retryAfter);

const windows = { "a window by the clock": byClock, "a window from the first request": fromRequest };
const steady = { ...windows, "a bucket of a second": bucketOf(), "a bucket of 10": bucketOf(10) };
const all = ["none", "1", "rest"] as const;
const long = ["2", "5"] as const;

/** For each row: servers, limits per second, Retry-After, circumstances, and expectations that differ from the defaults. */
const groups = [
  ["settles within 10 % of the limit", steady, [20, 100, 500], all, {}, {}],
  ["keeps up with a high limit", windows, [2000], all, { latencyMs: 2 }, { refused: 0.002 }],
  ["keeps to a low limit", steady, [5], all, { durationMs: 120_000 }, { refused: 0.025 }],
  ["settles with slow responses", windows, [100], all, { latencyMs: 300 }, {}],
  [
    "settles with slow refusals",
    windows,
    [100],
    all,
    { durationMs: 60_000, latencyMs: 150, refusesAtOnce: false },
    { least: 0.8, refused: 0.03 },
  ],
  ["follows a limit that halves", windows, [100], all, { durationMs: 60_000 }, { change: 0.5 }],
  [
    "follows a limit that doubles",
    windows,
    [100],
    all,
    { durationMs: 120_000, settledFromMs: 80_000 },
    { change: 2 },
  ],
  ["sends single requests", { "a bucket of 1": bucketOf(1) }, [20], all, {}, { least: 0.7 }],
  [
    "uses the limit after long pauses",
    { "a window by the clock": byClock, "a bucket of a second": bucketOf() },
    [20, 100],
    long,
    { durationMs: 200_000, settledFromMs: 80_000 },
    { refused: 0.005 },
  ],
  // Such a window cannot be distinguished from an outage, so it is retried after every pause.
  [
    "uses a limit per minute",
    { "a minute": minute },
    [10, 100],
    long,
    { durationMs: 600_000, settledFromMs: 0 },
    { least: 0.9, refused: 0.07 },
  ],
  ["waits for the rest of a minute", { "a minute": minute }, [10], ["rest"], { durationMs: 600_000 }, {}],
] as const;

const cases = groups.flatMap(([does, servers, rates, retryAfters, circumstances, expected]) =>
  Object.entries(servers).flatMap(([name, make]) =>
    retryAfters.flatMap((retryAfter) =>
      rates.map((rate) => ({ does, name, make, retryAfter, rate, circumstances, expected })),
    ),
  ),
);

interface Expected {
  /** The limit after 20 s, as a multiple. */
  readonly change?: number;
  /** The minimum rate accepted at the end, as a share of the limit. Default: 0.9, and at most 1.1. */
  readonly least?: number;
  /** The maximum share of refused requests. */
  readonly refused?: number;
}

describe("the pace that searches for a rate", () => {
  it.each(cases)("$does: $name, $rate a second, Retry-After: $retryAfter", (row) => {
    const { make, retryAfter, rate, circumstances } = row;
    const { change = 1, least, refused = 0.02 }: Expected = row.expected;
    const server = make((nowMs) => (nowMs < 20_000 ? rate : rate * change), retryAfter);
    const outcome = simulateAuto(server, circumstances);
    expect(outcome.settledPerSecond).toBeGreaterThan((least ?? 0.9) * rate * change);
    expect(outcome.refusedShare).toBeLessThan(refused);
    if (least !== undefined) return;
    expect(outcome.settledPerSecond).toBeLessThan(1.1 * rate * change);
    if (rate >= 20) expect(outcome.perSecond).toBeGreaterThan(0.75 * rate * Math.min(change, 1));
  });

  it.each([
    [503, 1, 0.9],
    [503, 3, 0.9],
    [503, 8, 0.9],
    [503, 50, 0.9],
    [429, 3, 0.5],
    [429, 20, 0.5],
  ] as const)("settles if more than so many at once get a %i: %i", (status, most, share) => {
    const outcome = simulateAuto(atOnce(most, status, "none"), { latencyMs: 100, durationMs: 60_000 });
    expect(outcome.settledPerSecond).toBeGreaterThan(share * most * 10);
    expect(outcome.settledPerSecond).toBeLessThan(1.1 * most * 10);
    expect(outcome.refusedShare).toBeLessThan(0.02);
  });

  it("uses all its slots if the service has no limit", () => {
    const outcome = simulateAuto(unlimited(), { durationMs: 10_000 });
    expect(outcome.settledPerSecond).toBeGreaterThan(0.95 * 64 * (1000 / 40));
  });
});

describe("the pace after an outage", () => {
  it.each(
    [6, 60].flatMap((seconds) => (["none", "2", "10"] as const).map((says) => [seconds, says] as const)),
  )("uses the limit again within 20 s: after %i s, Retry-After: %s", (seconds, retryAfter) => {
    const untilMs = 20_000 + seconds * 1000;
    const server = outOfOrder(
      fixedWindow(() => 100, "none"),
      20_000,
      untilMs,
      retryAfter,
    );
    const outcome = simulateAuto(server, { durationMs: untilMs + 40_000, settledFromMs: untilMs + 20_000 });
    expect(outcome.settledPerSecond).toBeGreaterThan(90);
    expect(outcome.refusedShare).toBeLessThan(0.02);
  });

  it.each([
    [0, 30_000, "none"],
    [0, 30_000, "2"],
    [0, 30_000, "10"],
    [300, 1_500_000, "10"],
  ] as const)("does not flood the service: from %i to %i ms, Retry-After: %s", (fromMs, untilMs, says) => {
    const server = outOfOrder(unlimited(), fromMs, untilMs, says);
    const settledFromMs = untilMs * 1.1 + 27_000;
    const durationMs = settledFromMs + 20_000;
    const outcome = simulateAuto(server, { durationMs, settledFromMs, latencyMs: 200 });
    expect(outcome.settledPerSecond).toBeGreaterThan(300);
    if (fromMs > 0) expect(outcome.highestRate).toBeLessThan(2 * 320);
  });
});

describe("the pace after a single refusal", () => {
  it.each([1000, 5000].flatMap((atMs) => (["none", "2", "5"] as const).map((says) => [atMs, says] as const)))(
    "uses nearly all 64 slots again: at %i ms, Retry-After: %s",
    (atMs, says) => {
      const outcome = simulateAuto(refusingOnce(unlimited(), atMs, says), { latencyMs: 200 });
      expect(outcome.settledPerSecond).toBeGreaterThan(0.9 * 320);
    },
  );

  it("does not raise its rate beyond what it sends, and finds a later limit at once", () => {
    const limited = fixedWindow(() => 50, "none");
    const { ask } = refusingOnce(unlimited(), 5000, "none");
    const server = { ...limited, ask: (nowMs: number) => (nowMs < 60_000 ? ask(nowMs) : limited.ask(nowMs)) };
    const outcome = simulateAuto(server, { durationMs: 100_000, settledFromMs: 70_000, latencyMs: 200 });
    expect(outcome.highestRate).toBeLessThan(2 * 320);
    expect(outcome.settledPerSecond).toBeGreaterThan(45);
    expect(outcome.refused).toBeLessThan(100);
  });
});

const outcomes = fc.record({
  afterMs: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 5000, noNaN: true })),
  outcome: fc.constantFrom("passed" as const, "unsent" as const, "refused" as const, "overloaded" as const),
  retryAfterMs: fc.option(fc.double({ min: 0, max: 120_000, noNaN: true }), { nil: undefined }),
  /** Selects one of the requests in flight. */
  which: fc.nat(),
});
const options = fc.record({
  concurrency: fc.oneof(fc.constant("auto" as const), fc.integer({ min: 1, max: 200 })),
  perSecond: fc.option(fc.double({ min: 0.001, max: 1e6, noNaN: true }), { nil: undefined }),
});

describe("any pace, for any responses of the service", () => {
  property("has 1 to 64 slots or the configured number, a finite wait, and respects every pause", () =>
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
