import { type Schema, validate } from "@cfworker/json-schema";
import fc from "fast-check";
import { expect } from "vitest";
import { shapeOfSchema } from "../../../src/template-types/json-schema/shape-of-schema.ts";
import type { Shape } from "../../../src/template-types/shape.ts";
import { slowProperty } from "../../support/fuzz.ts";

type AnySchema = fc.Arbitrary<unknown>;

// `__proto__` is missing because the validator in the tests does not support it.
const name = fc.constantFrom("a", "b", "constructor");
const leaf = fc.constantFrom<unknown>("a", "b", 1, 2.5, true, false, null);
const leaves = fc.oneof(
  fc.constantFrom("string", "number", "boolean", "null", ["string", "null"]).map((type) => ({ type })),
  fc.uniqueArray(leaf, { minLength: 1, maxLength: 3 }).map((values) => ({ enum: values })),
);

/** Values with the names and texts that the schemas use, so that some of them are valid. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    leaf,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3 }),
  ),
}));
const thirty = { minLength: 30, maxLength: 30 };
const values = fc.array(fc.oneof(fc.dictionary(name, value, { maxKeys: 3 }), value), thirty);

const objectOf = (item: AnySchema) =>
  fc.record(
    {
      type: fc.constant("object"),
      properties: fc.dictionary(name, item, { maxKeys: 3 }),
      required: fc.uniqueArray(name, { maxLength: 2 }),
      additionalProperties: fc.oneof(fc.boolean(), item),
    },
    { requiredKeys: ["type", "properties"] },
  );

const several = (item: AnySchema) => fc.array(item, { minLength: 1, maxLength: 3 });
const { any } = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    leaves,
    fc.constantFrom<unknown>({ type: "integer", minimum: 2 }, { $ref: "#/$defs/node" }),
    tie("any").map((items) => ({ type: "array", items })),
    several(tie("any")).map((items) => ({ type: "array", prefixItems: items, items: false })),
    objectOf(tie("any")),
    several(tie("any")).map((anyOf) => ({ anyOf })),
    several(tie("any")).map((oneOf) => ({ oneOf })),
    several(objectOf(tie("any"))).map((allOf) => ({ allOf })),
    several(objectOf(tie("any"))).map((anyOf) => ({ type: "object", anyOf, unevaluatedProperties: {} })),
  ),
}));

const node = {
  type: "object",
  properties: { a: { $ref: "#/$defs/node" }, b: { type: "string" } },
  additionalProperties: { anyOf: [{ $ref: "#/$defs/node" }, { type: ["string", "number"] }] },
};

const accepts = (schema: object, one: unknown) => validate(one, schema as Schema, "2020-12").valid;

slowProperty(
  "the type of an arbitrary JSON Schema accepts every value that the schema accepts",
  (saw) =>
    fc.property(objectOf(any), values, (object, all) => {
      const schema = { ...object, $defs: { node } };
      const { shape, definitions } = read(schema);
      for (const one of all) {
        if (!accepts(schema, one)) {
          saw("a rejected value");
          continue;
        }
        saw("an accepted value");
        expect(fits(one, shape, definitions), JSON.stringify(one)).toBe(true);
      }
    }),
  { outcomes: ["an accepted value", "a rejected value"] },
);

/** Reads a schema. Returns the shape `never` if it is rejected because it accepts no object. */
function read(schema: unknown): ReturnType<typeof shapeOfSchema> {
  try {
    return shapeOfSchema(schema, "a.schema.json");
  } catch (error) {
    expect(error).toMatchObject({ reason: expect.stringContaining("accepts no object") });
    return { shape: { kind: "never" }, definitions: new Map() };
  }
}

/** Whether TypeScript would assign a JSON value to the type of a shape. */
function fits(value: unknown, shape: Shape, definitions: ReadonlyMap<string, Shape>): boolean {
  const isIn = (one: unknown, other: Shape) => fits(one, other, definitions);
  switch (shape.kind) {
    case "unknown":
      return true;
    case "never":
      return false;
    case "null":
      return value === null;
    case "literal":
      return value === shape.value;
    case "array":
      return Array.isArray(value) && value.every((item) => isIn(item, shape.items));
    case "tuple": {
      const { items, rest = { kind: "never" } } = shape;
      if (!Array.isArray(value) || value.length < items.length) return false;
      return value.every((item, index) => isIn(item, items[index] ?? rest));
    }
    case "object": {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
      const { members, others = { kind: "unknown" } } = shape;
      if ([...members].some(([name, { isOptional }]) => !isOptional && !Object.hasOwn(value, name)))
        return false;
      return Object.entries(value).every(([name, one]) => isIn(one, members.get(name)?.shape ?? others));
    }
    case "union":
      return shape.of.some((one) => isIn(value, one));
    case "reference":
      return isIn(value, definitions.get(shape.name) ?? expect.fail(`${shape.name} is not defined`));
    default:
      return typeof value === shape.kind;
  }
}
