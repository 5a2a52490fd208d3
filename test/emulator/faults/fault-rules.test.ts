import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type FaultRule,
  hits,
  parseFaultHeader,
  parseFaultRule,
} from "../../../src/emulator/faults/fault-rules.ts";
import { orLongRun, property } from "../../support/fuzz.ts";

/** Which of the calls 1 to 30 a rule hits, where the dice show 0, 0.1 … 0.9 in turn. */
function hitCalls(text: string): number[] {
  const { when } = parseFaultRule(text);
  let rolls = 0;
  const random = () => (rolls++ % 10) / 10;
  return Array.from({ length: 30 }, (_, index) => index + 1).filter((call) => hits(when, call, random));
}

const all = Array.from({ length: 30 }, (_, index) => index + 1);

describe("a rule", () => {
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
    ["500 10%", [1, 11, 21]],
    ["500 25%", [1, 2, 3, 11, 12, 13, 21, 22, 23]],
    ["500 100%", all],
  ])("%s hits the right calls of 1 to 30", (text, calls) => {
    expect(hitCalls(text)).toEqual(calls);
  });

  it("is read in any case and with any white space", () => {
    expect(parseFaultRule("\t 429  Retry-After\n2 EVERY 10 ")).toEqual(
      parseFaultRule("429 retry-after 2 every 10"),
    );
    expect(parseFaultRule("HTML 12.5 %")).toEqual(parseFaultRule("html 12.5%"));
  });

  property("comes out of every text that is made from it", () => {
    const spaces = fc.stringMatching(/^[ \t\n]{1,3}$/);
    const written = fc.tuple(rules, fc.array(spaces, { minLength: 8, maxLength: 8 }), fc.boolean());
    return fc.property(written, ([rule, blanks, isLoud]) => {
      const text = [...wordsOf(rule), ""].map((word, index) => `${blanks[index]}${word}`).join("");
      expect(parseFaultRule(isLoud ? text.toUpperCase() : text)).toEqual(rule);
    });
  });

  property("is accepted exactly where the grammar has it, and refused in one short line", () => {
    const words = fc.constantFrom(
      ...["429", "599", "600", "200", "0", "1", "-1", "2.5", "html", "cut", "stall", "reset"],
      ...["retry-after", "every", "first", "25%", "101%", "2.5%", "%", "every10", "", "a\nb"],
    );
    const texts = fc.oneof(
      fc.array(words, { maxLength: 6 }).map((some) => some.join(" ")),
      fc.string(),
    );
    const grammar =
      /^\s*(?:0*[45]\d\d(?:\s+retry-after\s+\d+)?|html|cut|stall|reset)(?:\s+(?:every|first)\s+0*[1-9]\d*|\s+(?:0*\d\d?(?:\.\d+)?|0*100(?:\.0+)?)\s*%)?\s*$/i;
    return fc.property(orLongRun(texts), (text) => {
      const refusal = refusalOf(() => parseFaultRule(text));
      expect(refusal === undefined).toBe(text.length < 1_000 && grammar.test(text));
      if (refusal === undefined) return;
      expect([TypeError, RangeError]).toContain(refusal.constructor);
      expect(refusal.message).toMatch(/^The fault ".*" cannot be read: [^\r\n\u2028\u2029]+\.$/);
      // It quotes 80 characters twice, and escapes may double them.
      expect(refusal.message.length).toBeLessThan(600);
    });
  });
});

describe("a text that is no rule", () => {
  it.each<[string, typeof TypeError | typeof RangeError, string]>([
    ["", TypeError, "there is nothing in it"],
    ["teapot every 10", TypeError, '"teapot" is neither a status nor one of html, cut, stall, reset'],
    ["200", RangeError, '"200" is no status from 400 to 599'],
    ["399", RangeError, '"399" is no status from 400 to 599'],
    ["600 every 10", RangeError, '"600" is no status from 400 to 599'],
    ["-429", RangeError, '"-429" is no status from 400 to 599'],
    ["4xx", TypeError, '"4xx" is neither a status nor'],
    ["cut retry-after 2", TypeError, "retry-after goes with a status, not with cut"],
    ["429 retry-after", TypeError, "retry-after is to be followed by a whole number, and is by nothing"],
    ["429 retry-after soon", TypeError, 'retry-after is to be followed by a whole number, and is by "soon"'],
    ["429 retry-after 1.5", TypeError, 'and is by "1.5"'],
    ["429 retry-after -1", RangeError, 'retry-after takes at least 0, not "-1"'],
    ["429 retry-after 99999999999999999999", RangeError, "retry-after takes at most 9007199254740991, not"],
    ["429 every", TypeError, "every is to be followed by a whole number, and is by nothing"],
    ["429 every 0", RangeError, 'every takes at least 1, not "0"'],
    ["429 first 0", RangeError, 'first takes at least 1, not "0"'],
    ["429 every 1e3", TypeError, 'every is to be followed by a whole number, and is by "1e3"'],
    ["429 101%", RangeError, '"101%" is not between 0% and 100%'],
    ["429 -1%", RangeError, '"-1%" is not between 0% and 100%'],
    ["429 often", TypeError, '"often" is neither retry-after, every, first nor a percentage'],
    ["429 every 10 retry-after 2", TypeError, 'nothing more is expected at "retry-after 2"'],
    ["429 every 10, cut first 3", TypeError, 'every is to be followed by a whole number, and is by "10,"'],
  ])("is refused, with what is wrong: %j", (text, Kind, wrong) => {
    const refusal = refusalOf(() => parseFaultRule(text));
    expect(refusal).toBeInstanceOf(Kind);
    expect(refusal?.message).toContain(`The fault ${JSON.stringify(text)} cannot be read: `);
    expect(refusal?.message).toContain(wrong);
  });

  it("is answered with an example that works", () => {
    const message = refusalOf(() => parseFaultRule("429 evry 10"))?.message;
    expect(message).toBe(
      'The fault "429 evry 10" cannot be read: "evry" is neither retry-after, every, first nor a percentage. ' +
        'Write <what> [retry-after <seconds>] [every <n> | first <n> | <p>%], such as "429 retry-after 2 every 10".',
    );
    const example = /such as "(.*)"\.$/.exec(message ?? "")?.[1] ?? "";
    expect(parseFaultRule(example).when).toEqual({ every: 10 });
  });

  it("is quoted on one line, and no longer than needed", () => {
    const message = refusalOf(() => parseFaultRule(`a\u0000\u2028\nb${"x".repeat(5_000)}`))?.message ?? "";
    expect(message).toMatch(/^The fault "a bx+…" cannot be read/);
    expect(message.length).toBeLessThan(450);
  });
});

describe("the header of one call", () => {
  it.each([
    ["503", { what: 503, retryAfterSeconds: undefined }],
    [" 429  RETRY-AFTER 0", { what: 429, retryAfterSeconds: 0 }],
    ["Stall", { what: "stall", retryAfterSeconds: undefined }],
  ])("asks for one fault: %j", (text, fault) => {
    expect(parseFaultHeader(text)).toEqual(fault);
  });

  it.each(["429 every 10", "cut first 1", "html 25%", "429 retry-after 2 5 %"])(
    "cannot hold a rule: %s",
    (text) => {
      const message = refusalOf(() => parseFaultHeader(text))?.message;
      expect(message).toContain(`The header x-emulator-fault ${JSON.stringify(text)} cannot be read: `);
      expect(message).toContain("is for rules, and a header speaks of one call only");
    },
  );

  it("is answered with an example that works", () => {
    const message = refusalOf(() => parseFaultHeader("429 soon"))?.message;
    expect(message).toBe(
      'The header x-emulator-fault "429 soon" cannot be read: nothing more is expected at "soon". ' +
        "Write <what> [retry-after <seconds>], where <what> is a status from 400 to 599, html, cut, stall, reset, " +
        'such as "429 retry-after 2".',
    );
    expect(parseFaultHeader(/such as "(.*)"\.$/.exec(message ?? "")?.[1] ?? "").retryAfterSeconds).toBe(2);
  });
});

const positive = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

const rules: fc.Arbitrary<FaultRule> = fc.record({
  fault: fc.oneof(
    fc.record({
      what: fc.integer({ min: 400, max: 599 }),
      retryAfterSeconds: fc.option(fc.nat(), { nil: undefined }),
    }),
    fc.record({
      what: fc.constantFrom("html", "cut", "stall", "reset"),
      retryAfterSeconds: fc.constant(undefined),
    }),
  ),
  when: fc.oneof(
    fc.record({ every: positive }),
    fc.record({ first: positive }),
    fc.record({ percent: fc.integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100) }),
  ),
});

function wordsOf({ fault, when }: FaultRule): string[] {
  const { what, retryAfterSeconds } = fault;
  const pause = retryAfterSeconds === undefined ? [] : ["retry-after", String(retryAfterSeconds)];
  if ("percent" in when) return [String(what), ...pause, `${when.percent}%`];
  const [[name, calls] = []] = Object.entries(when);
  return [String(what), ...pause, String(name), String(calls)];
}

function refusalOf(act: () => unknown): Error | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
