import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalText } from "../../src/bulk/canonical-text.ts";
import { property } from "../support/fuzz.ts";

describe("the canonical text of a job", () => {
  const values = fc.object({ values: [fc.string(), fc.integer(), fc.boolean(), fc.constant(null)] });

  property("does not depend on the order of properties", () =>
    fc.property(values, (given) => {
      expect(canonicalText("t", turned(given) as object)).toBe(canonicalText("t", given));
    }),
  );

  it.each([
    [{ a: 1 }, { a: 2 }],
    [{ a: [1, 2] }, { a: [2, 1] }],
    [{ a: { b: 1 } }, { a: { c: 1 } }],
    [{ a: "1" }, { a: 1 }],
    [{ a: null }, {}],
  ])("differs for different values: %j, %j", (one, other) => {
    expect(canonicalText("t", one)).not.toBe(canonicalText("t", other));
  });

  it("differs for another template", () => {
    expect(canonicalText("t", {})).not.toBe(canonicalText("u", {}));
  });

  it("describes what is sent: it applies `toJSON` and omits undefined properties", () => {
    const at = new Date(0);
    expect(canonicalText("t", { at, none: undefined })).toBe(canonicalText("t", { at: at.toJSON() }));
  });

  it.each([
    [{ a: 1n }],
    [{ a: new Map() }],
    [{ a: new Set() }],
    [{ a: Number.NaN }],
    [{ a: () => 1 }],
    [{ a: Symbol("a") }],
    [{ a: new Uint8Array(1) }],
    [{ a: new ArrayBuffer(1) }],
    [circle()],
  ])("is undefined for values that JSON cannot represent", (values) => {
    expect(canonicalText("t", values)).toBe(undefined);
  });
});

function circle(): object {
  const values: Record<string, unknown> = {};
  values["itself"] = values;
  return values;
}

/** The same values with their properties in reverse order. */
function turned(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(turned);
  const members = Object.entries(value).reverse();
  return Object.fromEntries(members.map(([name, inner]) => [name, turned(inner)]));
}
