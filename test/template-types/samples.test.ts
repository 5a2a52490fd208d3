import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Samples } from "../../src/template-types/samples.ts";
import { shapesIn } from "../../src/template-types/shape.ts";
import { writeTypes } from "../../src/template-types/write-types.ts";
import { property, slowProperty } from "../support/fuzz.ts";
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

/** The type of the values on one line. */
function lineOf(...samples: readonly Values[]): string {
  return typeOf(...samples).replace(/\s+/g, " ");
}

/** Creates `length` samples from their indices. */
function times(length: number, make: (index: number) => Values): Values[] {
  return Array.from({ length }, (_, index) => make(index));
}

/** Parses samples in JSON that are separated by commas. */
function parse(samples: string): Values[] {
  return JSON.parse(`[${samples}]`);
}

const card = { kind: "card", number: "1" };
const iban = { kind: "iban", iban: "2" };
const cardJson = JSON.stringify(card);
const ibanJson = JSON.stringify(iban);

describe("the type of samples", () => {
  it.each([
    ['{"date":"","total":1.5,"paid":false}', "{ date: string; paid: boolean; total: number; }"],
    ['{"a":"","note":""},{"a":""}', "{ a: string; note?: string | undefined; }"],
    ['{"lines":[{"a":1},{"a":1,"b":1}]}', "{ lines: { a: number; b?: number | undefined; }[]; }"],
    ['{"a":1},{"a":"x"},{"a":true}', "{ a: string | number | boolean; }"],
    ['{"a":null},{"a":"x"}', "{ a: string | null; }"],
    ['{"a":null}', "{ a: null; }"],
    ['{"a":[]}', "{ a: unknown[]; }"],
    ['{"a":[]},{"a":["x"]}', "{ a: string[]; }"],
    ['{"a":[[],[1]]}', "{ a: number[][]; }"],
    ['{"a":[1,"x",null]}', "{ a: (string | number | null)[]; }"],
    ['{"a":[[[1]]]}', "{ a: number[][][]; }"],
    ['{"a":{}}', "{ a: Record<string, unknown>; }"],
    ['{"a":{}},{"a":{"b":1}}', "{ a: { b?: number | undefined; }; }"],
    ['{"__proto__":1,"":1,"a b":1,"0":1}', '{ "": number; "0": number; __proto__: number; "a b": number; }'],
    [`${cardJson},${ibanJson}`, '| { kind: "card"; number: string; } | { iban: string; kind: "iban"; }'],
    [
      `${cardJson},{"kind":"giro","number":"3"},${ibanJson}`,
      '| { kind: "card" | "giro"; number: string; } | { iban: string; kind: "iban"; }',
    ],
    [
      `${cardJson},{"kind":"card","number":"1","name":""},${ibanJson}`,
      '| { kind: "card"; name?: string | undefined; number: string; } | { iban: string; kind: "iban"; }',
    ],
    [
      '{"kind":"a","of":{"x":1}},{"kind":"b","of":{"y":1}}',
      '| { kind: "a"; of: { x: number; }; } | { kind: "b"; of: { y: number; }; }',
    ],
    ['{"type":"a","x":null},{"type":"b","x":""}', "{ type: string; x: string | null; }"],
    ['{"type":"a","x":1},{"type":"b","x":2}', "{ type: string; x: number; }"],
  ])("for %s is %s", (samples, type) => {
    expect(lineOf(...parse(samples)).trim()).toBe(type);
  });

  it("distinguishes objects inside an array and next to null", () => {
    expect(lineOf({ paid: [card, iban] })).toContain('kind: "iban"; } )[];');
    expect(lineOf({ by: card }, { by: iban }, { by: null })).toContain('kind: "iban"; } | null;');
  });

  const tags =
    "type kind $type __typename paymentType payment_kind @type Type paymentType1 TYPE_OF_KIND $kind$ tag HTTPMethodType a1KIND x-discriminator";
  it.each(tags.split(" "))("distinguishes objects by a property called %s, but not %sText", (name) => {
    expect(lineOf({ [name]: "a", one: 1 }, { [name]: "b", two: 2 })).not.toContain("?:");
    expect(lineOf({ [`${name}Text`]: "a", one: 1 }, { [`${name}Text`]: "b", two: 2 })).toContain("one?:");
  });

  it.each([
    ["isCompany", "boolean", '{"isCompany":true,"vat":""},{"isCompany":false}'],
    ["via", "string", '{"via":"card","number":""},{"via":"transfer","iban":""}'],
  ])("distinguishes objects by any property that occurs twice with each value: %s", (name, type, json) => {
    const samples = parse(json);
    expect(lineOf(...samples)).toContain(`${name}: ${type};`);
    expect(lineOf(...samples, ...samples)).not.toContain("?:");
  });

  it.each([
    [8, 2],
    [9, 1],
  ])("for a property with %i different words has %i variants", (count, variants) => {
    const words = [..."abcdefghi"].slice(0, count);
    const samples = [...words.map((via) => ({ via, number: "" })), { via: "transfer", iban: "" }];
    expect(lineOf(...samples, ...samples).match(/via: /g)).toHaveLength(variants);
  });

  const people = '{"name":"Ada","phone":""},{"name":"Bob"}';
  it.each<[title: string, samples: readonly Values[]]>([
    ["a sample lacks a property", parse(people)],
    ["every name of a person occurs twice", parse(`${people},${people}`)],
    [
      "the types are free texts",
      parse('{"type":"Hours worked","hours":1},{"type":"Travel by train","km":1}'),
    ],
    ["all objects have the same type", parse('{"type":"a","x":1},{"type":"a","y":1}')],
    ["two shapes have the same types", times(4, (at) => ({ type: "ab"[at % 2], [at < 2 ? "x" : "y"]: 1 }))],
    ["one object has no type", parse('{"type":"a","x":1},{"type":"b","y":1},{"z":1}')],
    ["one type is null", parse('{"type":"a","x":1},{"type":"b","y":1},{"type":null,"z":1}')],
    ["every object has a different type", times(30, (at) => ({ type: `t${at}`, [at % 2 ? "x" : "y"]: 1 }))],
  ])("is one object with optional properties if %s", (_title, samples) => {
    expect(typeOf(...samples)).toMatch(/^\{[^{}]*\?: [^{}]*\}$/);
  });

  it("may include any number of types if each occurs twice", () => {
    const samples = times(30, (index) => ({ type: `t${index}`, ...(index % 2 ? { x: 1 } : { y: 1 }) }));
    expect(typeOf(...samples, ...samples).match(/\btype:/g)).toHaveLength(2);
  });

  it("distinguishes objects in any order of their properties", () => {
    const samples = times(600, (index) => {
      const place = (name: string) => (name.charCodeAt(0) * 7919 * (index + 1)) % 1009;
      const names = [..."abcdefghijklmnopqrst"].sort((a, b) => place(a) - place(b));
      const entries = Object.fromEntries(names.map((name) => [name, 1]));
      return { ...entries, paid: index % 2 === 0, ...(index % 2 ? { due: "" } : {}) };
    });
    expect(typeOf(...samples)).toMatch(/due: string;.*paid: false;.*paid: true;/s);
  });

  it("distinguishes objects of 1,024 shapes", () => {
    const samples = times(1024, (bits) => {
      const some = times(10, (index) => (bits & (1 << index) ? { [`o${index}`]: 1 } : {}));
      return Object.assign(bits % 2 ? { ...card } : { ...iban }, ...some) as Values;
    });
    expect(typeOf(...samples)).toMatch(/kind: "card";\n {6}number: string;.* {6}iban: string;\n/s);
  });

  it("is a record if each of 3,000 samples has a different property", () => {
    expect(typeOf(...times(3_000, (index) => ({ [`n${index}`]: index })))).toBe("Record<string, number>");
  });

  it("keeps all 3,000 properties of one sample", () => {
    const sample = Object.assign({}, ...times(3_000, (index) => ({ [`n${index}`]: index }))) as Values;
    expect(typeOf(sample).split("\n")).toHaveLength(3_002);
  });

  it("keeps a property with a name of 500 kB", () => {
    const name = `${"a".repeat(500_000)}1B`;
    expect(typeOf({ [name]: 1 })).toBe(`{\n  ${name}: number;\n}`);
  });

  it("keeps objects nested 480 levels deep around 100,000 properties", () => {
    let inner: Values = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`m${index}`, 1]));
    for (let level = 0; level < 480; level++) inner = { a: inner };
    expect(shapesIn(seen([inner]).shape())).toHaveLength(100_481);
  });

  it("includes samples that are added after it was read", () => {
    const all = seen([{ a: { b: 1 } }]);
    const before = all.shape();
    all.add({ a: { c: 1 } });
    expect(all.shape()).toEqual(seen([{ a: { b: 1 } }, { a: { c: 1 } }]).shape());
    expect(before).toEqual(seen([{ a: { b: 1 } }]).shape());
  });

  /** The same value with its properties in another order. */
  const reordered = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reordered).reverse();
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).reverse();
    return JSON.parse(
      `{${entries.map(([name, entry]) => `${JSON.stringify(name)}:${JSON.stringify(reordered(entry))}`)}}`,
    );
  };

  property("does not depend on the order of samples, properties and items", () =>
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

  slowProperty("does not depend on the order of samples with more shapes than are kept", () => {
    const wide = fc.tuple(fc.constantFrom("a", "b"), fc.nat(0x3ff)).map(([kind, bits]) => {
      const names = [..."abcdefghij"].filter((_, at) => bits & (1 << at));
      return { kind, ...Object.fromEntries(names.map((name) => [name, bits % 3 ? 1 : ""])) };
    });
    return fc.property(fc.array(wide, { minLength: 250, maxLength: 400 }), (samples) => {
      expect(typeOf(...[...samples].reverse())).toBe(typeOf(...samples));
    });
  });
});

describe("the disagreements of samples", () => {
  it.each<[samples: string, ...disagreements: [path: string, ...kinds: string[]][]]>([
    ['{"a":"x","b":[]},{"a":{},"b":{"c":1}}', ["a", "text", "an object"], ["b", "an array", "an object"]],
    ['{"a b":{"c":[{"d":1},{"d":[1]}]}}', ['["a b"].c[].d', "a number", "an array"]],
    ['{"a":[1]},{"a":[{}]}', ["a[]", "a number", "an object"]],
    ['{"a":1},{"a":"x"}'],
    ['{"a":{}},{"a":null}'],
    ['{"a":[1,{}]},{"a":[{}]}'],
    ['{"a":[{"kind":"a","of":""},{"kind":"b","of":{}}]}'],
  ])("are found in %s", (samples, ...disagreements) => {
    const found = seen(parse(samples)).disagreements();
    expect(found.map(({ path, kinds }) => [path, ...kinds])).toEqual(disagreements);
  });
});
