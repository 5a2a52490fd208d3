import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { json, request } from "../../service/endpoint-call.ts";
import { detailOf, misbehaving } from "./misbehaving.ts";

const hour = 3_600_000;

describe("a latency", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  /** Runs everything that does not need a timer. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  async function until(condition: () => boolean): Promise<void> {
    // The limit keeps a failing test from hanging.
    const limit = performance.now() + 5_000;
    while (!condition() && performance.now() < limit) await settle();
    expect(condition()).toBe(true);
  }

  it("delays the document and the fault", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    for (const faults of [[], ["503"]]) {
      const { call, produce, listeners } = misbehaving({ faults, latency: "200..800" });
      const onResponse = vi.fn();
      const response = call().finally(onResponse);
      await until(() => listeners() > 0);
      await vi.advanceTimersByTimeAsync(499);
      await settle();
      expect([onResponse.mock.calls.length, produce.mock.calls.length]).toEqual([0, 0]);
      await vi.advanceTimersByTimeAsync(1);
      expect((await response).status).toBe(faults.length === 0 ? 200 : 503);
    }
  });

  it("of a single call takes precedence over the latency of all calls", async () => {
    const { call, listeners } = misbehaving({ latency: hour });
    expect((await call({ "x-emulator-latency": "0" })).status).toBe(200);
    const delayed = call({ "x-emulator-latency": "2s" });
    await until(() => listeners() > 0);
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await delayed).status).toBe(200);
  });

  it("does not change the order in which calls are counted", async () => {
    const { call, listeners } = misbehaving({ faults: "503 first 1" });
    const slow = call({ "x-emulator-latency": "2s" });
    await until(() => listeners() > 0);
    expect((await call()).status).toBe(200);
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await slow).status).toBe(503);
  });

  it("ends if the caller disconnects, without an error", async () => {
    const { endpoint, produce, onError, listeners } = misbehaving({ latency: hour });
    const caller = new AbortController();
    const response = endpoint(new Request(request({}), { signal: caller.signal }));
    await until(() => listeners() > 0);
    expect([vi.getTimerCount(), listeners()]).toEqual([1, 1]);
    caller.abort();
    await response;
    expect([vi.getTimerCount(), listeners()]).toEqual([0, 0]);
    expect(produce).not.toHaveBeenCalled();
    expect(onError).not.toHaveBeenCalled();
  });

  it("ends with 503 if the server stops, and later calls do not wait", async () => {
    const { call, closing, produce, onError, listeners } = misbehaving({ latency: hour });
    const response = call();
    await until(() => listeners() > 0);
    closing.abort(new Error("closed"));
    expect((await response).status).toBe(503);
    expect(await detailOf(await call())).toBe("The emulator is stopping. Start it again.");
    expect([vi.getTimerCount(), listeners()]).toEqual([0, 0]);
    expect(produce).not.toHaveBeenCalled();
    expect(onError).not.toHaveBeenCalled();
  });

  it("leaves no timers and no listeners after 1,000 calls with different outcomes", async () => {
    const warn = vi.fn();
    process.on("warning", warn);
    const { endpoint, listeners } = misbehaving({ latency: "1..9" });
    const faults = ["stall", "cut", "429", "html", "reset"];
    const callers: AbortController[] = [];
    const responses = Array.from({ length: 1_000 }, (_, index) => {
      const caller = new AbortController();
      if (index < 500) callers.push(caller);
      const headers = { ...json, "x-emulator-fault": faults[index % 5] ?? "" };
      return endpoint(new Request(request({ headers }), { signal: caller.signal }));
    });
    await until(() => listeners() === 1_000);
    expect(vi.getTimerCount()).toBe(1_000);
    for (const caller of callers) caller.abort();
    await until(() => listeners() === 500);
    expect(vi.getTimerCount()).toBe(500);
    await vi.advanceTimersByTimeAsync(10);
    const statuses = (await Promise.all(responses)).map(({ status }) => status);
    expect(statuses.slice(0, 500)).toEqual(Array(500).fill(500));
    expect(statuses.slice(500, 505)).toEqual([200, 200, 429, 200, 0]);
    expect(vi.getTimerCount()).toBe(0);
    expect(listeners()).toBe(0);
    await settle();
    process.off("warning", warn);
    expect(warn).not.toHaveBeenCalled();
  });
});
