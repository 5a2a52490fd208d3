import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Timer } from "../src/call/timer.ts";

const made: Timer[] = [];

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  for (const alarm of made.splice(0)) alarm.clear();
  vi.useRealTimers();
});

/** An alarm that notes when it rings. */
function alarm(onTimeOver?: () => void): { alarm: Timer; rang: number[] } {
  const rang: number[] = [];
  const alarm = new Timer({
    onTimeOver: () => {
      rang.push(performance.now());
      onTimeOver?.();
    },
  });
  made.push(alarm);
  return { alarm, rang };
}

/** How much later than its limit an alarm may ring: a tenth, and 250 ms at most; and what a timer rounds. */
function latest(limitMs: number): number {
  return limitMs + Math.min(limitMs / 10, 250) + 3;
}

describe("an alarm that is alone", () => {
  it.each([0.1, 1, 5, 99.5, 500, 10_000, 120_000, 600_000])("rings %d ms after it was set", async (ms) => {
    const { alarm: one, rang } = alarm();
    const setAt = performance.now();
    one.set(ms);
    await vi.advanceTimersByTimeAsync(latest(ms) + 1);
    expect(rang).toHaveLength(1);
    expect((rang[0] as number) - setAt).toBeGreaterThanOrEqual(ms);
    expect((rang[0] as number) - setAt).toBeLessThanOrEqual(latest(ms));
  });

  it("rings once", async () => {
    const { alarm: one, rang } = alarm();
    one.set(10);
    await vi.advanceTimersByTimeAsync(100_000);
    expect(rang).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([1, 10, 1_000])("of %d ms takes two timers: one that is due, and the next turn", async (ms) => {
    const setTimer = vi.spyOn(globalThis, "setTimeout");
    const { alarm: one, rang } = alarm();
    one.set(ms);
    await vi.advanceTimersByTimeAsync(latest(ms) + 1);
    expect([rang.length, setTimer.mock.calls.length]).toEqual([1, 2]);
  });

  it("can be set again after it rang", async () => {
    const { alarm: one, rang } = alarm();
    one.set(10);
    await vi.advanceTimersByTimeAsync(20);
    one.set(10);
    await vi.advanceTimersByTimeAsync(20);
    expect(rang).toHaveLength(2);
  });

  it("does not ring when it was cleared, and leaves no timer", async () => {
    const { alarm: one, rang } = alarm();
    one.set(10);
    expect(vi.getTimerCount()).toBe(1);
    one.clear();
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(rang).toEqual([]);
  });

  it("takes it calmly to be cleared when it was never set, twice, or after it rang", async () => {
    const { alarm: one, rang } = alarm();
    one.clear();
    one.set(10);
    await vi.advanceTimersByTimeAsync(20);
    one.clear();
    one.clear();
    expect([rang.length, vi.getTimerCount()]).toEqual([1, 0]);
  });

  it("set to Infinity never rings and needs no timer, and what was set before is forgotten", async () => {
    const { alarm: one, rang } = alarm();
    one.set(10);
    one.set(Number.POSITIVE_INFINITY);
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(rang).toEqual([]);
  });

  it.each([2 ** 31 - 1, 2 ** 31, 2 ** 31 + 5_000, 3 * 2 ** 31])(
    "set to %d ms does not ring at once, but then",
    async (ms) => {
      const { alarm: one, rang } = alarm();
      one.set(ms);
      await vi.advanceTimersByTimeAsync(ms - 1);
      expect(rang).toEqual([]);
      await vi.advanceTimersByTimeAsync(300);
      expect(rang).toHaveLength(1);
    },
  );

  it("set to more than a time can hold, sleeps on", async () => {
    const { alarm: one, rang } = alarm();
    one.set(Number.MAX_VALUE);
    await vi.advanceTimersByTimeAsync(2 ** 31);
    expect([rang.length, vi.getTimerCount()]).toEqual([0, 1]);
  });
});

describe("an alarm that is moved", () => {
  it("rings at its later time only", async () => {
    const { alarm: one, rang } = alarm();
    for (let count = 0; count < 10; count++) {
      one.set(100);
      await vi.advanceTimersByTimeAsync(99);
    }
    expect(rang).toEqual([]);
    const setAt = performance.now() - 99;
    await vi.advanceTimersByTimeAsync(20);
    expect(rang).toHaveLength(1);
    expect((rang[0] as number) - setAt).toBeGreaterThanOrEqual(100);
    expect((rang[0] as number) - setAt).toBeLessThanOrEqual(latest(100));
  });

  it("rings at its earlier time", async () => {
    const { alarm: one, rang } = alarm();
    one.set(100_000);
    one.set(10);
    await vi.advanceTimersByTimeAsync(15);
    expect(rang).toHaveLength(1);
  });

  it.each([1, 100, 1_000])(
    "a thousand times by %d ms, takes one timer, and does not have it set a thousand times",
    (ms) => {
      const { alarm: one } = alarm();
      const setTimer = vi.spyOn(globalThis, "setTimeout");
      for (let count = 0; count < 1_000; count++) one.set(ms);
      expect(setTimer).toHaveBeenCalledTimes(1);
      expect(vi.getTimerCount()).toBe(1);
    },
  );
});

describe("alarms that are many", () => {
  it("share one timer, which is gone with the last of them", () => {
    const all = Array.from({ length: 1_000 }, () => alarm().alarm);
    for (const [index, one] of all.entries()) one.set(1_000 + ((index * 7919) % 100_000));
    expect(vi.getTimerCount()).toBe(1);
    for (const one of all.slice(1)) one.clear();
    expect(vi.getTimerCount()).toBe(1);
    all[0]?.clear();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("of all kinds of limits, ring never early, and late by a tenth or 250 ms at most", async () => {
    const limits = [1, 2, 5, 30, 100, 333, 1_000, 2_500, 2_501, 10_000, 30_000, 60_000, 120_000];
    const all: { limitMs: number; setAt: number; rang: number[] }[] = [];
    for (let round = 0; round < 40; round++) {
      for (const limitMs of limits) {
        const { alarm: one, rang } = alarm();
        all.push({ limitMs, setAt: performance.now(), rang });
        one.set(limitMs);
      }
      await vi.advanceTimersByTimeAsync(17 + ((round * 31) % 400));
    }
    await vi.advanceTimersByTimeAsync(130_000);
    expect(all.filter(({ rang }) => rang.length !== 1)).toEqual([]);
    const delays = all.map(({ limitMs, setAt, rang }) => ({ limitMs, tookMs: (rang[0] as number) - setAt }));
    expect(delays.filter(({ limitMs, tookMs }) => tookMs < limitMs)).toEqual([]);
    expect(delays.filter(({ limitMs, tookMs }) => tookMs > latest(limitMs))).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("of one limit wake the timer a few times a second, not for each of them", async () => {
    const setTimer = vi.spyOn(globalThis, "setTimeout");
    for (let count = 0; count < 1_000; count++) {
      alarm().alarm.set(10_000);
      await vi.advanceTimersByTimeAsync(2);
    }
    await vi.advanceTimersByTimeAsync(10_300);
    expect(vi.getTimerCount()).toBe(0);
    expect(setTimer.mock.calls.length).toBeLessThan(20);
  });
});

describe("what a ringing alarm does", () => {
  it("may clear one that is due as well: that one does not ring", async () => {
    const second = alarm();
    const first = alarm(() => second.alarm.clear());
    first.alarm.set(10);
    second.alarm.set(10);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([first.rang.length, second.rang.length]).toEqual([1, 0]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("may set one that is due as well anew: that one rings later, and once", async () => {
    const second = alarm();
    const first = alarm(() => second.alarm.set(100));
    first.alarm.set(10);
    second.alarm.set(10);
    await vi.advanceTimersByTimeAsync(50);
    expect([first.rang.length, second.rang.length]).toEqual([1, 0]);
    await vi.advanceTimersByTimeAsync(100);
    expect(second.rang).toHaveLength(1);
  });

  it("may set itself, and others: the timer goes on", async () => {
    const other = alarm();
    const first = alarm(() => {
      if (first.rang.length < 3) first.alarm.set(10);
      else other.alarm.set(5);
    });
    first.alarm.set(10);
    await vi.advanceTimersByTimeAsync(100);
    expect([first.rang.length, other.rang.length]).toEqual([3, 1]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("may throw: the others that are due ring all the same", async () => {
    const first = alarm(() => {
      throw new Error("of a listener");
    });
    const second = alarm();
    const third = alarm();
    first.alarm.set(10);
    second.alarm.set(10);
    third.alarm.set(50);
    await vi.advanceTimersByTimeAsync(20).catch(() => {});
    await vi.advanceTimersByTimeAsync(100);
    expect([second.rang.length, third.rang.length]).toEqual([1, 1]);
  });
});

describe("somebody's fake timers", () => {
  /** Resolves when an alarm of 50 ms has rung, in real time. */
  const ringing = () => new Promise<void>((resolve) => alarm(resolve).alarm.set(50));

  it("that came while an alarm was set, and went again, do not silence it", async () => {
    vi.useRealTimers();
    const rings = ringing();
    vi.useFakeTimers();
    vi.useRealTimers();
    await rings;
  });

  it("under which another alarm was set silence one of before only until the next is set", async () => {
    vi.useRealTimers();
    const rings = ringing();
    vi.useFakeTimers();
    alarm().alarm.set(10);
    vi.useRealTimers();
    await ringing();
    await rings;
  });

  it("that went with an alarm set do not silence the alarms after it", async () => {
    alarm().alarm.set(60_000);
    vi.useRealTimers();
    await ringing();
  });

  it("that went long after an alarm was set do not silence the alarms after it", async () => {
    await vi.advanceTimersByTimeAsync(10_000_000);
    alarm().alarm.set(60_000);
    vi.useRealTimers();
    await ringing();
  });

  it("that left the clock alone, and went, do not silence an alarm right after them", async () => {
    vi.useRealTimers();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    alarm().alarm.set(1);
    vi.useRealTimers();
    await ringing();
  });

  it("of which somebody cleared all silence the alarms of before only until the next is set", async () => {
    const before = alarm();
    before.alarm.set(10);
    vi.clearAllTimers();
    await vi.advanceTimersByTimeAsync(1_000);
    const after = alarm();
    after.alarm.set(50);
    await vi.advanceTimersByTimeAsync(60);
    expect([before.rang.length, after.rang.length]).toEqual([1, 1]);
  });

  it("that left the clock alone, and went, do not silence the alarms after them", async () => {
    vi.useRealTimers();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    alarm().alarm.set(1);
    vi.useRealTimers();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await ringing();
  });
});
