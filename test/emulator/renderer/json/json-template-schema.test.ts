import { describe, expect, it } from "vitest";
import { complaintsOf, refusalOf, templateOf } from "./json-filling.ts";

const complaints = (schema: unknown, values: Record<string, unknown>) =>
  complaintsOf({ content: "", schema }, values);
const about = (schema: unknown) => ({ properties: { a: schema } });
const text = { type: "string" };

describe("a value that its schema forbids is told at its member", () => {
  it.each<[unknown, unknown, ...string[]]>([
    [text, 1, "must be a string"],
    [{ type: "integer" }, 1.5, "must be a whole number"],
    [{ type: ["number", "boolean", "null"] }, "1", "must be a number, true or false or null"],
    [{ const: { b: 1 } }, 1, 'must be {"b":1}'],
    [{ enum: ["GBP", "EUR"] }, "USD", 'must be one of "GBP", "EUR"'],
    [{ minLength: 1 }, "", "must have at least 1 character"],
    [{ maxLength: 2 }, "abc", "must have at most 2 characters"],
    [{ pattern: "^[A-Z]+$" }, "ab", 'must match the pattern "^[A-Z]+$"'],
    [{ pattern: `^${"a".repeat(99)}` }, "b", `must match the pattern "^${"a".repeat(78)}…`],
    [{ format: "email" }, "nobody", 'must have the format "email"'],
    [{ format: "date" }, "2026-02-30", 'must have the format "date"'],
    [{ format: "json-pointer" }, "a", 'must have the format "json-pointer"'],
    [{ minimum: 0 }, -1, "must be at least 0"],
    [{ maximum: 5 }, 6, "must be at most 5"],
    [{ exclusiveMinimum: 0 }, 0, "must be more than 0"],
    [{ exclusiveMaximum: 5 }, 5, "must be less than 5"],
    [{ multipleOf: 0.01 }, 0.005, "must be a multiple of 0.01"],
    [{ minItems: 1 }, [], "must have at least 1 item"],
    [{ maxItems: 2 }, [1, 2, 3], "must have at most 2 items"],
    [{ uniqueItems: true }, [1, 1], "has an item twice"],
    [{ contains: text }, [1, 2], "must have at least 1 matching item"],
    [{ contains: text, minContains: 2 }, ["a", 2], "must have at least 2 matching items"],
    [{ contains: text, maxContains: 1 }, ["a", "b", 3], "must have at most 1 matching item"],
    [{ contains: { anyOf: [text, { type: "null" }] } }, [1], "must have at least 1 matching item"],
    [{ minProperties: 1 }, {}, "must have at least 1 member"],
    [{ maxProperties: 0 }, { b: 1 }, "must have at most 0 members"],
    [{ not: text }, "a", "has a form that is not allowed"],
    [false, 1, "is not allowed"],
    [{ minLength: 2, pattern: "b" }, "a", "must have at least 2 characters", 'must match the pattern "b"'],
  ])("%j by %j", (schema, value, ...messages) => {
    expect(complaints(about(schema), { a: value })).toEqual(messages.map((message) => `a ${message}`));
  });

  it.each<[object, object, ...string[]]>([
    [{ required: ["a", "b", "c"] }, { b: 1 }, "a is missing", "c is missing"],
    [{ dependentRequired: { a: ["b"], c: ["d"] } }, { a: 1 }, "b is missing"],
    [{ dependentSchemas: { a: { required: ["b"] } } }, { a: 1 }, "b is missing"],
    [{ ...about({}), additionalProperties: false }, { a: 1, "c/d~e %": 3 }, "c/d~e % is not allowed"],
    [{ additionalProperties: text }, { a: 1 }, "a must be a string"],
    [{ patternProperties: { "^a/b": text } }, { "a/b": 1 }, "a/b must be a string"],
    [
      about({ propertyNames: { anyOf: [{ const: "b" }, { maxLength: 1 }] } }),
      { a: { cc: 1 } },
      "a/cc has a name that is not allowed",
    ],
    [{ allOf: [about(text)], unevaluatedProperties: false }, { a: "", b: 2 }, "b is not allowed"],
    [about({ prefixItems: [{}], unevaluatedItems: false }), { a: [1, 2] }, "a/1 is not allowed"],
    [
      about({ items: { required: ["b"] } }),
      { a: [{ b: 1 }, {}, {}] },
      "a/1/b is missing",
      "a/2/b is missing",
    ],
    [
      about({ prefixItems: [text], items: false }),
      { a: [1, 2] },
      "a/0 must be a string",
      "a/1 is not allowed",
    ],
    [
      { ...about({ $ref: "#/$defs/b~1c" }), $defs: { "b/c": { minimum: 5 } } },
      { a: 1 },
      "a must be at least 5",
    ],
    [{ properties: { a: { $ref: "#" }, b: text } }, { a: { a: { b: 1 } } }, "a/a/b must be a string"],
    [{ ...about({ $ref: "#b" }), $defs: { x: { $anchor: "b", ...text } } }, { a: 1 }, "a must be a string"],
    [{ ...about({ $ref: "b" }), $defs: { x: { $id: "b", ...text } } }, { a: 1 }, "a must be a string"],
    [{ allOf: [{ required: ["a"] }, { required: ["b"] }] }, {}, "a is missing", "b is missing"],
    [JSON.parse('{"if":{"required":["a"]},"then":{"required":["b"]}}'), { a: 1 }, "b is missing"],
    [{ if: { required: ["a"] }, else: { required: ["b"] } }, {}, "b is missing"],
    // Members that are named like keywords, and that every object inherits.
    [about({ properties: { anyOf: text } }), { a: { anyOf: 1 } }, "a/anyOf must be a string"],
    [
      JSON.parse('{"required":["toString"],"properties":{"__proto__":{"type":"string"}}}'),
      JSON.parse('{"__proto__":1}'),
      "toString is missing",
      "__proto__ must be a string",
    ],
  ])("%j by %j", (schema, values, ...expected) => {
    expect(complaints(schema, values as Record<string, unknown>)).toEqual(expected);
  });

  it("with a path in which an index is a number, and no place in the template", () => {
    const schema = about({ items: { properties: { 0: text } } });
    const { issues } = templateOf({ content: "{{b}}", schema }).fill({ a: [{ 0: 1 }] });
    expect(issues).toEqual([{ path: ["a", 0, "0"], message: "must be a string" }]);
  });
});

describe("of several alternatives in a schema", () => {
  const none = { type: "null" };
  const kind = (name: string, b: unknown) => ({ properties: { kind: { const: name }, b } });

  it.each<[string, unknown, unknown, string]>([
    [
      "the types are told if none fits",
      { anyOf: [text, { type: ["number", "null"] }] },
      true,
      "a must be a string, a number or null",
    ],
    [
      "the faults of the one whose type fits are told",
      { anyOf: [none, { type: "object", required: ["city"] }] },
      {},
      "a/city is missing",
    ],
    [
      "the faults of the one whose type fits are told when a constant in it is wrong",
      { anyOf: [none, { type: "object", properties: { b: { enum: ["x"] } } }] },
      { b: "y" },
      'a/b must be one of "x"',
    ],
    [
      "the faults of the one whose constant fits are told",
      { oneOf: [kind("x", text), kind("y", { type: "number" })] },
      { kind: "y", b: "1" },
      "a/b must be a number",
    ],
    [
      "the alternatives within one are looked through",
      { anyOf: [none, { type: "object", properties: { b: { anyOf: [text, none] } } }] },
      { b: 1 },
      "a/b must be a string or null",
    ],
    [
      "it is told that none fits if nobody knows which was meant",
      { anyOf: [{ required: ["b"] }, { required: ["c"] }] },
      {},
      "a fits none of the allowed forms",
    ],
    [
      "it is told that two fit where one should",
      { oneOf: [{ minimum: 1 }, { maximum: 9 }] },
      5,
      "a fits more than one of the forms that exclude each other",
    ],
    [
      "it is told that none fits if nothing could",
      { anyOf: [false, false] },
      5,
      "a fits none of the allowed forms",
    ],
    ["one that nothing fits does not count", { oneOf: [false, text] }, 5, "a must be a string"],
  ])("%s", (_, schema, value, expected) => {
    expect(complaints(about(schema), { a: value })).toEqual([expected]);
  });
});

describe("the drafts of JSON Schema", () => {
  const draft = (name: string) => `http://json-schema.org/${name}/schema#`;
  const dependencies = { a: ["b"], c: { required: ["d"] } };

  it.each<[string, object, object, ...string[]]>([
    [draft("draft-04"), about({ minimum: 1, exclusiveMinimum: true }), { a: 1 }, "a must be more than 1"],
    [draft("draft-04"), about({ maximum: 3, exclusiveMaximum: true }), { a: 3 }, "a must be less than 3"],
    [draft("draft-06"), about({ exclusiveMaximum: 3 }), { a: 3 }, "a must be less than 3"],
    [draft("draft-07"), { dependencies }, { a: 1, c: 1 }, "b is missing", "d is missing"],
    [
      "https://json-schema.org/draft/2019-09/schema",
      about({ items: [text], additionalItems: false }),
      { a: [1, 2] },
      "a/0 must be a string",
      "a/1 is not allowed",
    ],
    [
      "https://json-schema.org/draft/2020-12/schema",
      { dependentRequired: { a: ["b"] } },
      { a: 1 },
      "b is missing",
    ],
  ])("include %s: %j", ($schema, schema, values, ...expected) => {
    expect(complaints({ $schema, ...schema }, values as Record<string, unknown>)).toEqual(expected);
  });
});

describe("a wrong schema is refused with the template", () => {
  const leadsNowhere =
    "leads to nothing in this schema, and no other document is fetched. Fix the name, or put that schema into `$defs`.";
  const unclear =
    "has two schemas with one `$id`, or a `$id`, `$ref` or name that a URL cannot hold. Change it.";
  const draft4 = "http://json-schema.org/draft-04/schema#";

  it.each<[unknown, string]>([
    [
      about({ type: "text" }),
      '.properties.a.type: must be one of "string", "number", "integer", "boolean", "null", "array", "object".',
    ],
    [{ type: ["string", "date"] }, '.type[1]: must be one of "string",'],
    [{ type: [] }, ".type: must have at least 1 item."],
    [{ items: { pattern: "(" } }, '.items.pattern: must have the format "regex".'],
    [{ patternProperties: { "[": {} } }, '.patternProperties["["]: has a name that is not allowed.'],
    [about("string"), ".properties.a: must be an object or true or false."],
    [{ allOf: [{}, 1] }, ".allOf[1]: must be an object or true or false."],
    [{ anyOf: [] }, ".anyOf: must have at least 1 item."],
    [{ properties: [] }, ".properties: must be an object."],
    [about({ required: true }), ".properties.a.required: must be an array."],
    [{ dependentRequired: { a: "b" } }, ".dependentRequired.a: must be an array."],
    [{ enum: [] }, ".enum: must have at least 1 item."],
    [{ minLength: -1 }, ".minLength: must be at least 0."],
    [{ maximum: "5" }, ".maximum: must be a number."],
    [{ exclusiveMinimum: true }, ".exclusiveMinimum: must be a number."],
    [{ $schema: draft4, exclusiveMinimum: 1 }, ".exclusiveMinimum: must be true or false."],
    [{ multipleOf: 0 }, ".multipleOf: must be more than 0."],
    [{ uniqueItems: 1 }, ".uniqueItems: must be true or false."],
    [{ $ref: 1 }, ".$ref: must be a string."],
    [about({ $ref: "#/$defs/b" }), `.properties.a.$ref: ${leadsNowhere}`],
    [about({ $ref: "https://example.com/money.json" }), `.properties.a.$ref: ${leadsNowhere}`],
    [{ $ref: "#/parts/a%20b", parts: { "a b": { type: 1 } } }, ".$ref.type: must be a string or an array."],
    [{ $dynamicRef: "#a" }, ".$dynamicRef: is not allowed."],
    [{ $defs: { a: { $id: "x" }, b: { $id: "x" } } }, `: ${unclear}`],
    [about({ properties: { "\udfff": {} } }), `: ${unclear}`],
    [
      { $schema: "https://example.com/schema" },
      ".$schema: is an unknown draft. Use https://json-schema.org/draft/2020-12/schema.",
    ],
  ])("%j", (schema, message) => {
    const expected = `invoice.json, schema${message}`;
    expect(refusalOf(JSON.stringify({ content: "", schema })).slice(0, expected.length)).toBe(expected);
  });
});
