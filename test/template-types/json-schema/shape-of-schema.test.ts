import { describe, expect, it } from "vitest";
import { shapeOfSchema } from "../../../src/template-types/json-schema/shape-of-schema.ts";
import type { Shape } from "../../../src/template-types/shape.ts";

const text = { type: "string" };
const number = { type: "number" };
const anA = { required: ["a"] };
const nil = { type: "null" };
const object = { type: "object" };
const constant = { const: "x" };
const card = { properties: { kind: { const: "card" }, number: text }, required: ["kind"] };
const iban = { properties: { kind: { enum: ["iban", "bic"] } }, required: ["kind"] };
const cardOrIban = '{ kind: "card"; number?: string } | { kind: "iban" | "bic" }';
const member = (a: unknown) => ({ properties: { a } });
const titledA = { properties: { a: { title: "A" }, b: { title: "B" } } };
const idCard = { ...object, properties: { id: text }, required: ["id"], oneOf: [card, iban] };
const titled = { properties: { a: {}, b: { title: "first" } } };

describe("a JSON Schema", () => {
  it.each<[schema: unknown, type: string]>([
    [{ type: ["string", "null", "integer"] }, "string | null | number"],
    [{ type: "string", nullable: true }, "string | null"],
    [{ $ref: "#/properties/x/$defs/b", nullable: true, $defs: { b: text } }, "string | null"],
    [{ enum: ["a", 1, null, true] }, '"a" | 1 | null | true'],
    [{ enum: [{ a: 1 }, [1]] }, "{ a: 1 } | [1]"],
    [{ type: "array", items: text }, "Array<string>"],
    [{ const: { a: null, b: ["x", {}] } }, '{ a: null; b: ["x", { [others]: never }] }'],
    [{ ...member(number), const: { a: 1, b: 2 } }, "{ a: 1; b: 2 }"],
    [{ type: "array", prefixItems: [text, {}], items: false }, "[string?, unknown?]"],
    [{ type: "array", prefixItems: [text, {}] }, "[string?, unknown?, ...unknown]"],
    [{ type: "array", prefixItems: [text, {}], minItems: 1, items: number }, "[string, unknown?, ...number]"],
    [{ type: "array", prefixItems: [text, {}], minItems: 9 }, "[string, unknown, ...unknown]"],
    [{ type: "array", prefixItems: [text, {}], minItems: 2, maxItems: 2 }, "[string, unknown]"],
    [{ type: "array", prefixItems: [text, {}], maxItems: 1 }, "[string?]"],
    [{ type: "array", prefixItems: [text, false, {}] }, "[string?]"],
    [{ type: "array", items: [text], additionalItems: number }, "[string?, ...number]"],
    [{ type: "array", items: [text], additionalItems: false, minItems: 1 }, "[string]"],
    [{ type: "array", items: [text] }, "[string?, ...unknown]"],
    [{ type: "array", items: text, additionalItems: false }, "Array<string>"],
    [{ allOf: [{ items: text }, { prefixItems: [constant, number] }] }, '["x"?]'],
    [
      { allOf: [{ prefixItems: [text], minItems: 1 }, { prefixItems: [{}, number] }] },
      "[string, number?, ...unknown]",
    ],
    [{ type: "object", additionalProperties: false }, "{ [others]: never }"],
    [{ ...object, ...member({}), additionalProperties: number }, "{ a?: unknown; [others]: number }"],
    [{ ...object, patternProperties: { "^a": number, "^b": nil } }, "{ [others]: number | null }"],
    [{ ...object, allOf: [member(constant)], unevaluatedProperties: false }, '{ a?: "x" }'],
    [anA, "{ a: unknown }"],
    [{ properties: { a: false, b: true } }, "{ b?: unknown }"],
    [{ ...member({ default: 1 }), required: ["a"] }, "{ a?: unknown }"],
    [{ ...titled, allOf: [titledA] }, "{ /* A */ a?: unknown; /* first */ b?: unknown }"],
    [idCard, '{ id: string; kind: "card"; number?: string } | { id: string; kind: "iban" | "bic" }'],
    [{ allOf: [member(text), { properties: { b: {} }, required: ["a", "b"] }] }, "{ a: string; b: unknown }"],
    [{ ...object, allOf: [member({ type: ["string", "null"] }), member(text)] }, "{ a?: string }"],
    [
      { ...member(text), anyOf: [anA, { required: ["b"] }] },
      "{ a: string; b?: unknown } | { a?: string; b: unknown }",
    ],
    [{ ...text, not: { const: "a" }, if: {}, else: false }, "string"],
  ])("is converted to a type: %j becomes %s", (schema, type) => {
    expect(typeOf(schema)).toBe(type);
  });

  const withB = "{ a?: string; b?: unknown }";
  const b = { properties: { b: number } };
  // Biome rejects a property named `then`.
  const onThen = (schema: object) => Object.fromEntries(["then"].map((keyword) => [keyword, schema]));
  const pair = { ...object, properties: { a: text }, allOf: [{ if: anA, ...onThen({ required: ["b"] }) }] };
  it.each<[schema: object, type: string]>([
    [{ ...object, ...member(text), if: b }, withB],
    [{ ...object, ...member(text), if: anA, ...onThen(b) }, withB],
    [{ ...object, ...member(text), if: anA, else: { required: ["b"] } }, withB],
    [{ ...object, ...member(text), not: b }, withB],
    [{ ...object, ...member(text), dependentSchemas: { a: b } }, withB],
    [{ ...object, ...member(text), dependentRequired: { b: ["a"] } }, withB],
    [{ ...object, ...member(text), dependentRequired: { a: ["b"] } }, withB],
    [{ ...object, ...member(text), dependencies: { a: ["b"] } }, withB],
    [{ ...object, ...member(text), dependencies: { a: b } }, withB],
    [{ ...object, ...member(text), propertyNames: { enum: ["a", "b"] } }, withB],
    [{ ...object, ...member(text), propertyNames: { pattern: "^a" } }, "{ a?: string; [others]: unknown }"],
    [{ ...object, ...member(text), ...onThen(b), additionalProperties: false }, "{ a?: string }"],
    [
      { ...object, ...member(text), ...onThen(b), additionalProperties: number },
      "{ a?: string; [others]: number }",
    ],
    [{ ...object, ...member(text), ...onThen(b), unevaluatedProperties: false }, withB],
    [{ ...object, ...onThen(b) }, "{ [others]: unknown }"],
    [{ ...text, ...onThen(b) }, "string"],
    [pair, withB],
    [{ ...object, ...member(text), anyOf: [{ not: { required: ["b"] } }, {}] }, withB],
    [{ type: ["string", "object"], ...member(text), ...onThen(b) }, `string | ${withB}`],
    [
      { ...object, ...member({ ...object, ...member(text) }), ...onThen(member({ required: ["b"] })) },
      `{ a?: ${withB} }`,
    ],
    [
      {
        ...object,
        ...member({ type: "array", items: { ...object, ...member(text) } }),
        ...onThen(member({ items: b })),
      },
      `{ a?: Array<${withB}> }`,
    ],
    [{ type: "array", items: { ...object, ...member(text) }, contains: b }, `Array<${withB}>`],
    [
      { type: "array", prefixItems: [{ ...object, ...member(text) }], contains: b, maxItems: 1 },
      `[${withB}?]`,
    ],
    [{ ...object, patternProperties: { "^x": text }, allOf: [b] }, "{ b?: number; [others]: string }"],
    [
      {
        anyOf: [
          { ...object, ...member(text) },
          { ...object, ...b },
        ],
      },
      "{ a?: string; b?: unknown } | { b?: number; a?: unknown }",
    ],
    [
      {
        anyOf: [
          { ...object, ...member(text), additionalProperties: false },
          { ...object, ...b, additionalProperties: false },
        ],
      },
      "{ a?: string } | { b?: number }",
    ],
  ])(
    "allows a property whose name occurs only where the schema applies in some cases: %j becomes %s",
    (schema, type) => {
      expect(typeOf(schema)).toBe(type);
    },
  );

  it.each([
    [{ anyOf: [nil, { ...object, ...member({}) }] }, "{ a?: unknown }"],
    [true, "{ [others]: unknown }"],
    [JSON.parse('{ "properties": { "__proto__": { "const": "a" } } }'), '{ __proto__?: "a" }'],
    [{ $ref: "#/$defs/a", $defs: { a: { oneOf: [card, iban] } } }, cardOrIban],
  ])("is reduced to its object types if it also accepts other values: %j", (schema, type) => {
    expect(readSchema(schema)).toEqual([type]);
  });
});

describe("an invalid JSON Schema", () => {
  const at = (x: unknown, more: object = {}) => ({ type: "object", properties: { x }, ...more });
  const noSchema = "expected a schema: an object, true or false";
  const noType =
    "this is not a JSON Schema type; the types are string, number, integer, boolean, null, object and array";
  const toA = { $ref: "#/$defs/a" };
  const circle = "this reference points back to itself";
  const nowhere = "this reference does not exist in the schema";
  const outside = "this reference points outside the file and is not fetched; move its target into $defs";
  const noObject = "this schema accepts no object, but the values of a template are an object";

  it.each<[line: string, schema: unknown]>([
    [`#: ${noSchema}`, []],
    [`#/properties/x: ${noSchema}`, at("string")],
    [`#/properties/x/type: ${noType}`, at({ type: "date" })],
    [`#/properties/x/$ref: ${nowhere}`, at(toA)],
    [`#/properties/x/$ref: ${outside}`, at({ $ref: "b.json#/a" })],
    ["#: two schemas have the same `$id`, or a `$id` or `$ref` is not a URL", at({ $ref: "http://[" })],
    [`#/properties/x/$ref: ${outside}`, at({ $ref: "https://x.test/b.json", nullable: true })],
    ["#/properties/x/$dynamicRef: this keyword is not supported; use $ref", at({ $dynamicRef: "#b" })],
    ["#/properties/x/$recursiveRef: this keyword is not supported; use $ref", at({ $recursiveRef: "#" })],
    [`#/properties/x/items/1/type: ${noType}`, at({ items: [{}, { type: "date" }] })],
    [`#/properties/x/items: ${noSchema}`, at({ items: [{}, "date"] })],
    [`#/$ref: ${circle}`, { $ref: "#" }],
    ["#/properties/x/required: expected an array", at({ ...object, required: true })],
    [`#: ${noObject}`, { type: "array" }],
  ])('is rejected with a message that starts with the location: "%s"', (line, schema) => {
    expect(() => shapeOfSchema(schema, "a.schema.json")).toThrow(
      expect.objectContaining({ name: "SchemaFault", message: line }),
    );
  });
});

describe("a $ref", () => {
  const components = { a: { $ref: "#/components/b" }, b: text };
  const id = "https://x.test/all";
  it.each<[title: string, reference: string, definitions: object]>([
    ["a schema in `definitions`", "#/definitions/text", { definitions: { text } }],
    ["a definition with an escaped name", "#/$defs/a~1b~0%20%22", { $defs: { 'a/b~ "': text } }],
    ["part of a bundled schema", `${id}#/components/a`, { $defs: { all: { $id: id, components } } }],
    ["an $anchor", "#text", { $defs: { a: { $anchor: "text", ...text } } }],
    ["a $dynamicAnchor", "#text", { $defs: { a: { $dynamicAnchor: "text", ...text } } }],
    ["a draft 7 anchor", "#text", { definitions: { a: { $id: "#text", ...text } } }],
    ["a definition in the same file", "a.schema.json#/$defs/text", { $defs: { text } }],
  ])("resolves to %s", (_title, $ref, definitions) => {
    expect(typeOf({ $ref }, definitions)).toBe("string");
  });

  const t = { ...text, description: "of t" };
  const node = { ...object, properties: { next: { anyOf: [{ $ref: "#/$defs/node" }, nil] } } };
  const [toT, toNode] = [{ $ref: "#/$defs/t" }, { $ref: "#/$defs/node" }];
  const chain = { ...object, properties: { next: { ...toNode, properties: { last: { const: true } } } } };
  it.each<[title: string, schema: object, lines: readonly string[]]>([
    [
      "uses the target's description unless the $ref has a description",
      { properties: { a: toT, b: { ...toT, description: "of b" } }, $defs: { t } },
      ["{ /* of t */ a?: string; /* of b */ b?: string }"],
    ],
    [
      "keeps the name of a recursive definition",
      { ...object, properties: { list: { $ref: "#/$defs/node" } }, $defs: { node } },
      ["{ list?: →node }", "node = { next?: →node | null }"],
    ],
    [
      "uses the root schema's title as the type name",
      { title: "Part", ...object, properties: { parts: { type: "array", items: { $ref: "#" } } } },
      ["{ parts?: Array<→Part> }", "Part = { parts?: Array<→Part> }"],
    ],
    [
      "is combined with the other keywords in its schema",
      { ...object, properties: { first: { ...toNode, required: ["next"] } }, $defs: { node: chain } },
      ["{ first?: { next: →node } }", "node = { next?: →node; last?: unknown }"],
    ],
  ])("%s", (_title, schema, lines) => {
    expect(readSchema(schema)).toEqual(lines);
  });

  it("does not produce huge types if each definition is used twice", () => {
    const steps = Array.from({ length: 60 }, (_, index) => {
      const next = index === 59 ? text : { $ref: `#/$defs/d${index + 1}` };
      return [`d${index}`, { ...object, properties: { left: next, right: next } }];
    });
    const lines = readSchema({ $ref: "#/$defs/d0", $defs: Object.fromEntries(steps) });
    expect(lines[0]).toMatch(/left\?.*right\?/);
    expect(lines.join("").length).toBeLessThan(100_000);
  });
});

it("a schema whose alternatives multiply does not produce a huge type", () => {
  const either = { anyOf: Array.from({ length: 5 }, (_, index) => ({ required: [`m${index}`] })) };
  const schema = { ...object, allOf: Array.from({ length: 30 }, () => either) };
  const text = readSchema(schema).join("");
  expect(text).toMatch(/\S/);
  expect(text.length).toBeLessThan(1_000_000);
});

/** The shape of a property with this schema, on one line, similar to TypeScript. */
function typeOf(schema: unknown, more: object = {}): string {
  const whole = { type: "object", properties: { x: schema }, required: ["x"], ...more };
  const text = describeShape(shapeOfSchema(whole, "a.schema.json").shape);
  return /^\{ (?:\/\*.*\*\/ )?x: (.*) \}$/s.exec(text)?.[1] ?? text;
}

/** The shape of a complete schema, and a line for each definition. */
function readSchema(schema: unknown): readonly string[] {
  const { shape, definitions } = shapeOfSchema(schema, "a.schema.json");
  return [describeShape(shape), ...[...definitions].map(([name, one]) => `${name} = ${describeShape(one)}`)];
}

function describeShape(shape: Shape): string {
  switch (shape.kind) {
    case "literal":
      return JSON.stringify(shape.value);
    case "array":
      return `Array<${describeShape(shape.items)}>`;
    case "tuple":
      return `[${[...shape.items.map((item, index) => describeShape(item) + (index < shape.minItems ? "" : "?")), ...(shape.rest ? [`...${describeShape(shape.rest)}`] : [])].join(", ")}]`;
    case "object": {
      const properties = [...shape.members].map(
        ([name, { isOptional, shape: inner, comment }]) =>
          `${comment === undefined ? "" : `/* ${comment} */ `}${name}${isOptional ? "?" : ""}: ${describeShape(inner)}`,
      );
      const others = shape.others ? [`[others]: ${describeShape(shape.others)}`] : [];
      return `{ ${[...properties, ...others].join("; ")} }`;
    }
    case "union":
      return shape.of.map(describeShape).join(" | ");
    case "reference":
      return `→${shape.name}`;
    default:
      return shape.kind;
  }
}
