import { describe, expect, it } from "vitest";
import { nearestName } from "../../src/cli/nearest-name.ts";

describe("nearestName", () => {
  it.each([
    ["abcx", ["abcy", "abcz"], "abcy"],
    ["abx", ["aby"], undefined],
    ["FETCH", ["fetch"], "fetch"],
    ["feta", ["fetch"], "fetch"],
    ["fega", ["fetch"], undefined],
  ])("finds a name only if more than half of its letter pairs match: %s, %j", (name, known, nearest) => {
    expect(nearestName(name, known)).toBe(nearest);
  });
});
