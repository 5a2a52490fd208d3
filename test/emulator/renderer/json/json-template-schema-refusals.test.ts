import { describe, expect, it } from "vitest";
import { refusalOf } from "./json-filling.ts";

const refusal = (schema: unknown) => refusalOf(JSON.stringify({ content: "", schema }));
const about = (schema: unknown) => ({ properties: { a: schema } });

describe("a schema is refused with the template", () => {
  it.each<[string, unknown, string]>([
    [
      "an unknown type",
      about({ type: "text" }),
      "schema.properties.a.type: must be one of string, number, integer, boolean, null, array, object, or an array of them.",
    ],
    ["a list of unknown types", { type: ["string", "date"] }, "schema.type: must be one of string,"],
    ["no types", { type: [] }, "schema.type: must be one of string,"],
    ["a broken pattern", { items: { pattern: "(" } }, "schema.items.pattern: must be a regular expression."],
    [
      "a broken pattern of names",
      { patternProperties: { "[": {} } },
      'schema.patternProperties["["]: is no regular expression.',
    ],
    [
      "a schema that is none",
      about("string"),
      "schema.properties.a: must be a schema: an object, true or false.",
    ],
    [
      "one in a list that is none",
      { allOf: [{}, 1] },
      "schema.allOf[1]: must be a schema: an object, true or false.",
    ],
    ["no alternatives", { anyOf: [] }, "schema.anyOf: must be an array of schemas, at least one."],
    ["properties in an array", { properties: [] }, "schema.properties: must be an object of schemas."],
    [
      "required at the member, as of old",
      about({ required: true }),
      "schema.properties.a.required: must be an array of names.",
    ],
    [
      "names that are none",
      { dependentRequired: { a: "b" } },
      "schema.dependentRequired: must be an object of arrays of names.",
    ],
    ["no constants to choose from", { enum: [] }, "schema.enum: must be an array of what is allowed."],
    ["a negative length", { minLength: -1 }, "schema.minLength: must be a whole number, 0 or more."],
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
    ["a divisor of 0", { multipleOf: 0 }, "schema.multipleOf: must be a number above 0."],
    ["a switch that is none", { uniqueItems: 1 }, "schema.uniqueItems: must be true or false."],
    ["a reference that is none", { $ref: 1 }, "schema.$ref: must be a text."],
    [
      "a reference to nothing",
      about({ $ref: "#/$defs/b" }),
      "schema.properties.a.$ref: leads to nothing in this schema. Mend the name, or put a schema there.",
    ],
    [
      "a reference to another document",
      about({ $ref: "https://example.com/money.json" }),
      "schema.properties.a.$ref: leads to another document, and nothing is fetched. Put that schema into `$defs`, and refer to it there.",
    ],
    [
      "a reference to another file",
      about({ $ref: "money.json#/a" }),
      "schema.properties.a.$ref: leads to another document, and nothing is fetched. Put that schema into `$defs`, and refer to it there.",
    ],
    [
      "a reference to itself",
      about({ $ref: "#/properties/a" }),
      "schema.properties.a: leads back to itself for ever. Take it away.",
    ],
    [
      "a way back to itself",
      { allOf: [{ $ref: "#/$defs/b" }], $defs: { b: { if: { $ref: "#" } } } },
      "schema.$defs.b.if: leads back to itself for ever. Take it away.",
    ],
    [
      "a mistake where a reference leads, outside of the definitions",
      { $ref: "#/parts/a%20b", parts: { "a b": { type: 1 } } },
      'schema.parts["a b"].type: must be one of',
    ],
    [
      "a reference that changes its meaning",
      { $dynamicRef: "#a" },
      "schema.$dynamicRef: is not supported. Write it with `$ref`.",
    ],
    [
      "one address twice",
      { $defs: { a: { $id: "x" }, b: { $id: "x" } } },
      "schema: has two schemas of one `$id`, or a `$id` or `$ref` that is no URL. Change it.",
    ],
    [
      "a name that is no Unicode",
      about({ properties: { "\udfff": {} } }),
      "schema.properties.a.properties: has a member whose name is no Unicode text. Rename it.",
    ],
    [
      "an unknown draft",
      { $schema: "https://example.com/schema" },
      "schema.$schema: is a draft that nobody here knows. Take https://json-schema.org/draft/2020-12/schema.",
    ],
  ])("%s", (_, schema, message) => {
    const expected = `invoice.json, ${message}`;
    expect(refusal(schema).slice(0, expected.length)).toBe(expected);
  });
});
