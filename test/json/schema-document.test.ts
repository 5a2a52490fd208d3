import { describe, expect, it } from "vitest";
import { normalizeSchema, openSchema, resolveReference } from "../../src/json/schema-document.ts";

const text = { type: "string" };
const number = { type: "number" };
const none = { type: "null" };
const draft = (name: string) => ({ $schema: `http://json-schema.org/${name}/schema#` });
const draft7 = draft("draft-07");
const toText = { $ref: "#/definitions/text" };
const definitions = { text: { type: "string" } };
const nullableText = { anyOf: [text, none] };

function normalized(schema: unknown): unknown {
  const document = openSchema(schema, "a.schema.json");
  normalizeSchema(document);
  return document.root;
}

describe("a normalized schema", () => {
  it.each<[title: string, schema: object, expected: object]>([
    ["`prefixItems` for a list in `items`", { items: [text, number] }, { prefixItems: [text, number] }],
    [
      "`items` for `additionalItems`",
      { items: [text], additionalItems: false },
      { prefixItems: [text], items: false },
    ],
    ["no `additionalItems` without a list", { items: text, additionalItems: false }, { items: text }],
    [
      "no `additionalItems` after `prefixItems`",
      { prefixItems: [text], additionalItems: false },
      { prefixItems: [text] },
    ],
    [
      "`dependentRequired` for `dependencies`",
      { dependencies: { a: ["b"] } },
      { dependentRequired: { a: ["b"] } },
    ],
    [
      "`dependentSchemas` for `dependencies`",
      { dependencies: { a: text, b: false } },
      { dependentSchemas: { a: text, b: false } },
    ],
    [
      "both for mixed `dependencies`",
      { dependencies: { a: ["b"], b: text } },
      { dependentRequired: { a: ["b"] }, dependentSchemas: { b: text } },
    ],
    [
      "`dependencies` in addition to `dependentRequired`",
      { dependencies: { a: ["b"] }, dependentRequired: { a: ["c"] } },
      { dependentRequired: { a: ["c"] }, allOf: [{ dependentRequired: { a: ["b"] } }] },
    ],
    [
      "a number for the flag `exclusiveMinimum`",
      { minimum: 1, exclusiveMinimum: true },
      { exclusiveMinimum: 1 },
    ],
    [
      "a number for the flag `exclusiveMaximum`",
      { maximum: 1, exclusiveMaximum: true },
      { exclusiveMaximum: 1 },
    ],
    ["no flag that is false", { minimum: 1, exclusiveMinimum: false }, { minimum: 1 }],
    ["no flag without its limit", { exclusiveMinimum: true }, {}],
    ["null for `nullable`", { ...text, nullable: true }, nullableText],
    ["no `nullable` that is false", { ...text, nullable: false }, text],
    ["null in addition to an enum", { enum: ["a"], nullable: true }, { anyOf: [{ enum: ["a"] }, none] }],
    [
      "null in addition to a reference",
      { properties: { a: { ...toText, nullable: true } }, definitions },
      { properties: { a: { anyOf: [toText, none] } }, definitions },
    ],
    [
      "null in addition to combined schemas, with their description outside",
      { allOf: [text], nullable: true, description: "A", default: null },
      { anyOf: [{ allOf: [text] }, none], description: "A", default: null },
    ],
    [
      "no keywords beside `$ref` up to draft 7",
      { ...draft7, ...toText, maxLength: 1, definitions },
      { ...draft7, ...toText, definitions },
    ],
    [
      "`nullable` beside `$ref` in draft 7",
      { ...draft7, ...toText, nullable: true, definitions },
      { ...draft7, anyOf: [toText, none], definitions },
    ],
    [
      "the keywords beside `$ref` since 2019-09",
      { ...draft("draft/2019-09"), ...toText, maxLength: 1, definitions },
      { ...draft("draft/2019-09"), ...toText, maxLength: 1, definitions },
    ],
    [
      "no examples, which could contain schemas",
      { properties: { a: { example: { $id: "x" } }, b: { example: { $id: "x" } } } },
      { properties: { a: {}, b: {} } },
    ],
    [
      "a property that is named `example`",
      { properties: { example: text } },
      { properties: { example: text } },
    ],
  ])("contains %s", (_title, schema, expected) => {
    expect(normalized(schema)).toEqual(expected);
  });

  const maps = ["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"];
  const lists = ["allOf", "anyOf", "oneOf", "prefixItems"];
  const others = ["additionalProperties", "unevaluatedProperties", "propertyNames", "items"];
  others.push("contains", "not", "if", "then", "else", "unevaluatedItems");
  const around = (keyword: string, schema: object) => {
    if (maps.includes(keyword)) return { [keyword]: { a: schema } };
    return { [keyword]: lists.includes(keyword) ? [schema] : schema };
  };
  it.each([...maps, ...lists, ...others])("contains normalized schemas in %s", (keyword) => {
    expect(normalized(around(keyword, { ...text, nullable: true }))).toEqual(around(keyword, nullableText));
  });

  it("contains normalized targets of references, which keep their addresses", () => {
    const schema = {
      properties: {
        a: { $ref: "#/components/schemas/a" },
        b: { $ref: "#/properties/c/items/1" },
        c: { items: [text, { ...text, nullable: true }] },
      },
      components: { schemas: { a: { minimum: 1, exclusiveMinimum: true } } },
    };
    expect(normalized(schema)).toEqual({
      properties: {
        a: { $ref: "#/components/schemas/a" },
        b: { $ref: "#/properties/c/items/1" },
        c: { prefixItems: [text, nullableText] },
      },
      components: { schemas: { a: { exclusiveMinimum: 1 } } },
    });
  });

  it("resolves references in `dependencies`, even for a property that is named like a keyword", () => {
    const inner = { properties: { b: { $ref: "#/definitions/text" } } };
    const dependencies = { type: inner, ["constructor"]: inner };
    const document = openSchema({ dependencies, definitions }, "a.json");
    const copy = document.root as { readonly dependencies: Readonly<Record<string, typeof inner>> };
    const targets = Object.values(copy.dependencies).map((each) =>
      resolveReference(document, each.properties.b),
    );
    expect(targets).toEqual([text, text]);
  });

  it.each([
    [{ items: [text, "number"] }],
    [{ dependencies: { a: "b" } }],
    [{ nullable: "true" }],
    [{ properties: { a: "string" }, $defs: "none" }],
    [{ anyOf: { a: 1 } }],
  ])("is unchanged where the schema is invalid: %j", (schema) => {
    expect(normalized(schema)).toEqual(schema);
  });

  it("leaves the parsed schema unchanged", () => {
    const schema = Object.freeze({ items: Object.freeze([text]), nullable: true });
    expect(normalized(schema)).not.toEqual(schema);
    expect(Object.getOwnPropertyNames(schema)).toEqual(["items", "nullable"]);
  });
});
