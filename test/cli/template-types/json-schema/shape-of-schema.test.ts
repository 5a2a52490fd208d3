import { describe, expect, it } from "vitest";
import { shapeOfSchema } from "../../../../src/cli/template-types/json-schema/shape-of-schema.ts";
import { told, typeOf } from "./told.ts";

const card = { properties: { kind: { const: "card" }, number: { type: "string" } }, required: ["kind"] };
const iban = { properties: { kind: { enum: ["iban", "bic"] } }, required: ["kind"] };

describe("a JSON Schema becomes a type:", () => {
  it.each<[title: string, schema: unknown, type: string]>([
    ["an integer is a number", { type: "integer" }, "number"],
    ["several types", { type: ["string", "null", "integer"] }, "string | null | number"],
    ["nothing said is anything", { minLength: 2 }, "unknown"],
    ["true is anything", true, "unknown"],
    ["null by the word of OpenAPI", { type: "string", nullable: true }, "string | null"],
    ["an enum", { enum: ["a", 1, null, true] }, '"a" | 1 | null | true'],
    ["an enum keeps what its type allows", { type: "string", enum: ["a", 1] }, '"a"'],
    ["an enum of objects and lists", { enum: [{ a: 1 }, [1]] }, "{ [others]: unknown } | Array<unknown>"],
    ["true and false", { enum: [true, false] }, "boolean"],
    ["a const", { const: 3 }, "3"],
    ["a list", { type: "array", items: { type: "string" } }, "Array<string>"],
    ["a list of anything", { type: "array" }, "Array<unknown>"],
    ["a tuple", { type: "array", prefixItems: [{ type: "string" }, {}], items: false }, "[string, unknown]"],
    [
      "a tuple with a rest",
      { type: "array", prefixItems: [{ type: "string" }], items: { type: "null" } },
      "[string, ...null]",
    ],
    [
      "a tuple of draft 7",
      { type: "array", items: [{ type: "string" }], additionalItems: { type: "number" } },
      "[string, ...number]",
    ],
    ["an object of anything", { type: "object" }, "{ [others]: unknown }"],
    ["an object of nothing", { type: "object", additionalProperties: false }, "{ [others]: never }"],
    [
      "an object that takes no others",
      { properties: { a: { type: "string" } }, additionalProperties: false },
      "{ a?: string }",
    ],
    [
      "others of one kind",
      { type: "object", properties: { a: {} }, additionalProperties: { type: "number" } },
      "{ a?: unknown; [others]: number }",
    ],
    [
      "others by pattern",
      { type: "object", patternProperties: { "^a": { type: "number" }, "^b": { type: "null" } } },
      "{ [others]: number | null }",
    ],
    [
      "others that are not evaluated",
      {
        type: "object",
        oneOf: [{ properties: { a: { const: "x" } }, required: ["a"] }],
        unevaluatedProperties: { type: "number" },
      },
      '{ a: "x"; [others]: unknown }',
    ],
    [
      "others that may not be left over, where something else names members",
      { type: "object", allOf: [{ properties: { a: { const: "x" } } }], unevaluatedProperties: false },
      '{ a?: "x" }',
    ],
    [
      "others that are required by name",
      { type: "object", additionalProperties: { type: "string" }, required: ["a"] },
      "{ a: string; [others]: string }",
    ],
    ["an object by its keywords", { required: ["a"] }, "{ a: unknown }"],
    ["a member that may not be there", { properties: { a: false, b: true } }, "{ b?: unknown }"],
    [
      "what has a default may be left out",
      { properties: { a: { default: 1 } }, required: ["a"] },
      "{ a?: unknown }",
    ],
    [
      "comments",
      { properties: { a: { title: "A", description: "of a" }, b: { title: "B" } } },
      "{ /* of a */ a?: unknown; /* B */ b?: unknown }",
    ],
    [
      "comments of all of several, the first of two",
      {
        properties: { a: {}, b: { title: "first" } },
        allOf: [{ properties: { a: { title: "A" }, b: { title: "B" } } }],
      },
      "{ /* A */ a?: unknown; /* first */ b?: unknown }",
    ],
    ["one of several", { anyOf: [{ type: "string" }, { const: "a" }, { type: "null" }] }, "string | null"],
    [
      "one of several and the same",
      { oneOf: [{ type: "string", maxLength: 2 }, { type: "string" }] },
      "string",
    ],
    [
      "one of several objects",
      { oneOf: [card, iban] },
      '{ kind: "card"; number?: string } | { kind: "iban" | "bic" }',
    ],
    [
      "one of several objects beside what they share",
      { type: "object", properties: { id: { type: "string" } }, required: ["id"], oneOf: [card, iban] },
      '{ id: string; kind: "card"; number?: string } | { id: string; kind: "iban" | "bic" }',
    ],
    [
      "all of several",
      { allOf: [{ properties: { a: { type: "string" } } }, { properties: { b: {} }, required: ["a", "b"] }] },
      "{ a: string; b: unknown }",
    ],
    [
      "all of several, beside a type alone",
      {
        type: "object",
        allOf: [
          { properties: { a: { type: ["string", "null"] } } },
          { properties: { a: { type: "string" } } },
        ],
      },
      "{ a?: string }",
    ],
    [
      "one or the other is required",
      { properties: { a: { type: "string" } }, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
      "{ a: string } | { a?: string; b: unknown }",
    ],
    ["what nothing can be", { allOf: [{ type: "string" }, { type: "null" }] }, "never"],
    [
      "a type beside not, if and else",
      { type: "string", not: { const: "a" }, if: {}, else: false },
      "string",
    ],
  ])("%s", (_title, schema, type) => {
    const expected = type === "never" ? undefined : type;
    if (expected === undefined) expect(() => typeOf(schema)).toThrow("takes no object");
    else expect(typeOf(schema)).toBe(expected);
  });
});

describe("a schema is refused, in one line that names the place, when", () => {
  const at = (x: unknown, more: object = {}) => ({ type: "object", properties: { x }, ...more });
  it.each<[title: string, schema: unknown, line: string]>([
    ["it is no schema", [], "#: a schema should stand here: an object, true or false"],
    [
      "a member's is none",
      at("string"),
      "#/properties/x: a schema should stand here: an object, true or false",
    ],
    [
      "a type is unknown",
      at({ type: "date" }),
      "#/properties/x/type: JSON Schema knows no such type; it has string, number, integer, boolean, null, object and array",
    ],
    [
      "a $ref leads nowhere",
      at({ $ref: "#/$defs/a" }),
      "#/properties/x/$ref: this leads to nothing in this schema",
    ],
    [
      "a $ref leads nowhere inside a definition",
      at({ $ref: "#/$defs/a" }, { $defs: { a: { items: { $ref: "#a" } } } }),
      "#/$defs/a/items/$ref: this leads to nothing in this schema",
    ],
    [
      "a $ref leads to another file",
      at({ $ref: "b.json#/a" }),
      "#/properties/x/$ref: this leads out of the file, and nothing is fetched; move what it leads to into $defs",
    ],
    [
      "a $ref is no URL",
      at({ $ref: "http://[" }),
      "#: two schemas have one `$id`, or a `$id` or `$ref` is no URL",
    ],
    ["a $ref is no text", at({ $ref: 1 }), "#/properties/x/$ref: a text should stand here"],
    ["a $ref leads to itself", { $ref: "#" }, "#/$ref: this leads back to itself for ever"],
    [
      "it is broken where no keyword leads",
      at({ $ref: "#/components/schemas/a" }, { components: { schemas: { a: { type: "date" } } } }),
      "#/components/schemas/a/type: JSON Schema knows no such type; it has string, number, integer, boolean, null, object and array",
    ],
    [
      "two lead to each other",
      at(
        { $ref: "#/$defs/a" },
        { $defs: { a: { anyOf: [{ $ref: "#/$defs/b" }] }, b: { $ref: "#/$defs/a" } } },
      ),
      "#/$defs/b/$ref: this leads back to itself for ever",
    ],
    [
      "required is that of draft 3",
      at({ type: "object", required: true }),
      "#/properties/x/required: a list should stand here",
    ],
    ["properties are a list", { properties: [] }, "#/properties: an object of schemas should stand here"],
    [
      "it takes no object",
      { type: "array" },
      "#: this schema takes no object, and the values of a template are one",
    ],
    ["it is false", false, "#: this schema takes no object, and the values of a template are one"],
  ])("%s", (_title, schema, line) => {
    expect(() => shapeOfSchema(schema, "a.schema.json")).toThrow(
      expect.objectContaining({ name: "SchemaFault", message: line }),
    );
  });

  it("it is nested deeper than the stack holds, directly or by references", () => {
    let deep: unknown = { type: "string" };
    for (let depth = 0; depth < 50_000; depth += 1) deep = { items: deep };
    expect(() => shapeOfSchema(at(deep), "a.schema.json")).toThrow("nested too deep");
    const $defs = Object.fromEntries(
      Array.from({ length: 50_000 }, (_, index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}` }]),
    );
    expect(() => shapeOfSchema(at({ $ref: "#/$defs/d0" }, { $defs }), "a.schema.json")).toThrow(
      "nested too deep",
    );
  });
});

it("`__proto__` is a name like any other", () => {
  const schema = JSON.parse('{ "properties": { "__proto__": { "const": "a" } }, "required": ["__proto__"] }');
  expect(told(schema)).toEqual(['{ __proto__: "a" }']);
});

it("a template's values are objects: of what else a schema takes nothing is left", () => {
  expect(told({ anyOf: [{ type: "null" }, { type: "object", properties: { a: {} } }] })).toEqual([
    "{ a?: unknown }",
  ]);
  expect(told(true)).toEqual(["{ [others]: unknown }"]);
  expect(told({ $ref: "#/$defs/a", $defs: { a: { oneOf: [card, iban] } } })).toEqual([
    '{ kind: "card"; number?: string } | { kind: "iban" | "bic" }',
  ]);
});
