import { describe, expect, it } from "vitest";
import { typeOf, type Values } from "./support/type-of-samples.ts";

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

  it.each([
    [8, 2],
    [9, 1],
  ])("may have %i words of one sort, and are then %i sorts", (count, sorts) => {
    const words = [..."abcdefghi"].slice(0, count);
    const samples = [...words.map((via) => ({ via, number: "" })), { via: "transfer", iban: "" }];
    const written = typeOf(...samples, ...samples);
    expect(written.match(/via: /g)).toHaveLength(sorts);
  });

  it("may have any number of types that were seen twice each", () => {
    const samples = Array.from({ length: 30 }, (_, index) => ({
      type: `t${index}`,
      ...(index % 2 ? { x: 1 } : { y: 1 }),
    }));
    expect(typeOf(...samples, ...samples).match(/\btype:/g)).toHaveLength(2);
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
