import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalText } from "../../src/bulk/canonical-text.ts";
import { property } from "../support/fuzz.ts";

describe("the canonical text of a job", () => {
  const values = fc.object({ values: [fc.string(), fc.integer(), fc.boolean(), fc.constant(null)] });

  it("contains the template, and the values with sorted properties at every level", () => {
    expect(canonicalText("t", { b: [2, 1], a: { d: null, c: "é" } })).toBe(
      '["t",{"a":{"c":"é","d":null},"b":[2,1]}]',
    );
  });

  property("does not depend on property order", () =>
    fc.property(values, (given) => {
      expect(canonicalText("t", withReversedProperties(given) as object)).toBe(canonicalText("t", given));
    }),
  );

  it("differs if the values or the template differ", () => {
    const all = [{ a: 1 }, { a: "1" }, { a: [1, 2] }, { a: [2, 1] }, { a: { b: 1 } }, { a: null }, {}];
    const texts = [...all.map((each) => canonicalText("t", each)), canonicalText("u", {})];
    expect(new Set(texts).size).toBe(all.length + 1);
  });

  it("contains the results of `toJSON()` and omits undefined properties", () => {
    expect(canonicalText("t", { at: new Date(0), none: undefined })).toBe(
      '["t",{"at":"1970-01-01T00:00:00.000Z"}]',
    );
  });

  it.each(
    [1n, new Map(), new Set(), Number.NaN, () => 1, Symbol("a"), new Uint8Array(1), new ArrayBuffer(1)].map(
      (a) => ({ a }),
    ),
  )("is undefined for values that JSON cannot represent: %o", (given) => {
    expect(canonicalText("t", given)).toBe(undefined);
  });
});

/** Returns the same values with their properties in reverse order. */
function withReversedProperties(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withReversedProperties);
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([name, inner]) => [name, withReversedProperties(inner)]));
}
