import { describe, expect, it } from "vitest";
import {
  type Allowed,
  atOnce,
  fixedWindow,
  type Limiter,
  outOfOrder,
  type RetryAfter,
  refusingOnce,
  slidingWindow,
  tokenBucket,
  unlimited,
  withAnother,
} from "./rate-limited-server.ts";
import { type Circumstances, seededRandom, simulateAuto } from "./simulated-run.ts";

type MakeServer = (allowed: Allowed, says: RetryAfter) => Limiter;
type Servers = Readonly<Record<string, MakeServer>>;

const firstRequest: Servers = {
  "a window from the first request": (allowed, says) => fixedWindow(allowed, says, "with a request"),
};
const byClock: Servers = {
  "a window by the clock": (allowed, says) => fixedWindow(allowed, says),
  "a sliding window": slidingWindow,
  "a bucket of a second": (allowed, says) => tokenBucket(allowed, allowed(0), says),
};
const windows = { ...byClock, ...firstRequest };
const steady = {
  ...windows,
  "a bucket of 10": ((allowed, says) => tokenBucket(allowed, 10, says)) as MakeServer,
};
const bucketOfOne: Servers = { "a bucket of 1": (allowed, says) => tokenBucket(allowed, 1, says) };
const minutes: Servers = {
  "a minute by the clock": (allowed, says) => fixedWindow(allowed, says, "by the clock", 60_000),
};
const minutesFromRequest: Servers = {
  "a minute from the first request": (allowed, says) => fixedWindow(allowed, says, "with a request", 60_000),
};
const shared: Servers = Object.fromEntries(
  Object.entries(windows).map(([name, make]) => [
    `${name}, shared with another client`,
    (allowed, says) => withAnother(make(allowed, says), allowed(0) / 3, seededRandom(9)),
  ]),
);

interface Group extends Partial<Circumstances> {
  readonly does: string;
  readonly servers: Servers;
  readonly rates: readonly number[];
  readonly sayings?: readonly RetryAfter[];
  /** The limit after 20 s, as a multiple. */
  readonly change?: number;
  /** The least and the most that is accepted in the end, as shares of the limit. */
  readonly share?: readonly [number, number];
  /** The share of refused requests stays below it. */
  readonly refused?: number;
}

const above = (share: number) => [share, Number.POSITIVE_INFINITY] as const;
const [slow, long] = [{ latencyMs: 300 }, { durationMs: 60_000 }];
const minute = { durationMs: 600_000 };

const groups: readonly Group[] = [
  { does: "settles within 10 % of the limit", servers: steady, rates: [20, 100, 500] },
  { does: "keeps up with a high limit", servers: windows, rates: [2000], latencyMs: 2, refused: 0.002 },
  { does: "keeps to a low limit", servers: steady, rates: [5], durationMs: 120_000, refused: 0.025 },
  { does: "settles with slow answers", servers: windows, rates: [100], ...slow },
  {
    ...{ does: "settles with slow refusals", servers: windows, rates: [100], ...long, share: above(0.8) },
    ...{ latencyMs: 150, refusesAtOnce: false, refused: 0.03 },
  },
  { does: "follows a limit that halves", servers: windows, rates: [100], ...long, change: 0.5 },
  {
    ...{ does: "follows a limit that doubles", servers: windows, rates: [100], change: 2 },
    ...{ durationMs: 120_000, settledFromMs: 80_000 },
  },
  { does: "uses the rest", servers: shared, rates: [100], ...long, share: above(0.8 * (2 / 3)) },
  { does: "gets on with single requests", servers: bucketOfOne, rates: [20], share: above(0.7) },
  {
    ...{ does: "uses the limit after long pauses", servers: byClock, rates: [20, 100], sayings: ["2", "5"] },
    ...{ durationMs: 200_000, settledFromMs: 80_000, refused: 0.005 },
  },
  // Nothing tells such a window from an outage: it is asked again after every pause.
  {
    ...{ does: "uses the limit of a minute", servers: minutes, rates: [10, 100], sayings: ["2", "5"] },
    ...{ ...minute, settledFromMs: 0, share: above(0.9), refused: 0.07 },
  },
  {
    ...{ does: "waits for the rest of a minute", servers: { ...minutes, ...minutesFromRequest } },
    ...{ rates: [10], sayings: ["rest"], ...minute },
  },
];

const cases = groups.flatMap(({ does, servers, rates, sayings = ["none", "1", "rest"], ...group }) =>
  Object.entries(servers).flatMap(([name, make]) =>
    sayings.flatMap((says) => rates.map((rate) => ({ does, name, make, says, rate, ...group }))),
  ),
);

describe("the pace that seeks a rate", () => {
  it.each(cases)("$does: $name, $rate a second, Retry-After: $says", (row) => {
    const { make, says, rate, change = 1, share = [0.9, 1.1], refused = 0.02, ...circumstances } = row;
    const server = make((nowMs) => (nowMs < 20_000 ? rate : rate * change), says);
    const outcome = simulateAuto(server, circumstances);
    expect(outcome.settledPerSecond).toBeGreaterThan(share[0] * rate * change);
    expect(outcome.settledPerSecond).toBeLessThan(share[1] * rate * change);
    expect(outcome.refusedShare).toBeLessThan(refused);
    if (rate >= 20 && share[0] === 0.9) {
      expect(outcome.perSecond).toBeGreaterThan(0.75 * rate * Math.min(change, 1));
    }
  });

  it.each([
    [503, 1, 0.9],
    [503, 3, 0.9],
    [503, 8, 0.9],
    [503, 20, 0.9],
    [503, 50, 0.9],
    [429, 3, 0.5],
    [429, 8, 0.5],
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
    [6, 60].flatMap((seconds) =>
      (["none", "1", "2", "5", "10"] as const).map((says) => [seconds, says] as const),
    ),
  )("uses the limit again within 20 s: after %i s, Retry-After: %s", (seconds, says) => {
    const untilMs = 20_000 + seconds * 1000;
    const limited = fixedWindow(() => 100, "none");
    const settledFromMs = untilMs + 20_000;
    const outcome = simulateAuto(outOfOrder(limited, 20_000, untilMs, says), {
      durationMs: settledFromMs + 20_000,
      settledFromMs,
    });
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
    const outcome = simulateAuto(server, {
      durationMs: settledFromMs + 20_000,
      settledFromMs,
      latencyMs: 200,
    });
    expect(outcome.settledPerSecond).toBeGreaterThan(300);
    if (fromMs > 0) expect(outcome.highestRate).toBeLessThan(2 * 320);
  });
});

describe("the pace after a single refusal", () => {
  it.each([1000, 5000].flatMap((atMs) => (["none", "2", "5"] as const).map((says) => [atMs, says] as const)))(
    "uses nearly all 64 slots again: at %i ms, Retry-After: %s",
    (atMs, says) => {
      const server = refusingOnce(unlimited(), atMs, says);
      const outcome = simulateAuto(server, { durationMs: 40_000, settledFromMs: 20_000, latencyMs: 200 });
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
