import { describe, expect, it } from "vitest";
import { complaintsOf, templateOf } from "./json-filling.ts";

const complaints = (schema: unknown, values: Record<string, unknown>) =>
  complaintsOf({ content: "", schema }, values);
const about = (schema: unknown) => ({ properties: { a: schema } });

describe("what a schema finds is told keyword by keyword, at the member it is about", () => {
  it.each<[string, unknown, unknown, string[]]>([
    ["type", { type: "string" }, 1, ["must be a string"]],
    ["type: a whole number", { type: "integer" }, 1.5, ["must be a whole number"]],
    [
      "type: several",
      { type: ["number", "boolean", "null"] },
      "1",
      ["must be a number, true or false or null"],
    ],
    ["const", { const: { b: 1 } }, 1, ['must be {"b":1}']],
    ["enum", { enum: ["GBP", "EUR"] }, "USD", ['must be one of "GBP", "EUR"']],

    ["minLength", { minLength: 1 }, "", ["must have at least 1 character"]],
    ["maxLength", { maxLength: 2 }, "abc", ["must have at most 2 characters"]],
    ["pattern", { pattern: "^[A-Z]+$" }, "ab", ['must match the pattern "^[A-Z]+$"']],
    [
      "pattern: a long one",
      { pattern: `^${"a".repeat(99)}` },
      "b",
      [`must match the pattern "^${"a".repeat(78)}…`],
    ],
    ["format: email", { format: "email" }, "nobody", ['must have the format "email"']],
    ["format: date", { format: "date" }, "2026-02-30", ['must have the format "date"']],
    ["format: another", { format: "json-pointer" }, "a", ['must have the format "json-pointer"']],
    ["minimum", { minimum: 0 }, -1, ["must be at least 0"]],
    ["maximum", { maximum: 5 }, 6, ["must be at most 5"]],
    ["exclusiveMinimum", { exclusiveMinimum: 0 }, 0, ["must be more than 0"]],
    ["exclusiveMaximum", { exclusiveMaximum: 5 }, 5, ["must be less than 5"]],
    ["multipleOf", { multipleOf: 0.01 }, 0.005, ["must be a multiple of 0.01"]],
    ["minItems", { minItems: 1 }, [], ["must have at least 1 item"]],
    ["maxItems", { maxItems: 2 }, [1, 2, 3], ["must have at most 2 items"]],
    ["uniqueItems", { uniqueItems: true }, [1, 1], ["has an item twice"]],
    ["contains", { contains: { type: "string" } }, [1, 2], ["must have at least 1 matching item"]],
    [
      "minContains",
      { contains: { type: "string" }, minContains: 2 },
      ["a", 2],
      ["must have at least 2 matching items"],
    ],
    [
      "maxContains",
      { contains: { type: "string" }, maxContains: 1 },
      ["a", "b", 3],
      ["must have at most 1 matching item"],
    ],
    [
      "minContains: with alternatives",
      { contains: { anyOf: [{ type: "string" }, { type: "null" }] }, minContains: 1 },
      [1],
      ["must have at least 1 matching item"],
    ],
    ["minProperties", { minProperties: 1 }, {}, ["must have at least 1 member"]],
    ["maxProperties", { maxProperties: 0 }, { b: 1 }, ["must have at most 0 members"]],
    ["not", { not: { type: "string" } }, "a", ["has a form that is not allowed"]],
    ["false", false, 1, ["is not allowed"]],
    [
      "several at once",
      { minLength: 2, pattern: "b" },
      "a",
      ["must have at least 2 characters", 'must match the pattern "b"'],
    ],
  ])("%s", (_, schema, value, messages) => {
    expect(complaints(about(schema), { a: value })).toEqual(messages.map((message) => `a ${message}`));
  });

  it.each<[string, unknown, Record<string, unknown>, string[]]>([
    ["required", { required: ["a", "b", "c"] }, { b: 1 }, ["a is missing", "c is missing"]],
    ["dependentRequired", { dependentRequired: { a: ["b"], c: ["d"] } }, { a: 1 }, ["b is missing"]],
    ["dependentSchemas", { dependentSchemas: { a: { required: ["b"] } } }, { a: 1 }, ["b is missing"]],
    [
      "additionalProperties: false",
      { properties: { a: {} }, additionalProperties: false },
      { a: 1, b: 2, "c/d~e %": 3 },
      ["b is not allowed", "c/d~e % is not allowed"],
    ],
    ["additionalProperties", { additionalProperties: { type: "string" } }, { a: 1 }, ["a must be a string"]],
    [
      "patternProperties",
      { patternProperties: { "^a/b": { type: "string" } } },
      { "a/b": 1 },
      ["a/b must be a string"],
    ],
    [
      "propertyNames",
      { properties: { a: { propertyNames: { anyOf: [{ const: "b" }, { maxLength: 1 }] } } } },
      { a: { cc: 1 } },
      ["a/cc has a name that is not allowed"],
    ],
    [
      "unevaluatedProperties",
      { allOf: [{ properties: { a: { type: "string" } } }], unevaluatedProperties: false },
      { a: 1, b: 2 },
      ["a must be a string", "b is not allowed"],
    ],
    [
      "unevaluatedItems",
      { properties: { a: { prefixItems: [{}], unevaluatedItems: false } } },
      { a: [1, 2] },
      ["a/1 is not allowed"],
    ],
    [
      "items",
      { properties: { a: { items: { required: ["b"] } } } },
      { a: [{ b: 1 }, {}, {}] },
      ["a/1/b is missing", "a/2/b is missing"],
    ],
    [
      "prefixItems",
      { properties: { a: { prefixItems: [{ type: "string" }], items: false } } },
      { a: [1, 2] },
      ["a/0 must be a string", "a/1 is not allowed"],
    ],
    [
      "$ref",
      { properties: { a: { $ref: "#/$defs/b~1c" } }, $defs: { "b/c": { minimum: 5 } } },
      { a: 1 },
      ["a must be at least 5"],
    ],
    [
      "$ref to itself",
      { properties: { a: { $ref: "#" }, b: { type: "null" } } },
      { a: { a: { b: 1 } } },
      ["a/a/b must be null"],
    ],
    [
      "$ref to an anchor",
      { properties: { a: { $ref: "#money" } }, $defs: { x: { $anchor: "money", type: "number" } } },
      { a: "1" },
      ["a must be a number"],
    ],
    [
      "$ref to what has an $id",
      { properties: { a: { $ref: "money.json" } }, $defs: { x: { $id: "money.json", type: "number" } } },
      { a: "1" },
      ["a must be a number"],
    ],
    ["allOf", { allOf: [{ required: ["a"] }, { required: ["b"] }] }, {}, ["a is missing", "b is missing"]],
    [
      "if and then",
      JSON.parse('{"if":{"required":["a"]},"then":{"required":["b"]}}'),
      { a: 1 },
      ["b is missing"],
    ],
    ["if and else", { if: { required: ["a"] }, else: { required: ["b"] } }, {}, ["b is missing"]],
    [
      "members that are named like keywords",
      {
        properties: {
          a: {
            properties: {
              contains: { type: "string" },
              anyOf: { type: "null" },
              propertyNames: { type: "null" },
            },
          },
        },
      },
      { a: { contains: 1, anyOf: 1, propertyNames: 1 } },
      ["a/contains must be a string", "a/anyOf must be null", "a/propertyNames must be null"],
    ],
    [
      "members that every object inherits",
      JSON.parse(
        '{"required":["toString"],"properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}',
      ),
      JSON.parse('{"__proto__":1,"constructor":1}') as Record<string, unknown>,
      ["toString is missing", "__proto__ must be a string", "constructor must be a string"],
    ],
  ])("%s", (_, schema, values, expected) => {
    expect(complaints(schema, values)).toEqual(expected);
  });

  it("with paths in which an index is a number, and no place in the template", () => {
    const schema = { properties: { a: { items: { properties: { 0: { type: "string" } } } } } };
    const { issues } = templateOf({ content: "{{b}}", schema }).fill({ a: [{ 0: 1 }] });
    expect(issues).toEqual([{ path: ["a", 0, "0"], message: "must be a string" }]);
  });
});

describe("of several alternatives", () => {
  const address = { type: "object", required: ["city"] };

  it.each<[string, unknown, unknown, string[]]>([
    [
      "the types are told, where none fits",
      { anyOf: [{ type: "string" }, { type: ["number", "null"] }] },
      true,
      ["a must be a string, a number or null"],
    ],
    [
      "the faults of the one whose type fits are told",
      { anyOf: [{ type: "null" }, address] },
      {},
      ["a/city is missing"],
    ],
    [
      "the faults of the one whose type fits are told, when a constant is wrong in it",
      { anyOf: [{ type: "null" }, { type: "object", properties: { b: { enum: ["x"] } } }] },
      { b: "y" },
      ['a/b must be one of "x"'],
    ],
    [
      "the faults of the one whose constant fits are told",
      {
        oneOf: [
          { properties: { kind: { const: "x" }, b: { type: "string" } } },
          { properties: { kind: { const: "y" }, b: { type: "number" } } },
        ],
      },
      { kind: "y", b: "1" },
      ["a/b must be a number"],
    ],
    [
      "the alternatives within one are looked through",
      {
        anyOf: [
          { type: "null" },
          { type: "object", properties: { b: { anyOf: [{ type: "string" }, { type: "null" }] } } },
        ],
      },
      { b: 1 },
      ["a/b must be a string or null"],
    ],
    [
      "it is told that none fits, where nobody knows which was meant",
      { anyOf: [{ required: ["b"] }, { required: ["c"] }] },
      {},
      ["a fits none of the allowed forms"],
    ],
    [
      "it is told that two fit, where one should",
      { oneOf: [{ minimum: 1 }, { maximum: 9 }] },
      5,
      ["a fits more than one of the forms that exclude each other"],
    ],
    [
      "it is told that none fits, where nothing could",
      { anyOf: [false, false] },
      5,
      ["a fits none of the allowed forms"],
    ],
    ["one that nothing fits is none", { oneOf: [false, { type: "string" }] }, 5, ["a must be a string"]],
  ])("%s", (_, schema, value, expected) => {
    expect(complaints(about(schema), { a: value })).toEqual(expected);
  });
});

describe("drafts", () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>, string[]]>([
    [
      "http://json-schema.org/draft-04/schema#",
      { properties: { a: { minimum: 1, exclusiveMinimum: true, maximum: 3, exclusiveMaximum: true } } },
      { a: 1 },
      ["a must be more than 1"],
    ],
    [
      "http://json-schema.org/draft-06/schema#",
      { properties: { a: { exclusiveMaximum: 3 } } },
      { a: 3 },
      ["a must be less than 3"],
    ],
    [
      "http://json-schema.org/draft-07/schema#",
      { dependencies: { a: ["b"], c: { required: ["d"] } } },
      { a: 1, c: 1 },
      ["b is missing", "d is missing"],
    ],
    [
      "http://json-schema.org/draft-07/schema#",
      { dependencies: { a: ["b"], c: { required: ["d"] } } },
      { c: 1 },
      ["d is missing"],
    ],
    [
      "https://json-schema.org/draft/2019-09/schema",
      { properties: { a: { items: [{ type: "string" }], additionalItems: false } } },
      { a: [1, 2] },
      ["a/0 must be a string", "a/1 is not allowed"],
    ],
    [
      "https://json-schema.org/draft/2020-12/schema",
      { dependentRequired: { a: ["b"] } },
      { a: 1 },
      ["b is missing"],
    ],
  ])("%s is known", ($schema, schema, values, expected) => {
    expect(complaints({ $schema, ...schema }, values)).toEqual(expected);
  });
});
