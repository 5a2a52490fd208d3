import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Redactor } from "../src/errors/redact.ts";
import { property } from "./support/fuzz.ts";

/** What is left of a text that tells of a value. */
function told(value: unknown, text: string): string {
  return new Redactor(undefined, JSON.stringify({ value })).quote(text, 500);
}

/** The longest value that is a phrase. */
const longest = Array.from({ length: 67 }, () => "ox").join(" ");

describe("a value of short words", () => {
  it("is 200 characters long at most", () => {
    expect(longest).toHaveLength(200);
  });

  it.each([
    ["Eve Ray Tom", 'Received "Eve Ray Tom".', 'Received "[redacted]".'],
    ["Li Wei", "Li Wei is no address, nor is Li Wei", "[redacted] is no address, nor is [redacted]"],
    ["J. R.", "got J. R. here", "got [redacted]. here"],
    ["1-2-3-4", "(1-2-3-4)", "([redacted])"],
    ["李 明", "received 李 明", "received [redacted]"],
    ["O'Brien", "O'Brien", "[redacted]"],
    ["Kim Jong Un", "Kim Jong Un", "[redacted]"],
    ["Date is not valid", "date is not valid", "[redacted]"],
    [longest, longest, "[redacted]"],
    [1.5, "received 1.5", "received [redacted]"],
    [-0.5, "was -0.5", "was -[redacted]"],
  ])("%j is taken out as a whole", (value, text, left) => {
    expect(told(value, text)).toBe(left);
  });

  it.each([
    ["Li Wei", "Li Weiss, Eli Wei and Li"],
    [1.5, "version 11.5, 1.52"],
    ["a b", "drab board"],
    ["x", "the x axis"],
    [["x", "y"], "the axes x, y"],
    ["Invalid date", "Invalid date"],
    [`${longest}y`, `${longest}y`],
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

it("A phrase that begins within another phrase is replaced with it", () => {
  expect(told(["Ann B", "B Lee"], "Ann B Lee")).toBe("[redacted]");
});

it("Two distinctive words of a value are replaced one by one", () => {
  expect(told("Ada Lovelace Byron", "Lovelace Byron")).toBe("[redacted] [redacted]");
  expect(told("Lovelace Byron", "Lovelace Byron")).toBe("[redacted] [redacted]");
});

describe("Ordinary words that are values", () => {
  it.each([
    "an additional array cannot be between any blank characters",
    "the currency of a customer contains a default digit in each document",
    "each email field must equal the expected format exactly",
    "invalid input found, the invoice items have been given as integer",
    "json keys are many letters, less than the maximum length of the list",
    "names must not be more than the minimum number",
    "only one optional parameter or placeholder pattern, please",
    "the provided string is required and should be shorter",
    "such template text is too total, of type undefined",
    "unexpected value, use a unique url when unsupported",
    "your value is wrong within zero",
  ])("stay in a refusal: %s", (refusal) => {
    expect(told(refusal.match(/[a-z]+/g), refusal)).toBe(refusal);
  });
});

describe("Words of the name of a placeholder", () => {
  it.each([
    ["grossWeight", "grossweight"],
    ["grossWeight", "gross"],
    ["grossWeight", "Weight"],
    ["_gross-weight", "weight"],
    ["$gross", "gross"],
    ["line12", "line12"],
    ["Gross", "GROSS"],
  ])("stay, also as a value: %s, %s", (name, word) => {
    const redactor = new Redactor(undefined, JSON.stringify({ [name]: 1, other: word }));
    expect(redactor.quote(`no ${word} here`, 500)).toBe(`no ${word} here`);
  });

  it.each([
    ["card123", "card123"],
    ["ann@example.org", "example"],
    ["Ann Lovelace", "lovelace"],
    [`gross${"s".repeat(36)}`, `gross${"s".repeat(36)}`],
  ])("do not stay if the name may be data: %s, %s", (name, word) => {
    const redactor = new Redactor(undefined, JSON.stringify({ [name]: 1, other: word }));
    expect(redactor.quote(`no ${word} here`, 500)).toBe("no [redacted] here");
  });
});
