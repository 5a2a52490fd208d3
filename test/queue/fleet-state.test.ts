import { describe, expect, it } from "vitest";
import {
  advance,
  type FleetReport,
  type FleetState,
  initialState,
  isOutage,
  limitFor,
  rateOf,
} from "../../src/queue/fleet-state.ts";
import { kinds, measure } from "./simulated-fleet.ts";

const nowMs = 1_000_000;
/** The service has refused requests above 10 a second, and the workers send at that rate. */
const limited: FleetState = {
  ...initialState,
  ...{ epoch: 3, ceiling: 10, climbMs: 10_000, sendingMs: 10_000, passedAtFall: 50 },
  samples: [
    [nowMs - 2_400, 80],
    [nowMs - 400, 100],
  ],
};
const held: FleetState = { ...limited, holdMs: 800, refusedSinceMs: nowMs - 900 };
const failing = { sinceMs: nowMs - 500, passed: 100, message: "503", jobs: ["a"] };
const suspicious: FleetState = { ...initialState, failing };
const nearOutage: FleetState = { ...initialState, failing: { ...failing, jobs: ["a", "b", "c", "d"] } };
const outage: FleetState = { ...initialState, epoch: 5, failing: { ...failing, probeMs: 4_000 } };

const unserved = (jobId: string) => ({ jobId, how: "unserved", message: "502" }) as const;
const unreached = { jobId: "z", how: "unreached", message: "ECONNREFUSED" } as const;

describe("the state of a queue's workers", () => {
  type Row = [
    what: string,
    state: FleetState,
    report: FleetReport,
    changed: Partial<Record<keyof FleetState, unknown>>,
    pauseMs: number,
    passed?: number,
  ];
  it.each<Row>([
    ["keeps everything without an event", limited, { epoch: 0 }, {}, 0],
    ["keeps a limit after a response", limited, { epoch: 3, isAnswered: true }, { ceiling: 10, epoch: 3 }, 0],
    [
      "forgets earlier refusals and failures after a response",
      { ...held, failing },
      { epoch: 3, isAnswered: true },
      { holdMs: 0, refusedSinceMs: undefined, failing: undefined },
      0,
    ],
    ["ends an outage after a response", outage, { epoch: 5, isAnswered: true }, { failing: undefined }, 0],
    [
      "ignores a response to a request from before the last probe",
      outage,
      { epoch: 4, isAnswered: true },
      { failing: outage.failing },
      0,
    ],
    [
      "ignores a refusal of a request from before the last refusal",
      limited,
      { epoch: 2, isRefused: true },
      { epoch: 3, ceiling: 10, holdMs: 0 },
      0,
    ],
    [
      "ignores a failure of a request from before the last probe",
      outage,
      { epoch: 4, failure: unserved("b") },
      { failing: outage.failing, epoch: 5 },
      0,
    ],
    [
      "pauses as long as a refusal says",
      limited,
      { epoch: 3, isRefused: true, retryAfterMs: 2_500 },
      { epoch: 4, refusedSinceMs: nowMs, sendingMs: 0, passedAtFall: 100 },
      2_500,
    ],
    [
      "pauses briefly after the first refusal without a time",
      limited,
      { epoch: 3, isRefused: true },
      { epoch: 4, holdMs: 254 },
      254,
    ],
    [
      "doubles the pause after another refusal without a time",
      held,
      { epoch: 3, isRefused: true },
      { holdMs: 1_600, refusedSinceMs: nowMs - 900 },
      1_600,
    ],
    [
      "pauses at most eight seconds after refusals without a time",
      { ...held, holdMs: 7_000 },
      { epoch: 3, isRefused: true },
      { holdMs: 8_000 },
      8_000,
    ],
    [
      "keeps the limit while the service refuses every request",
      { ...held, passedAtFall: 100 },
      { epoch: 3, isRefused: true },
      { ceiling: 10 },
      1_600,
    ],
    [
      "begins no outage at one job's 502",
      initialState,
      { epoch: 1, failure: unserved("a") },
      { failing: { sinceMs: nowMs, passed: 100, message: "502", jobs: ["a"] }, epoch: 1 },
      0,
    ],
    [
      "counts repeated failures of one job once",
      suspicious,
      { epoch: 1, failure: unserved("a") },
      { failing: { ...failing, message: "502" } },
      0,
    ],
    [
      "begins an outage at the fifth failed job in a row",
      nearOutage,
      { epoch: 1, failure: unserved("e") },
      {
        epoch: 2,
        failing: { ...failing, message: "502", jobs: ["a", "b", "c", "d", "e"], probeMs: 1_000 },
      },
      1_000,
    ],
    [
      "starts to count again if another job has succeeded since",
      nearOutage,
      { epoch: 1, failure: unserved("e") },
      { epoch: 1, failing: { sinceMs: nowMs, passed: 101, message: "502", jobs: ["e"] } },
      0,
      101,
    ],
    [
      "begins an outage at the first request that does not reach the service",
      initialState,
      { epoch: 1, failure: unreached },
      { epoch: 2, failing: expect.objectContaining({ probeMs: 1_000, message: "ECONNREFUSED" }) },
      1_000,
    ],
    [
      "doubles the delay after a failed probe",
      outage,
      { epoch: 5, failure: unserved("a") },
      { epoch: 6, failing: { ...failing, message: "502", probeMs: 8_000 } },
      8_000,
    ],
    [
      "sends a probe at least every 30 seconds",
      { ...outage, failing: { ...failing, probeMs: 20_000 } },
      { epoch: 5, failure: unserved("a") },
      { failing: expect.objectContaining({ probeMs: 30_000 }) },
      30_000,
    ],
  ])("%s", (_what, before, report, changed, pauseMs, passed = 100) => {
    const { state, pauseMs: pausedMs } = advance(before, report, { nowMs, accepted: 104, passed });
    const shown = Object.fromEntries(
      Object.keys(changed).map((key) => [key, state[key as keyof FleetState]]),
    );
    expect(shown).toEqual(changed);
    expect(pausedMs).toBe(pauseMs);
  });

  it("is unchanged if nothing is new, so that it is not stored again", () => {
    const counts = { nowMs: nowMs + 10, accepted: 104, passed: 100 };
    const { state } = advance({ ...limited, samples: [[nowMs, 104]] }, { epoch: 0 }, counts);
    const again = advance(state, { epoch: 3, isAnswered: true }, counts);
    expect(again.state).toBe(state);
  });

  it("guesses a limit below the measured rate after the first refusal", () => {
    const samples = [
      [nowMs - 2_000, 0],
      [nowMs - 1_000, 30],
    ] as const;
    const counts = { nowMs, accepted: 60, passed: 60 };
    const { state } = advance({ ...initialState, samples }, { epoch: 1, isRefused: true }, counts);
    expect(state.ceiling).toBe(0.65 * 30);
  });

  it("lowers the limit by at most half at once, and never below one request in ten seconds", () => {
    let state: FleetState = limited;
    const report = { isRefused: true, retryAfterMs: 0 };
    for (let count = 1; count <= 200; count++) {
      const before = rateOf(state);
      const counts = { nowMs: nowMs + count * 2_000, accepted: 100, passed: 100 + count };
      state = advance(state, { epoch: state.epoch, ...report }, counts).state;
      expect(state.ceiling).toBeGreaterThanOrEqual(Math.max(0.1, before * 0.499));
    }
    expect(state.ceiling).toBeCloseTo(0.1);
  });
});

describe("the requests per second of a queue's workers", () => {
  const at = (sendingMs: number, climbMs = 10_000) => rateOf({ ...limited, sendingMs, climbMs });

  it("are not limited before the first refusal", () => {
    expect(rateOf(initialState)).toBe(Number.POSITIVE_INFINITY);
  });

  it("begin below the limit, return to it, and then exceed it slowly", () => {
    expect(at(0)).toBeCloseTo(9.35);
    expect(at(10_000)).toBeCloseTo(9.85);
    expect(at(15_000)).toBeGreaterThan(10);
    expect(at(15_000)).toBeLessThan(15);
    for (let ms = 0; ms < 30_000; ms += 100) expect(at(ms + 100)).toBeGreaterThanOrEqual(at(ms));
  });

  it("exceed a limit that is only a guess immediately", () => {
    expect(at(0, 0)).toBeCloseTo(9.85);
    expect(at(5_000, 0)).toBeGreaterThan(20);
  });
});

describe("the limit that BullMQ receives", () => {
  it.each<[what: string, state: FleetState, perSecond: number, limit: { max: number; duration: number }]>([
    ["allows everything without a limit", initialState, Infinity, { max: 1_000_000_000, duration: 1000 }],
    ["is the user's limit", initialState, 20, { max: 2, duration: 100 }],
    ["has whole requests", initialState, 3, { max: 1, duration: 333 }],
    ["is the lower one of the user's and the service's limit", limited, 20, { max: 1, duration: 102 }],
    ["is the user's limit below the service's", limited, 5, { max: 1, duration: 200 }],
    ["allows one probe request in an outage", outage, 20, { max: 1, duration: 4_000 }],
  ])("%s", (_what, state, perSecond, limit) => {
    expect(limitFor(state, perSecond)).toEqual(limit);
  });

  it("never exceeds the rate by more than a hundredth, whatever the rate is", () => {
    for (let rate = 0.1; rate < 500; rate *= 1.07) {
      const { max, duration } = limitFor(initialState, rate);
      expect(Number.isInteger(max) && Number.isInteger(duration)).toBe(true);
      expect(Math.abs((max * 1000) / duration / rate - 1)).toBeLessThan(0.01);
    }
  });
});

it("an outage is a state with a probe delay", () => {
  expect([initialState, suspicious, nearOutage, outage].map(isOutage)).toEqual([false, false, false, true]);
});

describe("simulated workers at a service with a limit", () => {
  const limits = [5, 10, 30, 60];
  const cells = limits.flatMap((limit) =>
    kinds.flatMap((kind) => [false, true].map((retryAfter) => ({ limit, kind, retryAfter }))),
  );
  it.each(cells)("are rarely refused, and reach the limit: %o", (service) => {
    // Low limits need more time for an average.
    const seconds = service.limit === 60 ? 60 : 240;
    for (const seed of [1, 2, 3]) {
      const { refusedShare, reachedShare } = measure({ ...service, seconds, seed });
      expect(refusedShare, `refused, seed ${seed}`).toBeLessThanOrEqual(0.05);
      expect(reachedShare, `reached, seed ${seed}`).toBeGreaterThanOrEqual(0.92);
    }
  });

  it("follow a limit that is raised and lowered", () => {
    const limitAt = (atMs: number) => (atMs < 20_000 ? 20 : atMs < 100_000 ? 60 : 10);
    const { servedBetween } = measure({ limit: limitAt, kind: "bucket", retryAfter: true, seconds: 160 });
    expect(servedBetween(70_000, 100_000) / 30).toBeGreaterThan(50);
    expect(servedBetween(130_000, 160_000) / 30).toBeGreaterThan(8.5);
  });

  it("never exceed the user's limit", () => {
    const { mostInOneSecond } = measure({ limit: 1000, kind: "bucket", retryAfter: false, perSecond: 20 });
    expect(mostInOneSecond).toBeLessThanOrEqual(22);
    expect(mostInOneSecond).toBeGreaterThanOrEqual(18);
  });
});
