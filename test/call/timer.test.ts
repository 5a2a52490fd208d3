import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Timer } from "../../src/call/timer.ts";

let firedAt: number[];
let timer: Timer;

beforeEach(() => {
  vi.useFakeTimers();
  firedAt = [];
  timer = new Timer({ onTimeOver: () => void firedAt.push(performance.now()) });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("A timer", () => {
  it.each([0.1, 99.5, 2 ** 31 - 1, 2 ** 31, 3 * 2 ** 31])(
    "fires once after %d ms, and leaves no system timer running",
    async (ms) => {
      const setAt = performance.now();
      timer.set(ms);
      await vi.advanceTimersByTimeAsync(ms + 100_000);
      expect({ firedCount: firedAt.length, timerCount: vi.getTimerCount() }).toEqual({
        firedCount: 1,
        timerCount: 0,
      });
      const [passed = 0] = firedAt.map((at) => at - setAt);
      expect(passed).toBeGreaterThanOrEqual(ms);
      // A delay beyond 24.8 days takes several timers, and each is rounded up.
      expect(passed).toBeLessThanOrEqual(ms + 8);
    },
  );

  it("can be reset by its listener", async () => {
    const again: Timer = new Timer({ onTimeOver: () => firedAt.push(0) < 3 && again.set(10) });
    again.set(10);
    await vi.advanceTimersByTimeAsync(29);
    expect(firedAt).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(71);
    expect([firedAt.length, vi.getTimerCount()]).toEqual([3, 0]);
  });

  it.each([
    ["cleared", () => timer.clear()],
    ["set to Infinity", () => timer.set(Number.POSITIVE_INFINITY)],
  ])("does not fire after it is %s", async (_, stop) => {
    stop();
    timer.set(10);
    stop();
    stop();
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(firedAt).toEqual([]);
  });

  it("fires earlier if it is reset to an earlier time", async () => {
    timer.set(100_000);
    timer.set(10);
    await vi.advanceTimersByTimeAsync(9);
    expect(firedAt).toEqual([]);
    await vi.advanceTimersByTimeAsync(6);
    expect(firedAt).toHaveLength(1);
  });

  it("uses only one system timer even if it is set 1,000 times", () => {
    const setTimer = vi.spyOn(globalThis, "setTimeout");
    for (let count = 0; count < 1_000; count++) timer.set(100);
    expect(setTimer).toHaveBeenCalledTimes(1);
  });

  it("fires only at the new time if it is reset immediately after its due time", async () => {
    timer.set(100);
    await vi.advanceTimersByTimeAsync(101);
    timer.set(100);
    await vi.advanceTimersByTimeAsync(99);
    expect(firedAt).toEqual([]);
    await vi.advanceTimersByTimeAsync(5);
    expect(firedAt).toHaveLength(1);
  });
});
