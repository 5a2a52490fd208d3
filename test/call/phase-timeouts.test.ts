import { afterEach, describe, expect, it, vi } from "vitest";
import {
  limitOf,
  type Phase,
  PhaseTimeouts,
  phaseAfter,
  type ReadState,
} from "../../src/call/phase-timeouts.ts";

const timeouts = { connect: 1_000, firstByte: 60_000, stall: 30_000, unread: 45_000, total: 600_000 };

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("The phase of an attempt", () => {
  it.each<[event: keyof typeof phaseAfter, reader: ReadState, phase: Phase | "none" | "same"]>([
    ["opened", "nobody", "connect"],
    ["sent", "nobody", "firstByte"],
    ["sent", "reading", "firstByte"],
    ["refused", "nobody", "refusal"],
    ["bytes", "nobody", "stall"],
    ["document", "nobody", "unread"],
    ["document", "untouched", "stall"],
    ["document", "reading", "stall"],
    ["read", "untouched", "stall"],
    ["read", "reading", "stall"],
    ["paused", "nobody", "same"],
    ["paused", "untouched", "unread"],
    ["paused", "reading", "none"],
    ["resumed", "untouched", "stall"],
    ["resumed", "reading", "stall"],
    ["ended", "nobody", "none"],
    ["ended", "reading", "none"],
  ])("after the event `%s`, if the reader is `%s`, is `%s`", (event, reader, phase) => {
    expect(phaseAfter[event][reader]).toBe(phase);
  });

  it.each<[Phase, number]>([
    ["connect", 1_000],
    ["firstByte", 60_000],
    ["stall", 30_000],
    ["refusal", 10_000],
    ["unread", 45_000],
  ])("`%s` lasts at most %d ms", (phase, limitMs) => {
    expect(limitOf(phase, timeouts)).toBe(limitMs);
  });

  it("`refusal` does not last longer than `timeouts.stall`", () => {
    expect(limitOf("refusal", { ...timeouts, stall: 50 })).toBe(50);
  });
});

/** Timeouts that record which limit was reached, and after how many seconds. */
function recordedTimeouts(limits = timeouts) {
  vi.useFakeTimers();
  const startedAtMs = performance.now();
  const reached: { limit: string; seconds: number }[] = [];
  const record = (limit: string) => {
    reached.push({ limit, seconds: Math.floor((performance.now() - startedAtMs) / 1_000) });
  };
  const recorded = new PhaseTimeouts(limits, {
    onPhaseOver: (phase) => record(phase),
    onTotalOver: () => record("total"),
    onRetryDelayOver: () => record("retryDelay"),
  });
  return { recorded, reached };
}

describe("The timeouts of a call", () => {
  it("report a phase and the whole call once each", () => {
    const { recorded, reached } = recordedTimeouts();
    recorded.after("sent");
    recorded.limitTotal(90_000);
    vi.advanceTimersByTime(1_000_000);
    expect(reached).toEqual([
      { limit: "firstByte", seconds: 60 },
      { limit: "total", seconds: 90 },
    ]);
  });

  it("report the whole call first if its limit is shorter", () => {
    const { recorded, reached } = recordedTimeouts();
    recorded.limitTotal(20_000);
    recorded.after("sent");
    vi.advanceTimersByTime(1_000_000);
    expect(reached.map(({ limit }) => limit)).toEqual(["total", "firstByte"]);
  });

  it("start `stall` again with each chunk, but no other phase", () => {
    const { recorded, reached } = recordedTimeouts();
    recorded.after("bytes");
    vi.advanceTimersByTime(20_000);
    recorded.moreBytes();
    vi.advanceTimersByTime(20_000);
    recorded.after("document", "nobody");
    vi.advanceTimersByTime(20_000);
    recorded.moreBytes();
    vi.advanceTimersByTime(1_000_000);
    expect(reached).toEqual([{ limit: "unread", seconds: 85 }]);
  });

  it("use a single timer, which is not set again when the response begins", () => {
    const { recorded } = recordedTimeouts();
    const set = vi.spyOn(globalThis, "setTimeout");
    recorded.after("sent");
    recorded.limitTotal(600_000);
    recorded.after("document", "reading");
    recorded.moreBytes();
    recorded.after("ended");
    expect(set).toHaveBeenCalledOnce();
    recorded.clear();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("do not wake the process again and again while the service renders, even if `stall` is short", () => {
    const { recorded, reached } = recordedTimeouts({ ...timeouts, stall: 1 });
    const set = vi.spyOn(globalThis, "setTimeout");
    recorded.limitTotal(600_000);
    recorded.after("sent");
    vi.advanceTimersByTime(61_000);
    expect(reached).toEqual([{ limit: "firstByte", seconds: 60 }]);
    expect(set.mock.calls.length).toBeLessThan(10);
  });

  it("do not set the timer again for each chunk", () => {
    const { recorded, reached } = recordedTimeouts();
    recorded.after("bytes");
    const set = vi.spyOn(globalThis, "setTimeout");
    for (let count = 0; count < 1_000; count++) recorded.moreBytes();
    expect(set).not.toHaveBeenCalled();
    vi.advanceTimersByTime(31_000);
    expect(reached).toEqual([{ limit: "stall", seconds: 30 }]);
  });

  it.each([0.1, 99.5, 2 ** 31 - 1, 2 ** 31, 3 * 2 ** 31])(
    "are reached once after %d ms, never early, and leave no timer running",
    (limitMs) => {
      vi.useFakeTimers();
      const setAtMs = performance.now();
      const passedMs: number[] = [];
      const recorded = new PhaseTimeouts(
        { ...timeouts, stall: Number.POSITIVE_INFINITY },
        {
          onPhaseOver: () => {},
          onTotalOver: () => passedMs.push(performance.now() - setAtMs),
          onRetryDelayOver: () => {},
        },
      );
      recorded.limitTotal(limitMs);
      vi.advanceTimersByTime(limitMs + 100_000);
      expect(passedMs).toHaveLength(1);
      expect(passedMs[0]).toBeGreaterThanOrEqual(limitMs);
      // A delay beyond 24.8 days takes several timers, and each is rounded up.
      expect(passedMs[0]).toBeLessThanOrEqual(limitMs + 8);
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  it("are not reached if data arrives right after the due time", () => {
    const { recorded, reached } = recordedTimeouts();
    recorded.after("bytes");
    // The process was busy: the timer fires before the data that is waiting in the socket is received.
    vi.advanceTimersByTime(30_000);
    recorded.moreBytes();
    vi.advanceTimersByTime(29_000);
    expect(reached).toEqual([]);
    vi.advanceTimersByTime(2_000);
    expect(reached).toHaveLength(1);
  });

  it("are reached even if chunks keep arriving in the same tick as the timer", () => {
    const { recorded, reached } = recordedTimeouts();
    recorded.after("document", "reading");
    recorded.limitTotal(10_000);
    for (let ms = 0; ms < 10_010; ms++) {
      vi.advanceTimersByTime(1);
      recorded.moreBytes();
    }
    expect(reached).toEqual([{ limit: "total", seconds: 10 }]);
  });

  it("include the delay before a retry", () => {
    const { recorded, reached } = recordedTimeouts();
    recorded.limitTotal(90_000);
    recorded.delayRetry(2_000);
    vi.advanceTimersByTime(3_000);
    expect(reached).toEqual([{ limit: "retryDelay", seconds: 2 }]);
  });

  it("report nothing after they are cleared", () => {
    const { recorded, reached } = recordedTimeouts();
    recorded.after("sent");
    recorded.limitTotal(90_000);
    recorded.clear();
    vi.advanceTimersByTime(1_000_000);
    expect(reached).toEqual([]);
  });
});
