import { describe, expect, it } from "vitest";
import { shapeOfSchema } from "../../../src/template-types/json-schema/shape-of-schema.ts";
import { readSchema, typeOf } from "./read-schema.ts";

const text = { type: "string" };
const number = { type: "number" };
const nil = { type: "null" };
const object = { type: "object" };
const constant = { const: "x" };
const card = { properties: { kind: { const: "card" }, number: text }, required: ["kind"] };
const iban = { properties: { kind: { enum: ["iban", "bic"] } }, required: ["kind"] };
const cardOrIban = '{ kind: "card"; number?: string } | { kind: "iban" | "bic" }';
const member = (a: unknown) => ({ properties: { a } });
const titled = { properties: { a: {}, b: { title: "first" } } };

describe("a JSON Schema", () => {
  it.each<[schema: unknown, type: string]>([
    [{ type: "integer" }, "number"],
    [{ type: ["string", "null", "integer"] }, "string | null | number"],
    [{ minLength: 2 }, "unknown"],
    [true, "unknown"],
    [{ type: "string", nullable: true }, "string | null"],
    [{ enum: ["a", 1, null, true] }, '"a" | 1 | null | true'],
    [{ type: "string", enum: ["a", 1] }, '"a"'],
    [{ enum: [{ a: 1 }, [1]] }, "{ [others]: unknown } | Array<unknown>"],
    [{ enum: [true, false] }, "boolean"],
    [{ const: 3 }, "3"],
    [{ type: "array", items: text }, "Array<string>"],
    [{ type: "array" }, "Array<unknown>"],
    [{ type: "array", prefixItems: [text, {}], items: false }, "[string, unknown]"],
    [{ type: "array", prefixItems: [text], items: nil }, "[string, ...null]"],
    [{ type: "array", items: [text], additionalItems: number }, "[string, ...number]"],
    [{ type: "object" }, "{ [others]: unknown }"],
    [{ type: "object", additionalProperties: false }, "{ [others]: never }"],
    [{ properties: { a: text }, additionalProperties: false }, "{ a?: string }"],
    [{ ...object, ...member({}), additionalProperties: number }, "{ a?: unknown; [others]: number }"],
    [{ ...object, patternProperties: { "^a": number, "^b": nil } }, "{ [others]: number | null }"],
    [
      { ...object, oneOf: [{ ...member(constant), required: ["a"] }], unevaluatedProperties: number },
      '{ a: "x"; [others]: unknown }',
    ],
    [{ ...object, allOf: [member(constant)], unevaluatedProperties: false }, '{ a?: "x" }'],
    [{ ...object, additionalProperties: text, required: ["a"] }, "{ a: string; [others]: string }"],
    [{ required: ["a"] }, "{ a: unknown }"],
    [{ properties: { a: false, b: true } }, "{ b?: unknown }"],
    [{ ...member({ default: 1 }), required: ["a"] }, "{ a?: unknown }"],
    [
      { properties: { a: { title: "A", description: "of a" }, b: { title: "B" } } },
      "{ /* of a */ a?: unknown; /* B */ b?: unknown }",
    ],
    [
      { ...titled, allOf: [{ properties: { a: { title: "A" }, b: { title: "B" } } }] },
      "{ /* A */ a?: unknown; /* first */ b?: unknown }",
    ],
    [{ anyOf: [text, { const: "a" }, nil] }, "string | null"],
    [{ oneOf: [{ type: "string", maxLength: 2 }, text] }, "string"],
    [{ oneOf: [card, iban] }, cardOrIban],
    [
      { ...object, properties: { id: text }, required: ["id"], oneOf: [card, iban] },
      '{ id: string; kind: "card"; number?: string } | { id: string; kind: "iban" | "bic" }',
    ],
    [{ allOf: [member(text), { properties: { b: {} }, required: ["a", "b"] }] }, "{ a: string; b: unknown }"],
    [{ ...object, allOf: [member({ type: ["string", "null"] }), member(text)] }, "{ a?: string }"],
    [
      { ...member(text), anyOf: [{ required: ["a"] }, { required: ["b"] }] },
      "{ a: string } | { a?: string; b: unknown }",
    ],
    [{ ...text, not: { const: "a" }, if: {}, else: false }, "string"],
  ])("is converted from %j to the type %s", (schema, type) => {
    expect(typeOf(schema)).toBe(type);
  });

  it("keeps a property called `__proto__`", () => {
    const schema = JSON.parse(
      '{ "properties": { "__proto__": { "const": "a" } }, "required": ["__proto__"] }',
    );
    expect(readSchema(schema)).toEqual(['{ __proto__: "a" }']);
  });

  it.each([
    [{ anyOf: [nil, { ...object, ...member({}) }] }, "{ a?: unknown }"],
    [true, "{ [others]: unknown }"],
    [{ $ref: "#/$defs/a", $defs: { a: { oneOf: [card, iban] } } }, cardOrIban],
  ])("is reduced to the objects that it accepts if it describes all values: %j", (schema, type) => {
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
    [`#/properties/x/type: ${noType}`, at({ type: [] })],
    [`#/properties/x/$ref: ${nowhere}`, at(toA)],
    [`#/$defs/a/items/$ref: ${nowhere}`, at(toA, { $defs: { a: { items: { $ref: "#a" } } } })],
    [`#/properties/x/$ref: ${outside}`, at({ $ref: "b.json#/a" })],
    ["#: two schemas have the same `$id`, or a `$id` or `$ref` is not a URL", at({ $ref: "http://[" })],
    ["#/properties/x/$ref: expected a string", at({ $ref: 1 })],
    [`#/$ref: ${circle}`, { $ref: "#" }],
    [`#/schemas/a/type: ${noType}`, at({ $ref: "#/schemas/a" }, { schemas: { a: { type: "date" } } })],
    [
      `#/$defs/b/$ref: ${circle}`,
      at(toA, { $defs: { a: { anyOf: [{ $ref: "#/$defs/b" }] }, b: { ...toA } } }),
    ],
    ["#/properties/x/required: expected an array", at({ ...object, required: true })],
    ["#/properties: expected an object of schemas", { properties: [] }],
    [`#: ${noObject}`, { type: "array" }],
    [`#: ${noObject}`, false],
    [`#: ${noObject}`, { allOf: [object, nil] }],
  ])("is rejected with its location: %s", (line, schema) => {
    expect(() => shapeOfSchema(schema, "a.schema.json")).toThrow(
      expect.objectContaining({ name: "SchemaFault", message: line }),
    );
  });

  it("is rejected if its nesting, direct or by references, exceeds the stack", () => {
    let deep: unknown = text;
    for (let depth = 0; depth < 50_000; depth += 1) deep = { items: deep };
    const links = Array.from({ length: 50_000 }, (_, at) => [`d${at}`, { $ref: `#/$defs/d${at + 1}` }]);
    const linked = at({ $ref: "#/$defs/d0" }, { $defs: Object.fromEntries(links) });
    for (const schema of [at(deep), linked])
      expect(() => shapeOfSchema(schema, "a.schema.json")).toThrow("nested too deep");
  });
});

describe("a $ref", () => {
  const components = { a: { $ref: "#/components/b" }, b: text };
  const id = "https://x.test/all";
  it.each<[title: string, reference: string, definitions: object]>([
    ["definitions", "#/definitions/text", { definitions: { text } }],
    ["escaped names", "#/$defs/a~1b~0%20%22", { $defs: { 'a/b~ "': text } }],
    ["names that look escaped", "#/$defs/a~01b", { $defs: { "a~1b": text } }],
    ["other parts of a bundled schema", `${id}#/components/a`, { $defs: { all: { $id: id, components } } }],
    ["an $anchor", "#text", { $defs: { a: { $anchor: "text", ...text } } }],
    ["an anchor of draft 7", "#text", { definitions: { a: { $id: "#text", ...text } } }],
    ["the $id of a bundled schema", id, { $defs: { a: { $id: id, ...text } } }],
    [
      "an $id relative to that of the whole schema",
      "text.json#/$defs/t",
      { $id: "https://x.test/a/b", $defs: { a: { $id: "text.json", $defs: { t: text } } } },
    ],
    ["the name of its own file", "a.schema.json#/$defs/text", { $defs: { text } }],
    ["another $ref", "#/$defs/a", { $defs: { a: { $ref: "#/$defs/b" }, b: text } }],
  ])("resolves to %s", (_title, $ref, definitions) => {
    expect(typeOf({ $ref }, definitions)).toBe("string");
  });

  const t = { ...text, description: "of t" };
  const node = { ...object, properties: { next: { anyOf: [{ $ref: "#/$defs/node" }, nil] } } };
  const last = { $ref: "#/$defs/node", properties: { last: { const: true } } };
  const pairs = {
    a: { ...object, properties: { b: { $ref: "#/$defs/b" } } },
    b: { ...object, properties: { a: { $ref: "#/$defs/a" } } },
  };
  it.each<[title: string, schema: object, lines: readonly string[]]>([
    [
      "uses the description of its target unless it has its own",
      {
        properties: { a: { $ref: "#/$defs/t" }, b: { $ref: "#/$defs/t", description: "of b" } },
        $defs: { t },
      },
      ["{ /* of t */ a?: string; /* of b */ b?: string }"],
    ],
    [
      "to a recursive definition keeps the name of the definition",
      { ...object, properties: { list: { $ref: "#/$defs/node" } }, $defs: { node } },
      ["{ list?: →node }", "node = { next?: →node | null }"],
    ],
    [
      "to the root schema uses the title as its name",
      { title: "Part", ...object, properties: { parts: { type: "array", items: { $ref: "#" } } } },
      ["{ parts?: Array<→Part> }", "Part = { parts?: Array<→Part> }"],
    ],
    [
      "to a root schema that also accepts null accepts null",
      { title: "Part", type: ["object", "null"], properties: { next: { $ref: "#" } } },
      ["{ next?: →Part }", "Part = { next?: →Part } | null"],
    ],
    [
      "to the root schema does not use the description of the values",
      { description: "A bill.", properties: { next: { $ref: "#" } } },
      ["{ next?: →self }", "self = { next?: →self }"],
    ],
    [
      "between two definitions that refer to each other is kept once",
      { $ref: "#/$defs/a", $defs: pairs },
      ["{ b?: { a?: →a } }", "a = { b?: { a?: →a } }"],
    ],
    [
      "is combined with the keywords next to it",
      {
        ...object,
        properties: { first: { $ref: "#/$defs/node", required: ["next"] } },
        $defs: { node: { ...object, properties: { next: last } } },
      },
      ["{ first?: { next: →node } }", "node = { next?: →node }"],
    ],
  ])("%s", (_title, schema, lines) => {
    expect(readSchema(schema)).toEqual(lines);
  });

  const parts = ($ref: string) => ({ properties: { parts: { items: { $ref } } }, required: ["parts"] });
  it.each<[title: string, schema: object]>([
    ["a recursive schema", { title: "part", ...parts("#") }],
    ["a definition", { $ref: "#/$defs/part", $defs: { part: parts("#/$defs/part") } }],
    ["several objects", { title: "part", oneOf: [card, parts("#")] }],
  ])("to the root schema becomes the shape of the values: %s", (_title, schema) => {
    const { shape, definitions } = shapeOfSchema(schema, "a.schema.json");
    expect(definitions.get("part")).toBe(shape);
  });

  it("to definitions that each use the next one twice does not make the types large", () => {
    const steps = Array.from({ length: 60 }, (_, index) => {
      const next = index === 59 ? text : { $ref: `#/$defs/d${index + 1}` };
      return [`d${index}`, { ...object, properties: { left: next, right: next } }];
    });
    expect(readSchema({ $ref: "#/$defs/d0", $defs: Object.fromEntries(steps) }).join("").length).toBeLessThan(
      100_000,
    );
  });
});

describe("a schema with multiplying alternatives", () => {
  it("keeps its types small", () => {
    const either = { anyOf: Array.from({ length: 5 }, (_, index) => ({ required: [`m${index}`] })) };
    const schema = { ...object, allOf: Array.from({ length: 30 }, () => either) };
    expect(readSchema(schema).join("").length).toBeLessThan(1_000_000);
  });
});
