import { describe, expect, it } from "vitest";
import { nearestName } from "../../src/cli/nearest-name.ts";

describe("The nearest known name", () => {
  it.each([
    ["abcx", ["abcy", "abcz"], "abcy"],
    ["abx", ["aby"], undefined],
    ["FETCH", ["fetch"], "fetch"],
    ["feta", ["fetch"], "fetch"],
    ["fega", ["fetch"], undefined],
  ])("shares more than half of its pairs of letters: %s, %j", (name, known, nearest) => {
    expect(nearestName(name, known)).toBe(nearest);
  });
});
