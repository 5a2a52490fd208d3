import { describe, expect, it } from "vitest";
import { issuesOf, parseErrorOf, templateOf } from "./json-filling.ts";

const issuesFor = (schema: unknown, values: Record<string, unknown>) =>
  issuesOf({ content: "", schema }, values);
const propertyA = (schema: unknown) => ({ properties: { a: schema } });
const text = { type: "string" };

const anA = { required: ["a"] };
const aB = { required: ["b"] };
const twoItems = { a: [1, 2] };
const protoOne = JSON.parse('{"__proto__":1}');

describe("values that violate the schema", () => {
  it.each<[unknown, unknown, ...string[]]>([
    [text, 1, "must be a string"],
    [{ type: "integer" }, 1.5, "must be a whole number"],
    [{ type: ["number", "boolean", "null"] }, "1", "must be a number, true or false or null"],
    [{ const: { b: 1 } }, 1, 'must be {"b":1}'],
    [{ enum: ["GBP", "EUR"] }, "USD", 'must be one of "GBP", "EUR"'],
    [{ minLength: 1 }, "", "must have at least 1 character"],
    [{ maxLength: 2 }, "abc", "must have at most 2 characters"],
    [{ pattern: `^${"a".repeat(99)}` }, "b", `must match the pattern "^${"a".repeat(78)}…`],
    [{ format: "email" }, "nobody", 'must have the format "email"'],
    [{ minimum: 0 }, -1, "must be at least 0"],
    [{ maximum: 5 }, 6, "must be at most 5"],
    [{ exclusiveMinimum: 0 }, 0, "must be more than 0"],
    [{ multipleOf: 0.01 }, 0.005, "must be a multiple of 0.01"],
    [{ minItems: 1 }, [], "must have at least 1 item"],
    [{ uniqueItems: true }, [1, 1], "has duplicate items"],
    [{ contains: text }, [1, 2], "must have at least 1 matching item"],
    [{ contains: text, maxContains: 1 }, ["a", "b", 3], "must have at most 1 matching item"],
    [{ maxProperties: 0 }, { b: 1 }, "must have at most 0 properties"],
    [{ not: text }, "a", "matches a schema that is not allowed"],
    [{ minLength: 2, pattern: "b" }, "a", "must have at least 2 characters", 'must match the pattern "b"'],
  ])("cause an issue that names the property: schema %j and value %j", (schema, value, ...messages) => {
    expect(issuesFor(propertyA(schema), { a: value })).toEqual(messages.map((message) => `a ${message}`));
  });

  it.each<[object, object, ...string[]]>([
    [{ required: ["a", "b", "c"] }, { b: 1 }, "a is missing", "c is missing"],
    [{ dependentRequired: { a: ["b"], c: ["d"] } }, { a: 1 }, "b is missing"],
    [{ ...propertyA({}), additionalProperties: false }, { a: 1, "c/d~e %": 3 }, "c/d~e % is not allowed"],
    [{ propertyNames: { anyOf: [{ const: "b" }] } }, { c: 1 }, "c has a name that is not allowed"],
    [{ allOf: [propertyA(text)], unevaluatedProperties: false }, { a: "", b: 2 }, "b is not allowed"],
    [propertyA({ prefixItems: [{}], unevaluatedItems: false }), twoItems, "a/1 is not allowed"],
    [propertyA({ items: aB }), { a: [{ b: 1 }, {}, {}] }, "a/1/b is missing", "a/2/b is missing"],
    [{ ...propertyA({ $ref: "#/$defs/b~1c" }), $defs: { "b/c": text } }, { a: 1 }, "a must be a string"],
    [{ allOf: [anA, aB] }, {}, "a is missing", "b is missing"],
    // Properties that are named like keywords, or that every object inherits.
    [propertyA({ properties: { anyOf: text } }), { a: { anyOf: 1 } }, "a/anyOf must be a string"],
    [JSON.parse('{"properties":{"__proto__":false}}'), protoOne, "__proto__ is not allowed"],
  ])("are reported with the property's path: schema %j and values %j", (schema, values, ...expected) => {
    expect(issuesFor(schema, values as Record<string, unknown>)).toEqual(expected);
  });

  it("cause an issue whose path contains numeric array indices", () => {
    const schema = propertyA({ items: { properties: { 0: text } } });
    const { issues } = templateOf({ content: "{{b}}", schema }).fill({ a: [{ 0: 1 }] });
    expect(issues).toEqual([{ path: ["a", 0, "0"], message: "must be a string" }]);
  });
});

describe("an issue from `anyOf` or `oneOf`", () => {
  const none = { type: "null" };
  const number = { type: ["number"] };
  const twice = "matches more than one of the schemas in `oneOf`";
  const aY = { kind: "y", b: 1 };
  const kind = (name: string, b: object = text) => ({ properties: { kind: { const: name }, b } });
  const letter = { type: "object", properties: { b: { enum: ["x"] } } };

  it.each<
    [title: string, row: { readonly schema: unknown; readonly value: unknown; readonly expected: string }]
  >([
    [
      "all allowed types if no type matches",
      {
        schema: { anyOf: [text, number, none] },
        value: true,
        expected: "must be a string, a number or null",
      },
    ],
    [
      "the alternative whose type matches",
      { schema: { anyOf: [none, letter] }, value: { b: 1 }, expected: '/b must be one of "x"' },
    ],
    [
      "the alternative whose constant matches",
      { schema: { oneOf: [kind("x"), kind("y", none)] }, value: aY, expected: "/b must be null" },
    ],
    [
      "all alternatives if the intended one is unclear",
      { schema: { anyOf: [aB, anA] }, value: {}, expected: "does not match any of the allowed schemas" },
    ],
    [
      "both `oneOf` alternatives if both match",
      { schema: { oneOf: [{ minimum: 1 }, { maximum: 9 }] }, value: 5, expected: twice },
    ],
    [
      "the only alternative that can ever match",
      { schema: { oneOf: [false, text] }, value: 5, expected: "must be a string" },
    ],
  ])("refers to %s", (_, { schema, value, expected }) => {
    const path = expected.startsWith("/") ? "a" : "a ";
    expect(issuesFor(propertyA(schema), { a: value })).toEqual([path + expected]);
  });
});

describe("a template's schema", () => {
  const draft = (name: string) => `http://json-schema.org/${name}/schema#`;
  const oneItem = { items: [{}], additionalItems: false };
  const definitions = { b: { type: "number" } };
  const dependencies = { a: ["b"], c: { required: ["d"] } };

  it.each<[string, object, object, ...string[]]>([
    [draft("draft-04"), propertyA({ minimum: 1, exclusiveMinimum: true }), { a: 1 }, "a must be more than 1"],
    [draft("draft-07"), { dependencies }, { a: 1, c: 1 }, "b is missing", "d is missing"],
    [draft("draft/2019-09"), propertyA(oneItem), twoItems, "a/1 is not allowed"],
    [draft("draft-07"), propertyA({ $ref: "#/definitions/b", type: "null" }), { a: 1 }],
    [draft("draft-04"), propertyA({ items: [text, text] }), { a: ["", 1] }, "a/1 must be a string"],
    ["https://spec.openapis.org/oas/3.1/dialect/base", propertyA(text), { a: 1 }, "a must be a string"],
  ])("can set `$schema` to the draft %s: %j", ($schema, schema, values, ...expected) => {
    expect(issuesFor({ $schema, definitions, ...schema }, values as Record<string, unknown>)).toEqual(
      expected,
    );
  });
});

describe("a schema of OpenAPI 3.0", () => {
  const nullable = true;
  it.each<[schema: object, value: unknown, ...string[]]>([
    [{ ...text, nullable }, null],
    [{ ...text, nullable, minLength: 1 }, 1, "a must be a string or null"],
    [{ ...text, nullable, minLength: 1 }, "", "a must have at least 1 character"],
    [{ ...text, nullable: false }, null, "a must be a string"],
    [{ $ref: "#/components/schemas/b", nullable }, null],
    [{ $ref: "#/components/schemas/b", nullable }, { c: 1 }, "a/c must be a string"],
    [{ allOf: [{ $ref: "#/components/schemas/b" }], nullable }, null],
    [{ enum: ["x"], nullable }, null],
    [{ minimum: 1, exclusiveMinimum: true }, 1, "a must be more than 1"],
    [{ maximum: 1, exclusiveMaximum: false }, 1],
  ])("has `nullable` and flags as limits: %j with %j", (schema, value, ...expected) => {
    const b = { type: "object", properties: { c: text } };
    const whole = { ...propertyA(schema), components: { schemas: { b } } };
    expect(issuesFor(whole, { a: value })).toEqual(expected);
  });
});

describe("an invalid schema", () => {
  const unresolved =
    "does not exist in this schema, and other documents are not fetched. Fix the reference, or put that schema into `$defs`.";
  const unclear =
    "has two schemas with the same `$id`, or has a `$id`, `$ref` or name that is not valid in a URL. Change it.";
  const unknown = "is an unknown draft. Use https://json-schema.org/draft/2020-12/schema.";
  const types = '"string", "number", "integer", "boolean", "null", "array", "object"';
  const draft4 = "http://json-schema.org/draft-04/schema#";

  it.each<[unknown, string]>([
    [{ type: "text" }, `.type: must be one of ${types}.`],
    [{ items: { pattern: "(" } }, '.items.pattern: must have the format "regex".'],
    [{ patternProperties: { "[": {} } }, '.patternProperties["["]: has a name that is not allowed.'],
    [propertyA("string"), ".properties.a: must be an object or true or false."],
    [{ anyOf: [] }, ".anyOf: must have at least 1 item."],
    [propertyA({ required: true }), ".properties.a.required: must be an array."],
    [{ $schema: draft4, exclusiveMinimum: 1 }, ".exclusiveMinimum: must be true or false."],
    [propertyA({ $ref: "#/$defs/b" }), `.properties.a.$ref: ${unresolved}`],
    [{ $ref: "#/parts/a%20b", parts: { "a b": { type: 1 } } }, ".$ref.type: must be a string or an array."],
    [{ $dynamicRef: "#a" }, ".$dynamicRef: is not allowed. Use `$ref`."],
    [propertyA({ $recursiveRef: "#" }), ".properties.a.$recursiveRef: is not allowed. Use `$ref`."],
    [propertyA({ nullable: "yes" }), ".properties.a.nullable: must be true or false."],
    [{ $defs: { a: { $id: "x" }, b: { $id: "x" } } }, `: ${unclear}`],
    [propertyA({ properties: { "\udfff": {} } }), `: ${unclear}`],
    [{ $schema: "https://example.com/schema" }, `.$schema: ${unknown}`],
  ])("is reported with its location in the template: %j", (schema, message) => {
    const expected = `invoice.json, schema${message}`;
    expect(parseErrorOf(JSON.stringify({ content: "", schema })).slice(0, expected.length)).toBe(expected);
  });
});
