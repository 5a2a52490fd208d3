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
  ])("is read from %j", (latency, fromMs, toMs) => {
    expect(parseLatency(latency, "The latency")).toEqual({ fromMs, toMs });
  });

  it.each<[unknown, typeof TypeError | typeof RangeError, string]>([
    [Number.NaN, RangeError, 'The latency "NaN" is not between 0 and 2147483647 ms'],
    [Number.POSITIVE_INFINITY, RangeError, 'The latency "Infinity" is not between'],
    [-1, RangeError, 'The latency "-1" is not between'],
    [longest + 1, RangeError, 'The latency "2147483648" is not between'],
    [null, TypeError, 'The latency "null" cannot be read'],
    [[200, 800], TypeError, 'The latency "200,800" cannot be read'],
    ["2147484s", RangeError, 'The latency "2147484s" is not between'],
    ["0..2147483648", RangeError, 'The latency "0..2147483648" is not between'],
    ["800..200", RangeError, 'The latency "800..200" is not between 0 and 2147483647 ms, or its longer'],
    ["200..2s", RangeError, 'The latency "200..2s" is not between 0 and 2147483647 ms, or its longer'],
    [
      "",
      TypeError,
      'The latency "" cannot be read as a time. Write milliseconds or a range of them, such as "500"',
    ],
    ["1s..1500", TypeError, 'The latency "1s..1500" cannot be read'],
    ["-5", TypeError, 'The latency "-5" cannot be read'],
    ["NaN", TypeError, 'The latency "NaN" cannot be read'],
    ["1e3", TypeError, 'The latency "1e3" cannot be read'],
    ["2m", TypeError, 'The latency "2m" cannot be read'],
    ["5 00", TypeError, 'The latency "5 00" cannot be read'],
    ["200-800", TypeError, 'The latency "200-800" cannot be read'],
    ["200..", TypeError, 'The latency "200.." cannot be read'],
    ["1..2..3", TypeError, 'The latency "1..2..3" cannot be read'],
    ["1\n2", TypeError, 'The latency "1 2" cannot be read'],
  ])("is refused in one line: %j", (latency, Kind, wrong) => {
    const parse = () => parseLatency(latency as string, "The latency");
    expect(parse).toThrow(Kind);
    expect(parse).toThrow(wrong);
  });

  property("is never anything that a timer cannot wait for", () => {
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
