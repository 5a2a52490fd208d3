import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Timer } from "../src/call/timer.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A timer that notes when it rings. */
function open(onTimeOver?: () => void): { timer: Timer; rang: number[] } {
  const rang: number[] = [];
  const timer = new Timer({
    onTimeOver: () => {
      rang.push(performance.now());
      onTimeOver?.();
    },
  });
  return { timer, rang };
}

describe("a timer", () => {
  it.each([0.1, 1, 5, 99.5, 500, 120_000])(
    "rings once, %d ms after it was set, and leaves no timer",
    async (ms) => {
      const { timer, rang } = open();
      const setAt = performance.now();
      timer.set(ms);
      await vi.advanceTimersByTimeAsync(ms + 100_000);
      expect([rang.length, vi.getTimerCount()]).toEqual([1, 0]);
      expect((rang[0] as number) - setAt).toBeGreaterThanOrEqual(ms);
      expect((rang[0] as number) - setAt).toBeLessThanOrEqual(ms + 4);
    },
  );

  it("can be set again after it rang, also by what it rings for", async () => {
    const { timer, rang } = open(() => {
      if (rang.length < 3) timer.set(10);
    });
    timer.set(10);
    await vi.advanceTimersByTimeAsync(100);
    expect([rang.length, vi.getTimerCount()]).toEqual([3, 0]);
  });

  it("does not ring after it was cleared, which may happen at any time", async () => {
    const { timer, rang } = open();
    timer.clear();
    timer.set(10);
    timer.clear();
    timer.clear();
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(rang).toEqual([]);
  });

  it("set to Infinity never rings, and what was set before is forgotten", async () => {
    const { timer, rang } = open();
    timer.set(10);
    timer.set(Number.POSITIVE_INFINITY);
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(rang).toEqual([]);
  });

  it.each([2 ** 31 - 1, 2 ** 31, 3 * 2 ** 31])("set to %d ms does not ring at once, but then", async (ms) => {
    const { timer, rang } = open();
    timer.set(ms);
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(rang).toEqual([]);
    await vi.advanceTimersByTimeAsync(10);
    expect(rang).toHaveLength(1);
  });

  it("that is moved again and again rings at its last time only", async () => {
    const { timer, rang } = open();
    for (let count = 0; count < 10; count++) {
      timer.set(100);
      await vi.advanceTimersByTimeAsync(99);
    }
    expect(rang).toEqual([]);
    await vi.advanceTimersByTimeAsync(5);
    expect(rang).toHaveLength(1);
  });

  it("that is moved to an earlier time rings then", async () => {
    const { timer, rang } = open();
    timer.set(100_000);
    timer.set(10);
    await vi.advanceTimersByTimeAsync(15);
    expect(rang).toHaveLength(1);
  });

  it("that every chunk moves is set once", () => {
    const setTimer = vi.spyOn(globalThis, "setTimeout");
    const { timer } = open();
    for (let count = 0; count < 1_000; count++) timer.set(100);
    expect(setTimer).toHaveBeenCalledTimes(1);
  });

  it("that is moved in the turn in which it is due does not ring: what arrived in time may come after the timers", async () => {
    const { timer, rang } = open();
    timer.set(100);
    await vi.advanceTimersByTimeAsync(101);
    timer.set(100);
    await vi.advanceTimersByTimeAsync(99);
    expect(rang).toEqual([]);
    await vi.advanceTimersByTimeAsync(5);
    expect(rang).toHaveLength(1);
  });
});
