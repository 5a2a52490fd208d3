import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Samples } from "../../src/template-types/samples.ts";
import { shapesIn } from "../../src/template-types/shape.ts";
import { writeTypes } from "../../src/template-types/write-types.ts";
import { slowProperty } from "../support/fuzz.ts";
import { anySamples, type Values } from "./support/any-samples.ts";
import { named } from "./support/make-shape.ts";

function seen(samples: readonly Values[]): Samples {
  const all = new Samples();
  for (const sample of samples) all.add(sample);
  return all;
}

/** The type of the values as written to the file. */
function typeOf(...samples: readonly Values[]): string {
  const written = writeTypes([named("t", [], seen(samples).shape())], { zod: false });
  return /TValues (?:= ?)?(.*?);?\n\n/s.exec(written)?.[1] ?? "";
}

function lineOf(...samples: readonly Values[]): string {
  return typeOf(...samples).replace(/\s+/g, " ");
}

function times(length: number, make: (index: number) => Values): Values[] {
  return Array.from({ length }, (_, index) => make(index));
}

function parse(samples: string): Values[] {
  return JSON.parse(`[${samples}]`);
}

const card = { kind: "card", number: "1" };
const iban = { kind: "iban", iban: "2" };
const cardJson = JSON.stringify(card);
const ibanJson = JSON.stringify(iban);

describe("the type inferred from samples", () => {
  it.each([
    ['{"date":"","total":1.5,"paid":false}', "{ date: string; paid: boolean; total: number; }"],
    ['{"a":"","note":""},{"a":""}', "{ a: string; note?: string | undefined; }"],
    ['{"a":null},{"a":"x"}', "{ a: string | null; }"],
    ['{"a":[[],[1]]}', "{ a: number[][]; }"],
    ['{"a":[1,"x",null]}', "{ a: (string | number | null)[]; }"],
    ['{"a":{}}', "{ a: Record<string, unknown>; }"],
    ['{"a":{}},{"a":{"b":1}}', "{ a: { b?: number | undefined; }; }"],
    ['{"__proto__":1,"":1,"a b":1,"0":1}', '{ "": number; "0": number; __proto__: number; "a b": number; }'],
    [
      `${cardJson},{"kind":"giro","number":"3"},${ibanJson}`,
      '| { kind: "card" | "giro"; number: string; } | { iban: string; kind: "iban"; }',
    ],
    [
      `${cardJson},{"kind":"card","number":"1","name":""},${ibanJson}`,
      '| { kind: "card"; name?: string | undefined; number: string; } | { iban: string; kind: "iban"; }',
    ],
    ['{"type":"a","x":null},{"type":"b","x":""}', "{ type: string; x: string | null; }"],
  ])("matches all samples: %s becomes %s", (samples, type) => {
    expect(lineOf(...parse(samples)).trim()).toBe(type);
  });

  it("distinguishes kinds of objects in an array and in a nullable property", () => {
    expect(lineOf({ paid: [card, iban] })).toContain('kind: "iban"; } )[];');
    expect(lineOf({ by: card }, { by: iban }, { by: null })).toContain('kind: "iban"; } | null;');
  });

  it.each(["type", "$type", "__typename", "paymentType", "payment_kind", "TYPE_OF_KIND", "HTTPMethodType"])(
    "distinguishes objects by a property named `%s`",
    (name) => {
      expect(lineOf({ [name]: "a", one: 1 }, { [name]: "b", two: 2 })).not.toContain("?:");
      expect(lineOf({ [`${name}Text`]: "a", one: 1 }, { [`${name}Text`]: "b", two: 2 })).toContain("one?:");
    },
  );

  it.each([
    ["isCompany", "boolean", '{"isCompany":true,"vat":""},{"isCompany":false}'],
    ["via", "string", '{"via":"card","number":""},{"via":"transfer","iban":""}'],
  ])("distinguishes objects by a property if each of its values occurs twice: %s", (name, type, json) => {
    const samples = parse(json);
    expect(lineOf(...samples)).toContain(`${name}: ${type};`);
    expect(lineOf(...samples, ...samples)).not.toContain("?:");
  });

  it("is a single object type if a property has more than 8 distinct values", () => {
    const variantsOf = (words: string) => {
      const samples = [...[...words].map((via) => ({ via, number: "" })), { via: "transfer", iban: "" }];
      return lineOf(...samples, ...samples).match(/via: /g)?.length;
    };
    expect({ ofEight: variantsOf("abcdefgh"), ofNine: variantsOf("abcdefghi") }).toEqual({
      ofEight: 2,
      ofNine: 1,
    });
  });

  const people = '{"name":"Ada","phone":""},{"name":"Bob"}';
  it.each<[title: string, samples: readonly Values[]]>([
    ["only some objects have a `phone`", parse(`${people},${people}`)],
    ["each `type` is free text", parse('{"type":"Hours worked","h":1},{"type":"Travel by train","km":1}')],
    ["all objects have the same `type`", parse('{"type":"a","x":1},{"type":"a","y":1}')],
    ["one object has no `type`", parse('{"type":"a","x":1},{"type":"b","y":1},{"z":1}')],
    ["each object has a different `type`", times(30, (at) => ({ type: `t${at}`, [at % 2 ? "x" : "y"]: 1 }))],
  ])("is a single object type with optional properties if %s", (_title, samples) => {
    expect(typeOf(...samples)).toMatch(/^\{[^{}]*\?: [^{}]*\}$/);
  });

  it("distinguishes two kinds of objects even if the objects have 1,024 different shapes", () => {
    const samples = times(1024, (bits) => {
      const some = times(10, (index) => (bits & (1 << index) ? { [`o${index}`]: 1 } : {}));
      return Object.assign(bits % 2 ? { ...card } : { ...iban }, ...some) as Values;
    });
    expect(typeOf(...samples)).toMatch(/kind: "card";\n {6}number: string;.* {6}iban: string;\n/s);
  });

  it("is a `Record` if each of 3,000 samples has a different property", () => {
    expect(typeOf(...times(3_000, (index) => ({ [`n${index}`]: index })))).toBe("Record<string, number>");
  });

  it("keeps all 3,000 properties of an object that is nested 480 levels deep", () => {
    let inner: Values = Object.assign({}, ...times(3_000, (index) => ({ [`n${index}`]: index })));
    for (let level = 0; level < 480; level++) inner = { a: inner };
    expect(shapesIn(seen([inner]).shape())).toHaveLength(3_481);
  });

  /** Returns the same value with its properties in another order. */
  const reordered = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reordered).reverse();
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).reverse();
    return JSON.parse(
      `{${entries.map(([name, entry]) => `${JSON.stringify(name)}:${JSON.stringify(reordered(entry))}`)}}`,
    );
  };

  slowProperty("does not depend on the order of samples, properties or items", () =>
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
});

describe("disagreements between samples", () => {
  it.each<[samples: string, ...disagreements: [path: string, ...kinds: string[]][]]>([
    ['{"a":"x","b":[]},{"a":{},"b":{"c":1}}', ["a", "text", "an object"], ["b", "an array", "an object"]],
    ['{"a b":{"c":[{"d":1},{"d":[1]}]}}', ['["a b"].c[].d', "a number", "an array"]],
    ['{"a":[1]},{"a":[{}]}', ["a[]", "a number", "an object"]],
    ['{"a":1},{"a":"x"}'],
    ['{"a":[1,{}]},{"a":[{}]}'],
    ['{"a":[{"kind":"a","of":""},{"kind":"b","of":{}}]}'],
  ])("are listed by path: %s", (samples, ...disagreements) => {
    const found = seen(parse(samples)).disagreements();
    expect(found.map(({ path, kinds }) => [path, ...kinds])).toEqual(disagreements);
  });
});
