import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDuration, parseDuration } from "../../src/cli/duration.ts";
import { Misuse } from "../../src/cli/failure.ts";
import { orLongRun, property } from "../support/fuzz.ts";

describe("parseDuration", () => {
  it.each([
    ["30", 30_000],
    ["30s", 30_000],
    ["0.25", 250],
    [".5s", 500],
    ["500ms", 500],
    ["500 MS", 500],
    ["2m", 120_000],
    ["1.5h", 5_400_000],
    ["1ms", 1],
    ["2147483647ms", 2_147_483_647],
    ["596h", 2_145_600_000],
  ])("reads %s", (text, durationMs) => {
    expect(parseDuration(text, "--timeout")).toBe(durationMs);
  });

  it("refuses 500,000 spaces after a number", () => {
    expect(() => parseDuration(`1${" ".repeat(500_000)}x`, "--timeout")).toThrow(Misuse);
  });

  const refused = ["", " ", "0", "0.0001", "-1", "+1", "1e3", "NaN", "Infinity", "2d", "1:30", "1 2"];
  it.each([...refused, "597h", "2147483648ms"])("refuses %j", (text) => {
    const parse = () => parseDuration(text, "--timeout");
    expect(parse).toThrow(Misuse);
    expect(parse).toThrow(`--timeout must be a duration from 1ms to 596h, but got "${text}".`);
  });
});

property("parseDuration returns a duration that fits a timer, or refuses the text", () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.string({ unit: fc.constantFrom(..."0123456789.eE+-msh \n"), maxLength: 12 }),
  );
  return fc.property(orLongRun(texts), (text) => {
    try {
      const durationMs = parseDuration(text, "--timeout");
      expect(Number.isInteger(durationMs) && durationMs >= 1 && durationMs < 2 ** 31).toBe(true);
    } catch (error) {
      expect(error).toBeInstanceOf(Misuse);
    }
  });
});

describe("formatDuration", () => {
  it.each([
    [0.4, "0 ms"],
    [41.6, "42 ms"],
    [999.4, "999 ms"],
    [999.6, "1 s"],
    [1000, "1 s"],
    [1250, "1.3 s"],
    [600_000, "600 s"],
  ])("writes %f ms as %s", (durationMs, text) => {
    expect(formatDuration(durationMs)).toBe(text);
  });
});
