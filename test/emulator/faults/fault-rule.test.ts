import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { isHit, parseFaultRule } from "../../../src/emulator/misbehaviour-rules.ts";
import { orLongRun, property } from "../../support/fuzz.ts";

afterEach(() => vi.restoreAllMocks());

const parse = (text: string) => parseFaultRule(text, "The fault");

/** The calls from 1 to 30 that a rule hits. */
const hitsOf = (text: string) => {
  const rule = parse(text);
  return all.filter((call) => isHit(rule, call));
};

const all = Array.from({ length: 30 }, (_, index) => index + 1);

describe("a fault rule", () => {
  it.each([
    ["429 every 10", [10, 20, 30]],
    ["cut every 7", [7, 14, 21, 28]],
    ["cut every 31", []],
    ["html every 1", all],
    ["stall first 3", [1, 2, 3]],
    ["503 first 100", all],
    ["reset", all],
    ["429 retry-after 2 first 1", [1]],
    ["500 0%", []],
    ["500 0.01%", [1, 11, 21]],
    ["500 25%", [1, 2, 3, 11, 12, 13, 21, 22, 23]],
    ["500 100%", all],
  ])("hits the expected calls from 1 to 30: %s", (text, calls) => {
    let rolls = 0;
    // The random numbers are 0, 0.1 … 0.9 in turn.
    vi.spyOn(Math, "random").mockImplementation(() => (rolls++ % 10) / 10);
    expect(hitsOf(text)).toEqual(calls);
  });

  it("is case-insensitive and may contain any white space", () => {
    expect(parse("\t 429  Retry-After\n2 EVERY 10 ")).toEqual({ what: "429", retryAfter: "2", every: "10" });
    expect(parse("HTML 100 %").what).toBe("html");
  });

  property("is accepted exactly if it matches the grammar, and otherwise rejected in one short line", () => {
    const words = fc.constantFrom(
      ...["429", "599", "600", "200", "0", "1", "-1", "2.5", "html", "cut", "stall", "reset"],
      ...["retry-after", "every", "first", "25%", "101%", "2.5%", "%", "every10", "", "a\nb"],
    );
    const texts = fc.oneof(
      fc.array(words, { maxLength: 6 }).map((some) => some.join(" ")),
      fc.string(),
    );
    const grammar =
      /^\s*(?:[45]\d\d(?:\s+retry-after\s+\d+)?|html|cut|stall|reset)(?:\s+(?:every|first)\s+[1-9]\d*|\s+(?:\d\d?(?:\.\d+)?|100)\s*%)?\s*$/i;
    return fc.property(orLongRun(texts), (text) => {
      const error = errorOf(() => parse(text));
      expect(error === undefined).toBe(text.length < 1_000 && grammar.test(text));
      if (error === undefined) return;
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toMatch(/^The fault ".*" is not a fault rule\. [^\r\n\u2028\u2029]+\.$/);
      // The message quotes 80 characters, and escapes may double their length.
      expect(error.message.length).toBeLessThan(450);
    });
  });

  it("is rejected with a working example if it is invalid", () => {
    const message = errorOf(() => parse("429 evry 10"))?.message;
    expect(message).toBe(
      'The fault "429 evry 10" is not a fault rule. ' +
        "Write <what> [retry-after <seconds>] [every <n> | first <n> | <p>%], " +
        'where <what> is a status from 400 to 599, html, cut, stall or reset, such as "429 retry-after 2 every 10".',
    );
    const example = /such as "(.*)"\.$/.exec(message ?? "")?.[1] ?? "";
    expect(hitsOf(example)).toEqual([10, 20, 30]);
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
