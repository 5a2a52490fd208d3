import { type Schema, validate } from "@cfworker/json-schema";
import fc from "fast-check";
import { describe, expect } from "vitest";
import { shapeOfSchema } from "../../../../src/cli/template-types/json-schema/shape-of-schema.ts";
import { property } from "../../../support/fuzz.ts";
import { anySchema, anyValue, exactSchema, type Sampled } from "./any-schema.ts";
import { fits } from "./fits.ts";

/** A schema with values that fit it, and values that mostly do not. */
const withValues = (schemas: fc.Arbitrary<Sampled>) =>
  schemas.chain(({ schema, values }) =>
    fc.tuple(
      fc.constant(schema as Schema),
      fc.array(fc.oneof(values, anyValue), { minLength: 10, maxLength: 10 }),
    ),
  );

const takes = (schema: Schema, value: unknown) => validate(value, schema, "2020-12").valid;

describe("the type of a schema", () => {
  property("takes every value that the schema takes", () =>
    fc.property(withValues(anySchema), ([schema, values]) => {
      const { shape, definitions } = read(schema);
      for (const value of values.filter((one) => takes(schema, one))) {
        expect(fits(value, shape, definitions), JSON.stringify(value)).toBe(true);
      }
    }),
  );

  property("takes nothing else, where types can say what the schema says", () =>
    fc.property(withValues(exactSchema), ([schema, values]) => {
      const { shape, definitions } = read(schema);
      for (const value of values) {
        expect(fits(value, shape, definitions), JSON.stringify(value)).toBe(takes(schema, value));
      }
    }),
  );

  property("does not depend on the order of members", () =>
    fc.property(anySchema, ({ schema }) => {
      const { shape, definitions } = read(schema);
      const again = read(reversed(schema));
      expect(sorted([again.shape, ...again.definitions])).toEqual(sorted([shape, ...definitions]));
    }),
  );
});

/** What is read of a schema; one that no object can satisfy is refused, and has the shape of nothing. */
function read(schema: unknown): ReturnType<typeof shapeOfSchema> {
  try {
    return shapeOfSchema(schema, "a.schema.json");
  } catch (error) {
    expect(error).toMatchObject({ reason: expect.stringContaining("takes no object") });
    return { shape: { kind: "never" }, definitions: new Map() };
  }
}

/** The same JSON with the members of every object in the opposite order. */
function reversed(json: unknown): unknown {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map(reversed);
  return Object.fromEntries(
    Object.entries(json)
      .reverse()
      .map(([name, value]) => [name, reversed(value)]),
  );
}

/** The same with everything that has no order in one. */
function sorted(value: unknown): unknown {
  if (value instanceof Map) return ["map", ...[...value].map(sorted).sort(byText)];
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const of = (value as { readonly of?: unknown[] }).of;
  const entries = Object.entries(value).map(([name, inner]) => [name, sorted(inner)]);
  return of
    ? { ...Object.fromEntries(entries), of: of.map(sorted).sort(byText) }
    : Object.fromEntries(entries);
}

function byText(one: unknown, other: unknown): number {
  const [left = "", right = ""] = [one, other].map((each) => JSON.stringify(each));
  return left < right ? -1 : left > right ? 1 : 0;
}
