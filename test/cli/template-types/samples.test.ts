import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Samples } from "../../../src/cli/template-types/samples.ts";
import { shapesIn } from "../../../src/cli/template-types/shape.ts";
import { property, slowProperty } from "../../support/fuzz.ts";
import { anySamples } from "./support/any-samples.ts";
import { seen, typeOf, type Values } from "./support/type-of-samples.ts";

describe("a member", () => {
  it("is never optional for the sake of one sample", () => {
    expect(typeOf({ date: "2026-11-21", total: 12.5, paid: false })).toBe(
      "{\n  date: string;\n  paid: boolean;\n  total: number;\n}",
    );
  });

  it("is optional where another sample lacks it", () => {
    expect(typeOf({ a: "", note: "" }, { a: "" })).toBe("{\n  a: string;\n  note?: string | undefined;\n}");
  });

  it("is optional where another item of its array lacks it", () => {
    expect(typeOf({ lines: [{ a: 1 }, { a: 1, b: 1 }] })).toBe(
      "{\n  lines: {\n    a: number;\n    b?: number | undefined;\n  }[];\n}",
    );
  });

  it("with a name of 500 kB is handled at once", () => {
    const name = `${"a".repeat(500_000)}1B`;
    expect(typeOf({ [name]: 1 })).toBe(`{\n  ${name}: number;\n}`);
  });

  it.each([
    ["paymentType1", "TYPE_OF_KIND", "$kind$", "tag"],
    ["HTTPMethodType", "a1KIND", "__typename", "x-discriminator"],
  ])("is a tag by the last word of its name: %s, %s, %s, %s", (...names) => {
    for (const name of names) {
      expect(typeOf({ [name]: "a", one: 1 }, { [name]: "b", two: 2 })).not.toContain("one?:");
    }
    for (const name of names.map((each) => `${each}Text`)) {
      expect(typeOf({ [name]: "a", one: 1 }, { [name]: "b", two: 2 })).toContain("one?:");
    }
  });

  it("nested 480 levels deep beside 100,000 others is handled at once", () => {
    let inner: Values = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`m${index}`, 1]));
    for (let level = 0; level < 480; level++) inner = { a: inner };
    const samples = new Samples();
    samples.add(inner);
    expect(shapesIn(samples.shape())).toHaveLength(100_481);
  });

  it.each([
    ["differing primitives are a union", [{ a: 1 }, { a: "x" }, { a: true }], "string | number | boolean"],
    ["null stands last", [{ a: null }, { a: "x" }], "string | null"],
    ["null alone is null", [{ a: null }], "null"],
    ["an empty array may hold anything", [{ a: [] }], "unknown[]"],
    ["an empty array joins any other", [{ a: [] }, { a: ["x"] }], "string[]"],
    ["an empty array inside joins any other", [{ a: [[], [1]] }], "number[][]"],
    ["an array may be mixed", [{ a: [1, "x", null] }], "(string | number | null)[]"],
    ["nested arrays stay nested", [{ a: [[[1]]] }], "number[][][]"],
    ["an empty object may hold anything", [{ a: {} }], "Record<string, unknown>"],
    ["an empty object joins any other", [{ a: {} }, { a: { b: 1 } }], "{\n    b?: number | undefined;\n  }"],
  ])("%s", (_title, samples, type) => {
    expect(typeOf(...samples)).toBe(`{\n  a: ${type};\n}`);
  });

  it("may have any name", () => {
    const sample = JSON.parse('{"__proto__":1,"constructor":1,"":1,"a b":1,"0":1,"größe":1}') as Values;
    expect(typeOf(sample)).toBe(
      '{\n  "": number;\n  "0": number;\n  __proto__: number;\n  "a b": number;\n  constructor: number;\n  größe: number;\n}',
    );
  });
});

describe("places where samples disagree", () => {
  it("are told with what was seen", () => {
    const { disagreements } = {
      disagreements: () =>
        seen([
          { a: "x", b: [] },
          { a: {}, b: { c: 1 } },
        ]).disagreements(),
    };
    expect(disagreements()).toEqual([
      { path: "a", kinds: ["text", "an object"] },
      { path: "b", kinds: ["an array", "an object"] },
    ]);
  });

  it("are told by their paths", () => {
    const samples = [{ "a b": { c: [{ d: 1 }, { d: [1] }] } }];
    expect(seen(samples).disagreements()).toEqual([
      { path: '["a b"].c[].d', kinds: ["a number", "an array"] },
    ]);
  });

  it.each<[string, readonly Values[]]>([
    ["primitives", [{ a: 1 }, { a: "x" }]],
    ["null", [{ a: {} }, { a: null }]],
    ["one array that is mixed", [{ a: [1, {}] }, { a: [{}] }]],
    [
      "objects that are told apart",
      [
        {
          a: [
            { kind: "a", of: "" },
            { kind: "b", of: {} },
          ],
        },
      ],
    ],
  ])("are not %s", (_title, samples) => {
    expect(seen(samples).disagreements()).toEqual([]);
  });

  it("are arrays of one thing here and of another there", () => {
    expect(seen([{ a: [1] }, { a: [{}] }]).disagreements()).toHaveLength(1);
  });
});

describe("samples", () => {
  it("go on being added after a look at them", () => {
    const all = seen([{ a: { b: 1 } }]);
    const before = all.shape();
    all.add({ a: { c: 1 } });
    expect(all.shape()).toEqual(seen([{ a: { b: 1 } }, { a: { c: 1 } }]).shape());
    expect(before).toEqual(seen([{ a: { b: 1 } }]).shape());
  });

  /** The same with its members in another order. */
  const reordered = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reordered).reverse();
    if (typeof value !== "object" || value === null) return value;
    const members = Object.entries(value).reverse();
    return JSON.parse(
      `{${members.map(([name, member]) => `${JSON.stringify(name)}:${JSON.stringify(reordered(member))}`)}}`,
    );
  };

  property("say the same in any order, of samples, of members and of items", () =>
    fc.property(
      anySamples.chain((samples) =>
        fc.tuple(fc.constant(samples), fc.shuffledSubarray(samples, { minLength: samples.length })),
      ),
      ([samples, shuffled]) => {
        expect(typeOf(...(shuffled.map(reordered) as Values[]))).toBe(typeOf(...samples));
        expect(seen(shuffled).disagreements()).toEqual(seen(samples).disagreements());
      },
    ),
  );

  slowProperty("say the same in any order where there are too many shapes to keep", () => {
    const wide = fc.array(
      fc.record({ kind: fc.constantFrom("a", "b"), bits: fc.nat(0x3ff) }).map(({ kind, bits }) => ({
        kind,
        ...Object.fromEntries(
          [..."abcdefghij"].filter((_, at) => bits & (1 << at)).map((name) => [name, bits % 3 ? 1 : ""]),
        ),
      })),
      { minLength: 250, maxLength: 400 },
    );
    return fc.property(wide, (samples) => {
      expect(typeOf(...[...samples].reverse())).toBe(typeOf(...samples));
    });
  });
});
