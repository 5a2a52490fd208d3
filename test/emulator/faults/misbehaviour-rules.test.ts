import { afterEach, describe, expect, it, vi } from "vitest";
import { isHit, parseFaultRule, parseLatency } from "../../../src/emulator/misbehaviour-rules.ts";

afterEach(() => vi.restoreAllMocks());

const parse = (text: string) => parseFaultRule(text, "The fault");
const all = Array.from({ length: 30 }, (_, index) => index + 1);

describe("a fault rule", () => {
  it.each([
    ["cut every 31", []],
    ["stall first 3", [1, 2, 3]],
    ["reset", all],
    ["429 retry-after 2 every 10", [10, 20, 30]],
    ["500 0%", []],
    ["500 25%", [1, 2, 3, 11, 12, 13, 21, 22, 23]],
    ["HTML 100 %", all],
    ["text every 15", [15, 30]],
    ["\t 429  Retry-After\n2 EVERY 10 ", [10, 20, 30]],
  ])("selects calls from the first 30 calls: %j selects %j", (text, calls) => {
    let rolls = 0;
    // The random numbers are 0, 0.1 … 0.9 in turn.
    vi.spyOn(Math, "random").mockImplementation(() => (rolls++ % 10) / 10);
    const rule = parse(text);
    expect(all.filter((call) => isHit(rule, call))).toEqual(calls);
  });

  const wrong = ",teapot,600,html retry-after 1,429 every 0,429 every10,cut 101%,cut first 1 every 2";
  it.each(wrong.split(","))("causes an error that shows the syntax if the rule is invalid: %j", (text) => {
    const error = errorOf(() => parse(text));
    expect(error).toBeInstanceOf(TypeError);
    expect(error?.message).toContain(`The fault ${JSON.stringify(text)} is not a fault rule. Write <what>`);
    expect(error?.message).toMatch(/html, cut, stall or reset, such as "429 retry-after 2 every 10"\.$/);
  });

  it("is rejected in linear time if it is long and invalid", () => {
    const message = errorOf(() => parse(`429 ${" \n".repeat(50_000)}x`))?.message ?? "";
    expect(message).toMatch(/^The fault ".*" is not a fault rule\. [^\r\n\u2028\u2029]+\.$/);
    expect(message.length).toBeLessThan(450);
  });
});

describe("the latency", () => {
  it.each<[number | string, number, number]>([
    [0, 0, 0],
    [250.5, 250.5, 250.5],
    ["500", 500, 500],
    ["1.5s", 1_500, 1_500],
    ["200..800", 200, 800],
    ["1..2s", 1_000, 2_000],
    ["500ms..2s", 500, 2_000],
    [" 200 MS ..\t 2 S\n", 200, 2_000],
  ])("can be written as %j", (latency, fromMs, toMs) => {
    expect(parseLatency(latency, "The latency")).toEqual({ fromMs, toMs });
  });

  const outOfRange = [RangeError, "is not between 0 and 2147483647 ms, or its range is reversed."] as const;
  const notATime = [TypeError, "is not a time."] as const;

  it.each<[unknown, typeof outOfRange | typeof notATime]>([
    [Number.NaN, outOfRange],
    [-1, outOfRange],
    [2 ** 31, outOfRange],
    ["0..2147483648", outOfRange],
    ["200..2s", outOfRange],
    [null, notATime],
    ["", notATime],
    ["1s..1500", notATime],
    ["-5", notATime],
    ["2m", notATime],
    ["200..", notATime],
    ["1\n2", notATime],
  ])("is rejected with a one-line message if the latency is invalid: %j", (latency, [Kind, problem]) => {
    const error = errorOf(() => parseLatency(latency as string, "The latency"));
    expect(error).toBeInstanceOf(Kind);
    const quoted = `The latency "${String(latency).replace("\n", " ")}"`;
    const remedy = 'Specify a delay or a range of delays, such as "500", "1.5s", "200..800" or "1..2s".';
    expect(error?.message).toBe(`${quoted} ${problem} ${remedy}`);
  });
});

function errorOf(act: () => unknown): Error | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
