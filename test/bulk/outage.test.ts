import { describe, expect, it } from "vitest";
import { Outage } from "../../src/bulk/outage.ts";

describe("an outage", () => {
  it("begins with the first request that does not reach the service", () => {
    const outage = new Outage(60_000);
    outage.failed(1, "unreached", 0, 10);
    expect([outage.isOn, outage.sinceMs, outage.nextRequestAtMs]).toEqual([true, 10, 1010]);
  });

  it("begins when three jobs in a row fail, but not when one job fails often", () => {
    const outage = new Outage(60_000);
    for (let at = 0; at < 10; at++) outage.failed("a", "unserved", at, at);
    outage.failed("b", "unserved", 10, 10);
    expect(outage.isOn).toBe(false);
    outage.answered();
    outage.failed("c", "unserved", 11, 11);
    outage.failed("a", "unserved", 12, 12);
    expect(outage.isOn).toBe(false);
    outage.failed("b", "unserved", 13, 13);
    expect([outage.isOn, outage.sinceMs]).toEqual([true, 11]);
  });

  it("waits longer after each failed request, up to 30 s, but not for requests that were in flight before", () => {
    const outage = new Outage(Number.POSITIVE_INFINITY);
    const waits: number[] = [];
    let nowMs = 0;
    for (let count = 0; count < 8; count++) {
      outage.failed(count, "unreached", nowMs, nowMs);
      outage.failed("in flight", "unreached", nowMs - 1, nowMs + 5);
      waits.push(outage.nextRequestAtMs - nowMs);
      nowMs = outage.nextRequestAtMs;
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  });

  it("ends with a response, and the next outage begins with a short wait", () => {
    const outage = new Outage(60_000);
    outage.failed(1, "unreached", 0, 0);
    outage.failed(1, "unreached", 1000, 1000);
    outage.answered();
    expect([outage.isOn, outage.sinceMs, outage.nextRequestAtMs]).toEqual([false, undefined, -Infinity]);
    outage.failed(1, "unreached", 5000, 5000);
    expect(outage.nextRequestAtMs).toBe(6000);
  });

  it("exceeds its limit after the given time, and sends a last request then", () => {
    const outage = new Outage(2500);
    outage.failed(1, "unreached", 0, 0);
    expect(outage.hasLastedTooLong(2499)).toBe(false);
    outage.failed(1, "unreached", 1000, 1000);
    expect(outage.nextRequestAtMs).toBe(2500);
    expect(outage.hasLastedTooLong(2500)).toBe(true);
    outage.answered();
    expect(outage.hasLastedTooLong(9999)).toBe(false);
  });
});
