import { type Schema, validate } from "@cfworker/json-schema";
import fc from "fast-check";
import { describe, expect } from "vitest";
import { shapeOfSchema } from "../../../src/template-types/json-schema/shape-of-schema.ts";
import type { Shape } from "../../../src/template-types/shape.ts";
import { property } from "../../support/fuzz.ts";
import { anySchema, exactSchema, type Sampled } from "./any-schema.ts";

/** A schema with valid values, and values that are mostly invalid. */
const withValues = (schemas: fc.Arbitrary<Sampled>) =>
  schemas.chain(({ schema, values }) =>
    fc.tuple(
      fc.constant(schema as Schema),
      fc.array(fc.oneof(values, fc.jsonValue({ maxDepth: 2 })), { minLength: 10, maxLength: 10 }),
    ),
  );

const accepts = (schema: Schema, value: unknown) => validate(value, schema, "2020-12").valid;

describe("the type of an arbitrary JSON Schema", () => {
  property("accepts every value that the schema accepts", () =>
    fc.property(withValues(anySchema), ([schema, values]) => {
      const { shape, definitions } = read(schema);
      for (const value of values.filter((one) => accepts(schema, one))) {
        expect(fits(value, shape, definitions), JSON.stringify(value)).toBe(true);
      }
    }),
  );

  property("accepts nothing else if a type can express the schema", () =>
    fc.property(withValues(exactSchema), ([schema, values]) => {
      const { shape, definitions } = read(schema);
      for (const value of values) {
        expect(fits(value, shape, definitions), JSON.stringify(value)).toBe(accepts(schema, value));
      }
    }),
  );
});

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
