import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { add, areEqual, decimalOf, formatDecimal } from "../../../../src/emulator/renderer/json/decimals.ts";
import { property } from "../../../support/fuzz.ts";

const parsed = (value: unknown) => decimalOf(value) ?? expect.fail(`${String(value)} is not a number`);

describe("a decimal number", () => {
  const numeric = fc
    .tuple(fc.constantFrom("", "-"), fc.bigInt(0n, 10n ** 30n), fc.array(fc.nat(9), { maxLength: 20 }))
    .map(([sign, whole, places]) => `${sign}${whole}${places.length > 0 ? `.${places.join("")}` : ""}`);

  property(
    "keeps the digits of a numeric string",
    (saw) =>
      fc.property(numeric, (text) => {
        saw(text.includes(".") ? "a fraction" : "an integer");
        const written = formatDecimal(parsed(text));
        expect(written).toBe(/^-0*(?:\.0*)?$/.test(text) ? text.slice(1) : text);
      }),
    { outcomes: ["a fraction", "an integer"] },
  );

  property(
    "has the digits of a JavaScript number, and none of its exponent",
    (saw) =>
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        saw(String(number).includes("e") ? "an exponent" : "no exponent");
        const written = formatDecimal(parsed(number));
        expect(written).not.toContain("e");
        expect(Number(written)).toBe(number + 0);
      }),
    { outcomes: ["an exponent", "no exponent"] },
  );

  property(
    "is added exactly, in any order",
    (saw) =>
      fc.property(numeric, numeric, (one, other) => {
        saw("a sum");
        const sum = add(parsed(one), parsed(other));
        expect(areEqual(sum, add(parsed(other), parsed(one)))).toBe(true);
        const back = add(sum, parsed(one.startsWith("-") ? one.slice(1) : `-${one}`));
        expect(areEqual(back, parsed(other))).toBe(true);
      }),
    { outcomes: ["a sum"] },
  );

  it.each([
    Number.NaN,
    Number.POSITIVE_INFINITY,
    "",
    "1e3",
    " 1",
    "1,000",
    "1.",
    ".5",
    "+1",
    "1".repeat(101),
    null,
    true,
    {},
  ])("is not %j", (value) => {
    expect(decimalOf(value)).toBeUndefined();
  });
});
