import * as fc from "fast-check";
import { expect, it } from "vitest";
import { parseSchema } from "../../../src/emulator/renderer/json/schema/json-schema.ts";
import { schemaOfShape } from "../../../src/template-types/json-schema/schema-of-shape.ts";
import { Samples } from "../../../src/template-types/samples.ts";
import { property } from "../../support/fuzz.ts";

function schemaOf(...values: readonly Record<string, unknown>[]) {
  const samples = new Samples();
  for (const each of values) samples.add(each);
  return schemaOfShape(samples.shape());
}

it("a schema of samples requires what all of them have, and allows nothing else", () => {
  expect(schemaOf({ total: 1, lines: [{ text: "a" }] }, { total: "1", lines: [], note: null })).toEqual({
    type: "object",
    properties: {
      lines: {
        type: "array",
        items: {
          type: "object",
          properties: { text: { type: "string" } },
          required: ["text"],
          additionalProperties: false,
        },
      },
      note: {},
      total: { anyOf: [{ type: "string" }, { type: "number" }] },
    },
    required: ["lines", "total"],
    additionalProperties: false,
  });
});

it("a schema requires nothing if values may be missing", () => {
  const samples = new Samples();
  samples.add({ a: { b: true } });
  expect(JSON.stringify(schemaOfShape(samples.shape(), { allowsMissing: true }))).not.toContain("required");
});

property("every sample matches the schema of all samples", () =>
  fc.property(
    fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 1, maxLength: 4 }),
    (given) => {
      const values = given as readonly Record<string, unknown>[];
      const check = parseSchema(schemaOf(...values), "samples.json", (_, problem) => new Error(problem));
      for (const each of values) expect(check(each)).toEqual([]);
    },
  ),
);
