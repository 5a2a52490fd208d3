import { describe, expect, it } from "vitest";
import { refusalOf } from "./json-filling.ts";

const refusal = (schema: unknown) => refusalOf(JSON.stringify({ content: "", schema }));
const about = (schema: unknown) => ({ properties: { a: schema } });

describe("a schema is refused with the template", () => {
  it.each<[string, unknown, string]>([
    [
      "an unknown type",
      about({ type: "text" }),
      'schema.properties.a.type: must be one of "string", "number", "integer", "boolean", "null", "array", "object".',
    ],
    ["a list of unknown types", { type: ["string", "date"] }, 'schema.type[1]: must be one of "string",'],
    ["no types", { type: [] }, "schema.type: must have at least 1 item."],
    ["a broken pattern", { items: { pattern: "(" } }, 'schema.items.pattern: must have the format "regex".'],
    [
      "a broken pattern of names",
      { patternProperties: { "[": {} } },
      'schema.patternProperties["["]: has a name that is not allowed.',
    ],
    ["a schema that is none", about("string"), "schema.properties.a: must be an object or true or false."],
    [
      "one in a list that is none",
      { allOf: [{}, 1] },
      "schema.allOf[1]: must be an object or true or false.",
    ],
    ["no alternatives", { anyOf: [] }, "schema.anyOf: must have at least 1 item."],
    ["properties in an array", { properties: [] }, "schema.properties: must be an object."],
    [
      "required at the member, as of old",
      about({ required: true }),
      "schema.properties.a.required: must be an array.",
    ],
    [
      "names that are none",
      { dependentRequired: { a: "b" } },
      "schema.dependentRequired.a: must be an array.",
    ],
    ["no constants to choose from", { enum: [] }, "schema.enum: must have at least 1 item."],
    ["a negative length", { minLength: -1 }, "schema.minLength: must be at least 0."],
    ["a limit that is a text", { maximum: "5" }, "schema.maximum: must be a number."],
    [
      "a switch of draft 4 in a later one",
      { exclusiveMinimum: true },
      "schema.exclusiveMinimum: must be a number.",
    ],
    [
      "a number of a later draft in draft 4",
      { $schema: "http://json-schema.org/draft-04/schema#", exclusiveMinimum: 1 },
      "schema.exclusiveMinimum: must be true or false.",
    ],
    ["a divisor of 0", { multipleOf: 0 }, "schema.multipleOf: must be more than 0."],
    ["a switch that is none", { uniqueItems: 1 }, "schema.uniqueItems: must be true or false."],
    ["a reference that is none", { $ref: 1 }, "schema.$ref: must be a string."],
    [
      "a reference to nothing",
      about({ $ref: "#/$defs/b" }),
      "schema.properties.a.$ref: leads to nothing in this schema, and no other document is fetched. Fix the name, or put that schema into `$defs`.",
    ],
    [
      "a reference to another document",
      about({ $ref: "https://example.com/money.json" }),
      "schema.properties.a.$ref: leads to nothing in this schema, and no other document is fetched. Fix the name, or put that schema into `$defs`.",
    ],
    [
      "a mistake where a reference leads, outside of the definitions",
      { $ref: "#/parts/a%20b", parts: { "a b": { type: 1 } } },
      "schema.$ref.type: must be a string or an array.",
    ],
    ["a reference that changes its meaning", { $dynamicRef: "#a" }, "schema.$dynamicRef: is not allowed."],
    [
      "one address twice",
      { $defs: { a: { $id: "x" }, b: { $id: "x" } } },
      "schema: has two schemas with one `$id`, or a `$id`, `$ref` or name that a URL cannot hold. Change it.",
    ],
    [
      "a name that is no Unicode",
      about({ properties: { "\udfff": {} } }),
      "schema: has two schemas with one `$id`, or a `$id`, `$ref` or name that a URL cannot hold. Change it.",
    ],
    [
      "an unknown draft",
      { $schema: "https://example.com/schema" },
      "schema.$schema: is an unknown draft. Use https://json-schema.org/draft/2020-12/schema.",
    ],
  ])("%s", (_, schema, message) => {
    const expected = `invoice.json, ${message}`;
    expect(refusal(schema).slice(0, expected.length)).toBe(expected);
  });
});
