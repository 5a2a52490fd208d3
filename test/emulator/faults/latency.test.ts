import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseLatency } from "../../../src/emulator/misbehaviour-rules.ts";
import { orLongRun, property } from "../../support/fuzz.ts";

const longest = 2 ** 31 - 1;

describe("a latency", () => {
  it.each<[number | string, number, number]>([
    [0, 0, 0],
    [250.5, 250.5, 250.5],
    [longest, longest, longest],
    ["500", 500, 500],
    ["500ms", 500, 500],
    ["1.5s", 1_500, 1_500],
    ["0", 0, 0],
    ["200..800", 200, 800],
    ["200..800ms", 200, 800],
    ["1..2s", 1_000, 2_000],
    ["500ms..2s", 500, 2_000],
    ["0.5s..0.75s", 500, 750],
    ["300..300", 300, 300],
    [" 200 MS ..\t 2 S\n", 200, 2_000],
  ])("is parsed from %j", (latency, fromMs, toMs) => {
    expect(parseLatency(latency, "The latency")).toEqual({ fromMs, toMs });
  });

  const remedy = 'Write milliseconds or a range of them, such as "500"';
  const reversed = "is not between 0 and 2147483647 ms, or its range is reversed.";
  const notATime = (text: string) => [`The latency ${text} is not a time.`, TypeError] as const;
  const outOfRange = (text: string) => [`The latency ${text} ${reversed}`, RangeError] as const;

  it.each<[unknown, readonly [string, typeof TypeError | typeof RangeError]]>([
    [Number.NaN, outOfRange('"NaN"')],
    [Number.POSITIVE_INFINITY, outOfRange('"Infinity"')],
    [-1, outOfRange('"-1"')],
    [longest + 1, outOfRange('"2147483648"')],
    [null, notATime('"null"')],
    ["2147484s", outOfRange('"2147484s"')],
    ["0..2147483648", outOfRange('"0..2147483648"')],
    ["800..200", outOfRange('"800..200"')],
    ["200..2s", outOfRange('"200..2s"')],
    ["", notATime('""')],
    ["1s..1500", notATime('"1s..1500"')],
    ["-5", notATime('"-5"')],
    ["1e3", notATime('"1e3"')],
    ["2m", notATime('"2m"')],
    ["5 00", notATime('"5 00"')],
    ["200..", notATime('"200.."')],
    ["1..2..3", notATime('"1..2..3"')],
    ["1\n2", notATime('"1 2"')],
  ])("is rejected in one line: %j", (latency, [wrong, Kind]) => {
    const parse = () => parseLatency(latency as string, "The latency");
    expect(parse).toThrow(Kind);
    expect(parse).toThrow(`${wrong} ${remedy}`);
  });

  property("is always a delay that timers support", () => {
    const number = fc.oneof(fc.double(), fc.integer({ min: -5, max: 3_000_000_000 }));
    const text = fc
      .tuple(number, fc.constantFrom("", "s", "ms", "m"), fc.constantFrom("", "..", "."), number)
      .map((parts) => parts.join(""));
    return fc.property(fc.oneof(number, orLongRun(text), fc.string()), (latency) => {
      let parsed: ReturnType<typeof parseLatency>;
      try {
        parsed = parseLatency(latency, "The latency");
      } catch (error) {
        expect([TypeError, RangeError]).toContain((error as Error).constructor);
        expect((error as Error).message).toMatch(/^The latency [^\r\n\u2028\u2029]+\.$/);
        return;
      }
      expect(parsed.fromMs).toBeGreaterThanOrEqual(0);
      expect(parsed.toMs).toBeGreaterThanOrEqual(parsed.fromMs);
      expect(parsed.toMs).toBeLessThanOrEqual(longest);
    });
  });
});
