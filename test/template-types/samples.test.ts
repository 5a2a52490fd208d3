import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Samples } from "../../src/template-types/samples.ts";
import { writeTypes } from "../../src/template-types/write-types.ts";
import { property } from "../support/fuzz.ts";
import { anySamples } from "./support/any-samples.ts";

type Values = Record<string, unknown>;

function seen(samples: readonly Values[]): Samples {
  const all = new Samples();
  for (const sample of samples) all.add(sample);
  return all;
}

/** The type of the values, as it is written. */
function typeOf(...samples: readonly Values[]): string {
  const template = { uid: "t", shape: seen(samples).shape(), definitions: new Map(), sources: [] };
  return /TValues (?:= ?)?(.*?);?\n\n/s.exec(writeTypes([template], { zod: false }))?.[1] ?? "";
}

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

  it("is missing where a module left it undefined", () => {
    expect(typeOf({ a: 1, b: undefined, c: () => 1 })).toBe("{\n  a: number;\n}");
  });

  it("is the text that JSON would make of a date", () => {
    expect(typeOf({ on: new Date(0) })).toBe("{\n  on: string;\n}");
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
    ["holes in an array are null, as in JSON", [{ a: [undefined, 1] }], "(number | null)[]"],
  ])("%s", (_title, samples, type) => {
    expect(typeOf(...samples)).toBe(`{\n  a: ${type};\n}`);
  });

  it("may be anything where objects without it inherit something of its name", () => {
    const type = typeOf({ a: 1 }, { a: 1, constructor: "c", toString: "t", ["__proto__"]: "p" });
    expect(type).toBe(
      "{\n  __proto__?: string | undefined;\n  a: number;\n  constructor?: unknown;\n  toString?: unknown;\n}",
    );
  });

  it("may have any name", () => {
    const sample = JSON.parse('{"__proto__":1,"constructor":1,"":1,"a b":1,"0":1,"größe":1}') as Values;
    expect(typeOf(sample)).toBe(
      '{\n  "": number;\n  "0": number;\n  __proto__: number;\n  "a b": number;\n  constructor: number;\n  größe: number;\n}',
    );
  });
});

describe("objects that a literal member tells apart", () => {
  const card = { kind: "card", number: "1" };
  const iban = { kind: "iban", iban: "2" };
  const both =
    '  | {\n      kind: "card";\n      number: string;\n    }\n  | {\n      iban: string;\n      kind: "iban";\n    }';

  it("become a union, though each was seen once", () => {
    expect(typeOf(card, iban)).toBe(`\n${both}`);
  });

  it("do so inside an array", () => {
    expect(typeOf({ paid: [card, iban] })).toContain('kind: "card";');
  });

  it("do so beside null", () => {
    expect(typeOf({ by: card }, { by: iban }, { by: null })).toMatch(/kind: "iban";\n {6}\}\n {4}\| null;/);
  });

  it("keep to their own what is inside them", () => {
    const type = typeOf({ kind: "a", of: { x: 1 } }, { kind: "b", of: { y: 1 } });
    expect(type).not.toContain("?");
  });

  it("have what is alike in one, under all its literals", () => {
    const type = typeOf(card, { kind: "giro", number: "3" }, iban);
    expect(type).toContain('kind: "card" | "giro";');
    expect(type).toContain('kind: "iban";');
  });

  it("have optional members of their own", () => {
    expect(typeOf(card, { ...card, name: "" }, iban)).toContain("name?: string | undefined;");
  });

  it.each(["type", "kind", "$type", "__typename", "paymentType", "payment_kind", "@type", "Type"])(
    "may call it %s",
    (name) => {
      expect(typeOf({ [name]: "a", x: 1 }, { [name]: "b", y: 1 })).not.toContain("?");
    },
  );

  it("may tell by a boolean that was seen often enough", () => {
    const samples = [{ isCompany: true, vat: "" }, { isCompany: false }];
    expect(typeOf(...samples)).toContain("isCompany: boolean;");
    expect(typeOf(...samples, ...samples)).toMatch(/isCompany: false;.*isCompany: true;/s);
  });

  it("may tell by any word that was seen often enough, and excludes what the other requires", () => {
    const samples = [
      { via: "card", number: "" },
      { via: "transfer", iban: "" },
    ];
    expect(typeOf(...samples)).toContain("via: string;");
    expect(typeOf(...samples, ...samples)).toMatch(/via: "card";.*via: "transfer";/s);
  });

  it("are told apart in however many orders their members come", () => {
    const samples = Array.from({ length: 600 }, (_, index) => {
      const place = (name: string) => (name.charCodeAt(0) * 7919 * (index + 1)) % 1009;
      const names = [..."abcdefghijklmnopqrst"].sort((a, b) => place(a) - place(b));
      const members = names.map((name) => [name, 1]);
      return { ...Object.fromEntries(members), paid: index % 2 === 0, ...(index % 2 ? { due: "" } : {}) };
    });
    expect(typeOf(...samples)).toMatch(/due: string;.*paid: false;.*paid: true;/s);
  });

  it("are told apart among hundreds of shapes", () => {
    const optional = Array.from({ length: 10 }, (_, index) => `o${index}`);
    const samples = Array.from({ length: 1024 }, (_, bits) => {
      const some = optional.filter((_name, index) => bits & (1 << index)).map((name) => [name, 1]);
      return {
        ...(bits % 2 ? { kind: "card", number: "" } : { kind: "iban", iban: "" }),
        ...Object.fromEntries(some),
      };
    });
    const type = typeOf(...samples);
    expect(type).toMatch(/kind: "card";\n {6}number: string;/);
    expect(type).toContain("      iban: string;\n");
  });
});

describe("objects that are one sort", () => {
  it.each<[string, readonly Values[]]>([
    ["people of whom one has a phone", [{ name: "Ada", phone: "" }, { name: "Bob" }]],
    [
      "the same people, seen twice",
      [{ name: "Ada", phone: "" }, { name: "Bob" }, { name: "Ada", phone: "" }, { name: "Bob" }],
    ],
    [
      "lines whose type is a text",
      [
        { type: "Hours worked", hours: 1 },
        { type: "Travel by train", km: 1 },
      ],
    ],
    [
      "things of one type",
      [
        { type: "a", x: 1 },
        { type: "a", y: 1 },
      ],
    ],
    [
      "things that share a type",
      [
        { type: "a", x: 1 },
        { type: "b", x: 1 },
        { type: "a", y: 1 },
        { type: "b", y: 1 },
      ],
    ],
    ["things of which one has no type", [{ type: "a", x: 1 }, { type: "b", y: 1 }, { z: 1 }]],
    [
      "things whose type may be null",
      [
        { type: "a", x: 1 },
        { type: "b", y: 1 },
        { type: null, z: 1 },
      ],
    ],
    [
      "things of as many types as there are things",
      Array.from({ length: 30 }, (_, index) => ({ type: `t${index}`, ...(index % 2 ? { x: 1 } : { y: 1 }) })),
    ],
  ])("have optional members: %s", (_title, samples) => {
    expect(typeOf(...samples)).toMatch(/^\{[^{}]*\?: [^{}]*\}$/);
  });

  it("do not differ by a null", () => {
    expect(typeOf({ type: "a", x: null }, { type: "b", x: "" })).toContain("type: string;");
  });

  it("have their type as any text where shapes do not differ", () => {
    expect(typeOf({ type: "a", x: 1 }, { type: "b", x: 2 })).toBe("{\n  type: string;\n  x: number;\n}");
  });

  it("have data as names where there are thousands of them", () => {
    const samples = Array.from({ length: 3_000 }, (_, index) => ({ [`n${index}`]: index }));
    expect(typeOf(...samples)).toBe("Record<string, number>");
  });

  it("keep all their names where one sample has them", () => {
    const sample = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`n${index}`, index]));
    expect(typeOf(sample).split("\n")).toHaveLength(3_002);
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
  it("are counted", () => {
    expect([seen([]).count, seen([{}, {}]).count]).toEqual([0, 2]);
  });

  it("that are nested too deep are refused in one line", () => {
    let deep: unknown = [];
    for (let depth = 0; depth < 501; depth++) deep = [deep];
    expect(() => seen([{ deep }])).toThrow(/^A sample is nested deeper than 500 levels[^\n]*$/);
  });

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

  property("say the same in any order where there are too many shapes to keep", () => {
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
