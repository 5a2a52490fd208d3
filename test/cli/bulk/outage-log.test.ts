import { describe, expect, it } from "vitest";
import { OutageLog } from "../../../src/cli/bulk/outage-log.ts";

const begin = { isOver: false, durationMs: 1000 };

describe("the summary of outages", () => {
  it("is missing if the service was always available", () => {
    expect(new OutageLog().summaryAt(60_000)).toBeUndefined();
  });

  it("counts outages, and adds up how long they lasted", () => {
    const outages = new OutageLog();
    outages.take(begin, 1000);
    outages.take({ isOver: true, durationMs: 185_000 }, 185_000);
    expect(outages.summaryAt(200_000)).toBe("The service was unavailable once, for 3 min 5 s.");
    outages.take(begin, 300_000);
    outages.take({ isOver: true, durationMs: 55_000 }, 354_000);
    const lengths = "2 times, for 4 min in total and at most 3 min 5 s at a time";
    expect(outages.summaryAt(400_000)).toBe(`The service was unavailable ${lengths}.`);
  });

  it("includes an outage that has not ended, from its first failure on", () => {
    const outages = new OutageLog();
    outages.take(begin, 10_000);
    expect(outages.summaryAt(69_000)).toBe(
      "The service was unavailable once, for 1 min, and was still unavailable at the end.",
    );
  });
});
