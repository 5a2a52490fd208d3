import { beforeEach, describe, expect, it, vi } from "vitest";
import { Timer } from "../src/call/timer.ts";

/** There, a timer ends with the request of the server in which it was set. */
describe("alarms in an edge worker", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal("WebSocketPair", class {});
    return () => {
      vi.unstubAllGlobals();
      vi.useRealTimers();
    };
  });

  function alarm() {
    const onTimeOver = vi.fn();
    return { onTimeOver, alarm: new Timer({ onTimeOver }) };
  }

  it("have a timer each, which is gone with them", () => {
    const all = Array.from({ length: 5 }, () => alarm().alarm);
    for (const one of all) one.set(1_000);
    expect(vi.getTimerCount()).toBe(5);
    for (const one of all) one.clear();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ring once, when they were last set to", () => {
    const { alarm: one, onTimeOver } = alarm();
    one.set(1_000);
    vi.advanceTimersByTime(900);
    one.set(1_000);
    vi.advanceTimersByTime(999);
    expect(onTimeOver).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onTimeOver).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(100_000);
    expect(onTimeOver).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("wait as long as they are told, though no timer does", () => {
    const { alarm: one, onTimeOver } = alarm();
    one.set(2 ** 31 + 5_000);
    vi.advanceTimersByTime(2 ** 31 + 4_999);
    expect(onTimeOver).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2);
    expect(onTimeOver).toHaveBeenCalledTimes(1);
  });
});
