import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect } from "vitest";
import { FaultyTemplate } from "../../../../src/emulator/renderer/template-fault.ts";
import { anyCharacter, property } from "../../../support/fuzz.ts";
import { templateOf } from "./json-filling.ts";

const anyValues = fc.dictionary(
  fc.oneof(
    fc.constantFrom("a", "b", "lines", "0", "__proto__", "constructor", "toString"),
    fc.string({ unit: anyCharacter }),
  ),
  fc.jsonValue({ stringUnit: anyCharacter }),
);

/** JSON Schemas, valid or not. */
const anySchema = fc.letrec<{ schema: unknown }>((tie) => {
  const texts = ["string", "object", "array", "^a", "a", "#", "#/$defs/a", "#a", "b.json", "%"];
  const constants = fc.constantFrom<unknown>(...texts, ["a"], [1, "a"], 1, 0, true, null);
  const names = fc.constantFrom("a", "b", "lines", "__proto__", "x/y~ %");
  const one = (keywords: string, value: fc.Arbitrary<unknown>) =>
    fc.tuple(fc.constantFrom(...keywords.split(" ")), value);
  const entry = fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    one("type required enum const pattern format minLength maximum uniqueItems $ref $id $anchor", constants),
    one("allOf anyOf oneOf prefixItems", fc.array(tie("schema"), { maxLength: 2 })),
    one(
      "properties patternProperties $defs dependencies",
      fc.dictionary(names, tie("schema"), { maxKeys: 2 }),
    ),
    one("items contains not if then else additionalProperties unevaluatedItems", tie("schema")),
  );
  return {
    schema: fc.oneof(
      { maxDepth: 6, depthSize: "small" },
      fc.boolean(),
      fc.array(entry, { maxLength: 4 }).map((entries) => Object.fromEntries(entries) as unknown),
    ),
  };
}).schema;

describe("arbitrary values", () => {
  property(
    "stay unchanged, as the template does, even if pdfmake changes the definition",
    (saw) => {
      const each = { $each: "lines", $show: { text: ["{{this}}"] } };
      const content = [{ text: "{{a?}}" }, each, { $if: "b", $show: [[]] }];
      const template = templateOf({ content, header: { columns: [{ text: "{{@page}}" }] }, info: {} });
      const suitableValues = fc.record({
        a: fc.oneof(fc.string(), fc.integer(), fc.constant(null)),
        lines: fc.array(fc.oneof(fc.string(), fc.integer())),
      });
      const mergedValues = fc
        .tuple(anyValues, suitableValues)
        .map(([any, suitable]) => ({ ...any, ...suitable }));
      return fc.property(fc.oneof(anyValues, mergedValues), (values) => {
        const before = structuredClone(values);
        const first = template.fill(values);
        if (first.issues) return;
        saw("filled");
        const shown = inspect(first.definition, { depth: 9 });
        changeDeeply(first.definition);
        const second = template.fill(values);
        expect(inspect("definition" in second && second.definition, { depth: 9 })).toBe(shown);
        expect(values).toEqual(before);
      });
    },
    { outcomes: ["filled"] },
  );

  property(
    "never appear in messages",
    (saw) => {
      const canary = "qzx71vv";
      const scalar = fc.constantFrom<unknown>(
        canary,
        `${canary}@${canary}`,
        7_130_057,
        -7_130_057,
        true,
        null,
      );
      const value = fc.letrec((tie) => ({
        any: fc.oneof(
          { maxDepth: 3 },
          scalar,
          fc.array(tie("any"), { maxLength: 3 }),
          fc.dictionary(fc.constantFrom("a", "b", "c"), tie("any"), { maxKeys: 3 }),
        ),
      })).any;
      const values = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), value);
      const each = { $each: "d", $show: ["{{this}}", { $each: "a", $show: "{{b}}" }] };
      const content = ["{{a}}{{b.c}}{{c.0.a}}", each];
      return fc.property(anySchema, values, (schema, input) => {
        for (const json of [{ content }, { content, schema }]) {
          const issues = resultOf(() => templateOf(json))?.fill(input).issues ?? [];
          for (const { message, place = "" } of issues) {
            saw("schema" in json ? "a message with a schema" : "a message without a schema");
            expect(message + place).not.toMatch(/qzx71vv|7130057|7_130_057/);
            expect(message).not.toMatch(/undefined|\[object|\n/);
          }
        }
      });
    },
    { outcomes: ["a message with a schema", "a message without a schema"] },
  );
});

/** The result of a function; `undefined` if it throws a `FaultyTemplate` whose lines begin with the file name and the position. */
function resultOf<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    expect(error).toBeInstanceOf(FaultyTemplate);
    expect((error as Error).message).toMatch(/^invoice\.json:\d+:\d+(?:, [^\n]+)?: [^\n]+\.$/);
    return undefined;
  }
}

/** Changes every object and array of a definition, as pdfmake does during layout. */
function changeDeeply(value: unknown): void {
  if (typeof value === "function") changeDeeply((value as (page: number, pages: number) => unknown)(1, 1));
  if (typeof value !== "object" || value === null) return;
  for (const entry of Object.values(value)) changeDeeply(entry);
  Object.assign(value, Array.isArray(value) ? ["scribbled"] : { scribbled: true, text: "scribbled" });
}
