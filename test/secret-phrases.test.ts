import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Redactor } from "../src/errors/redact.ts";
import { property } from "./support/fuzz.ts";

/** What is left of a text that tells of a value. */
function told(value: unknown, text: string): string {
  return new Redactor(undefined, JSON.stringify({ value })).quote(text, 500);
}

describe("a value of short words", () => {
  it.each([
    ["Eve Ray Tom", 'Received "Eve Ray Tom".', 'Received "[redacted]".'],
    ["Li Wei", "Li Wei is no address, nor is Li Wei", "[redacted] is no address, nor is [redacted]"],
    ["J. R.", "got J. R. here", "got [redacted]. here"],
    ["1-2-3-4", "(1-2-3-4)", "([redacted])"],
    ["李 明", "received 李 明", "received [redacted]"],
    ["O'Brien", "O'Brien", "[redacted]"],
    ["Kim Jong Un", "Kim Jong Un", "[redacted]"],
    [1.5, "received 1.5", "received [redacted]"],
    [-0.5, "was -0.5", "was -[redacted]"],
  ])("%j is taken out as a whole", (value, text, left) => {
    expect(told(value, text)).toBe(left);
  });

  it.each([
    ["Li Wei", "Li Weiss, Eli Wei and Li"],
    [1.5, "version 11.5, 1.52"],
    ["a b", "drab board"],
  ])("%j stands in nothing else: %j", (value, text) => {
    expect(told(value, text)).toBe(text);
  });

  it("is found among many that begin alike", () => {
    const values = Array.from({ length: 50_000 }, (_, number) => `Li W${number} x`);
    const redactor = new Redactor(undefined, JSON.stringify(values));
    expect(redactor.quote("Li W49999 x", 500)).toBe("[redacted]");
  });

  property("is never in what is left", () =>
    fc.property(
      fc
        .array(fc.stringMatching(/^[A-Za-zÀ-ÖØ-öø-ž\d]{1,3}$/), { minLength: 2, maxLength: 6 })
        .map((words) => words.join(" ")),
      fc.stringMatching(/^[ .,:"'()]{1,5}$/),
      (value, around) => !told(value, `${around}${value}${around}`).includes(value),
    ),
  );
});
