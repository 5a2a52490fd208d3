import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Pace } from "../../src/bulk/pace/pace.ts";
import { property } from "../support/fuzz.ts";

/** A server with a limit, in virtual time: whether it refuses a request, and its Retry-After. */
type Limiter = (nowMs: number) => false | { readonly retryAfterMs?: number };

/** The requests per second that are allowed at this time. */
type Allowed = (nowMs: number) => number;
/** Retry-After: absent, a fixed number of seconds, or the rest of the window rounded up to seconds. */
type RetryAfter = "none" | "1" | "5" | "10" | "rest";
type MakeServer = (allowed: Allowed, says: RetryAfter) => Limiter;

function refusal(says: RetryAfter, restMs: number) {
  if (says === "none") return {};
  return { retryAfterMs: 1000 * (says === "rest" ? Math.ceil(restMs / 1000) : Number(says)) };
}

/** A fixed number per window. A window begins at a multiple of `windowMs` or with the next request. */
function windowOf(begins: "by the clock" | "with a request", windowMs = 1000): MakeServer {
  const clockOffsetMs = 370;
  return (allowed, says) => {
    let [startMs, count] = [Number.NEGATIVE_INFINITY, 0];
    return (nowMs) => {
      if (nowMs >= startMs + windowMs) {
        const byClockMs = Math.floor((nowMs + clockOffsetMs) / windowMs) * windowMs - clockOffsetMs;
        startMs = begins === "with a request" ? nowMs : byClockMs;
        count = 0;
      }
      return ++count > (allowed(nowMs) * windowMs) / 1000 && refusal(says, startMs + windowMs - nowMs);
    };
  };
}

/** A token bucket of this size. Each request takes one token. */
function bucketOf(burst: number): MakeServer {
  return (allowed, says) => {
    let [tokens, atMs] = [burst, 0];
    return (nowMs) => {
      const rate = allowed(nowMs) / 1000;
      tokens = Math.min(burst, tokens + (nowMs - atMs) * rate);
      atMs = nowMs;
      if (tokens < 1) return refusal(says, (1 - tokens) / rate);
      tokens -= 1;
      return false;
    };
  };
}

/** A server without a limit that refuses one request: the first at or after this time. */
function refusingOnce(atMs: number, says: RetryAfter): Limiter {
  let isOver = false;
  return (nowMs) => {
    if (isOver || nowMs < atMs) return false;
    isOver = true;
    return refusal(says, 0);
  };
}

interface Circumstances {
  readonly durationMs?: number;
  /** The median response time. It varies by half in both directions. */
  readonly latencyMs?: number;
  readonly settledFromMs?: number;
}

/** Sends requests as fast as the pace `"auto"` allows, in virtual time, with timers that are up to 1.5 ms late. */
function simulateAuto(server: Limiter, circumstances: Circumstances = {}) {
  const { durationMs = 40_000, latencyMs = 40, settledFromMs: fromMs = durationMs / 2 } = circumstances;
  const pace = new Pace({ concurrency: "auto" });
  let [inFlight, refused, settled, whole, state] = [0, 0, 0, 0, 8];
  let wakesAtMs = Number.POSITIVE_INFINITY;
  /** The pending events, with the next one last. */
  const events: { readonly atMs: number; readonly happen: (nowMs: number) => void }[] = [];

  /** Reproducible numbers from 0 to less than 1: mulberry32. */
  function random(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  function schedule(atMs: number, happen: (nowMs: number) => void): void {
    const later = events.findLastIndex((event) => event.atMs > atMs);
    events.splice(later + 1, 0, { atMs, happen });
  }

  function go(nowMs: number): void {
    while (inFlight < pace.slots) {
      const waitMs = pace.waitMs(nowMs);
      if (waitMs > 0) return sleep(nowMs, waitMs);
      send(nowMs);
    }
  }

  function sleep(nowMs: number, waitMs: number): void {
    const atMs = nowMs + Math.max(1, Math.ceil(waitMs)) + random() * 1.5;
    if (wakesAtMs > nowMs && wakesAtMs <= atMs) return;
    wakesAtMs = atMs;
    schedule(atMs, (thenMs) => {
      if (thenMs === wakesAtMs) wakesAtMs = Number.POSITIVE_INFINITY;
      go(thenMs);
    });
  }

  function send(nowMs: number): void {
    const ticket = pace.sent(nowMs);
    inFlight += 1;
    const tookMs = latencyMs * (0.5 + random());
    const wayMs = Math.min(tookMs / 4, 1 + random());
    schedule(nowMs + wayMs, (arrivedMs) => {
      const refusing = server(arrivedMs);
      if (refusing) refused += 1;
      else whole += 1;
      if (!refusing && arrivedMs >= fromMs) settled += 1;
      // A refusal comes at once, as from a limiter in front of the service.
      schedule(arrivedMs + (refusing ? wayMs : tookMs - wayMs), (thenMs) => {
        inFlight -= 1;
        if (refusing) pace.refused(ticket, thenMs, refusing.retryAfterMs);
        else pace.passed(ticket, thenMs);
        go(thenMs);
      });
    });
  }

  go(0);
  for (let event = events.pop(); event && event.atMs < durationMs; event = events.pop())
    event.happen(event.atMs);
  return {
    /** Accepted requests per second, over the whole run and from `settledFromMs` on. */
    perSecond: whole / (durationMs / 1000),
    settledPerSecond: settled / ((durationMs - fromMs) / 1000),
    refusedShare: refused / (refused + whole),
  };
}

const byClock = windowOf("by the clock");
const fromRequest = windowOf("with a request");
const minute = windowOf("by the clock", 60_000);

interface Expected {
  /** The limit after 20 s, as a multiple of the first limit. */
  readonly change?: number;
  /** The minimum final rate as a share of the limit. Default: 0.9, with a maximum of 1.1. */
  readonly least?: number;
  /** The maximum share of refused requests. */
  readonly refused?: number;
}

interface Simulation {
  readonly server: MakeServer;
  readonly circumstances?: Circumstances;
  readonly expected?: Expected;
}

describe("an automatic pace", () => {
  const long = { durationMs: 120_000, settledFromMs: 80_000 };
  const longest = { durationMs: 200_000, settledFromMs: 80_000 };

  it.each<[title: string, requestsPerSecond: number, retryAfter: RetryAfter, simulation: Simulation]>([
    ["clock-aligned windows", 500, "none", { server: byClock }],
    ["windows that start with a request", 20, "1", { server: fromRequest }],
    ["a token bucket with 100 tokens", 100, "rest", { server: bucketOf(100) }],
    ["a token bucket with 10 tokens", 500, "1", { server: bucketOf(10) }],
    ["a token bucket with 1 token", 20, "none", { server: bucketOf(1), expected: { least: 0.7 } }],
    [
      "a high limit",
      2000,
      "rest",
      { server: fromRequest, circumstances: { latencyMs: 2 }, expected: { refused: 0.002 } },
    ],
    [
      "a low limit",
      5,
      "none",
      { server: byClock, circumstances: { durationMs: 120_000 }, expected: { refused: 0.025 } },
    ],
    ["a limit with slow responses", 100, "1", { server: byClock, circumstances: { latencyMs: 300 } }],
    [
      "a limit that halves",
      100,
      "rest",
      { server: byClock, circumstances: { durationMs: 60_000 }, expected: { change: 0.5 } },
    ],
    [
      "a limit that doubles",
      100,
      "none",
      { server: fromRequest, circumstances: long, expected: { change: 2 } },
    ],
    [
      "a limit with long pauses",
      100,
      "5",
      { server: byClock, circumstances: longest, expected: { refused: 0.005 } },
    ],
    ["a per-minute limit", 10, "rest", { server: minute, circumstances: { durationMs: 600_000 } }],
  ])(
    "settles near the server's limit (%s, %i requests per second, Retry-After: %s)",
    (_what, rate, retryAfter, { server: makeServer, circumstances = {}, expected = {} }) => {
      const { change = 1, least, refused = 0.02 } = expected;
      const server = makeServer((nowMs) => (nowMs < 20_000 ? rate : rate * change), retryAfter);
      const outcome = simulateAuto(server, circumstances);
      expect(outcome.settledPerSecond).toBeGreaterThan((least ?? 0.9) * rate * change);
      expect(outcome.refusedShare).toBeLessThan(refused);
      if (least !== undefined) return;
      expect(outcome.settledPerSecond).toBeLessThan(1.1 * rate * change);
      if (rate >= 20) expect(outcome.perSecond).toBeGreaterThan(0.75 * rate * Math.min(change, 1));
    },
  );

  it.each([
    [
      "the server has no limit",
      { atMs: Number.POSITIVE_INFINITY, retryAfter: "none", latencyMs: 40, minShare: 0.95 },
    ],
    [
      "the server refuses one request after 1 s",
      { atMs: 1000, retryAfter: "none", latencyMs: 200, minShare: 0.9 },
    ],
    [
      "the server refuses one request after 5 s",
      { atMs: 5000, retryAfter: "5", latencyMs: 200, minShare: 0.9 },
    ],
  ] as const)(
    "keeps nearly 64 requests in flight if %s",
    (_what, { atMs, retryAfter, latencyMs, minShare }) => {
      const outcome = simulateAuto(refusingOnce(atMs, retryAfter), { latencyMs });
      expect(outcome.settledPerSecond).toBeGreaterThan((minShare * 64 * 1000) / latencyMs);
    },
  );

  it("returns to the server's limit within 20 s after a one-minute outage", () => {
    const limited = byClock(() => 100, "none");
    const isAway = (nowMs: number) => nowMs >= 20_000 && nowMs < 80_000;
    const server: Limiter = (nowMs) => (isAway(nowMs) ? refusal("10", 0) : limited(nowMs));
    const outcome = simulateAuto(server, { durationMs: 120_000, settledFromMs: 100_000 });
    expect(outcome.settledPerSecond).toBeGreaterThan(90);
    expect(outcome.refusedShare).toBeLessThan(0.02);
  });
});

const step = fc.record({
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

property(
  "a pace has a valid number of slots, waits a finite time, and respects every pause",
  (saw) =>
    fc.property(options, fc.array(step, { maxLength: 100 }), (chosen, steps) => {
      const pace = new Pace(chosen);
      const underWay: number[] = [];
      let [nowMs, pausedUntilMs] = [0, 0];
      for (const { afterMs, outcome, retryAfterMs, which } of steps) {
        nowMs += afterMs;
        if (underWay.length < pace.slots) {
          const beforeMs = nowMs;
          nowMs += pace.waitMs(nowMs);
          expect(nowMs).toBeGreaterThanOrEqual(pausedUntilMs - 0.001);
          if (pausedUntilMs > beforeMs) saw("a pause");
          underWay.push(pace.sent(nowMs));
        }
        const [ticket = 0] = underWay.splice(which % underWay.length, 1);
        pace[outcome](ticket, nowMs, retryAfterMs);
        if (outcome === "refused" || outcome === "overloaded")
          pausedUntilMs = Math.max(pausedUntilMs, nowMs + (retryAfterMs ?? 0));
        const isAuto = chosen.concurrency === "auto";
        expect(isAuto ? Number.isInteger(pace.slots) && pace.slots : 1).toBeGreaterThanOrEqual(1);
        if (isAuto) expect(pace.slots).toBeLessThanOrEqual(64);
        else expect(pace.slots).toBe(chosen.concurrency);
        expect(pace.perSecond).toBeGreaterThan(0);
        expect(pace.perSecond).toBeLessThanOrEqual(chosen.perSecond ?? Number.POSITIVE_INFINITY);
        const waitMs = pace.waitMs(nowMs);
        expect(Number.isFinite(waitMs) && waitMs >= 0).toBe(true);
      }
    }),
  { outcomes: ["a pause"] },
);
