import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect } from "vitest";
import { parseJsonTemplate } from "../../../../src/emulator/renderer/json/json-template.ts";
import { TemplateMistake } from "../../../../src/emulator/renderer/template.ts";
import { orLongRun, property } from "../../../support/fuzz.ts";
import { contentOf, templateOf } from "./json-filling.ts";

const anyText = orLongRun(fc.string({ unit: "binary", maxLength: 40 }));
const anyValues = fc.dictionary(
  fc.oneof(fc.constantFrom("a", "b", "lines", "0", "__proto__", "constructor", "toString"), anyText),
  fc.jsonValue({ stringUnit: "binary" }),
);

/** The content of a template, valid or not. */
const anyTemplate = fc.letrec<{ element: unknown }>((tie) => {
  const texts = fc.constantFrom(
    ...["{{", "}}", "\\", "a", ".", "lines", "?", " ", "0"],
    ...["@page", "@number", "this", "../", "{{a}}"],
  );
  const text = fc.array(texts, { maxLength: 6 }).map((parts) => parts.join(""));
  const path = fc.constantFrom<unknown>("a", "lines", "this", "../a", "a.b", "", "{{a}}", 1);
  const directive = fc.record(
    { $each: path, $if: path, $show: tie("element"), $else: tie("element"), $x: tie("element") },
    { requiredKeys: [] },
  );
  const member = fc.constantFrom(
    ...["text", "table", "body", "layout", "hLineWidth", "svg", "header", "section", "__proto__"],
  );
  return {
    element: fc.oneof(
      { maxDepth: 5, depthSize: "small" },
      text,
      fc.constantFrom<unknown>(null, 1, true),
      fc.array(tie("element"), { maxLength: 3 }),
      directive,
      fc.dictionary(member, tie("element"), { maxKeys: 3 }),
    ),
  };
}).element;

/** JSON Schemas, valid or not. */
const anySchema = fc.letrec<{ schema: unknown }>((tie) => {
  const simple = ["type", "required", "enum", "const", "pattern", "format", "minLength", "maximum"];
  const refs = ["#", "#/$defs/a", "#/properties/a", "#a", "b.json", "%", "#/%"];
  const texts = ["string", "object", "array", "^a", "a"];
  const constants = fc.constantFrom<unknown>(...texts, ["a"], [1, "a"], 1, 0, true, null);
  const list = fc.array(tie("schema"), { maxLength: 2 });
  const names = fc.constantFrom("a", "b", "lines", "__proto__", "x/y~ %");
  const map = fc.dictionary(names, tie("schema"), { maxKeys: 2 });
  const one = (names: readonly string[], value: fc.Arbitrary<unknown>) =>
    fc.tuple(fc.constantFrom(...names), value);
  const member = fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    one([...simple, "uniqueItems"], constants),
    one(["$ref", "$id", "$anchor"], fc.constantFrom(...refs)),
    one(["allOf", "anyOf", "oneOf", "prefixItems"], list),
    one(["properties", "patternProperties", "$defs", "dependentSchemas", "dependencies"], map),
    one(["items", "contains", "not", "if", "then", "else", "additionalProperties"], tie("schema")),
    one(["propertyNames", "unevaluatedProperties", "unevaluatedItems"], tie("schema")),
  );
  return {
    schema: fc.oneof(
      { maxDepth: 6, depthSize: "small" },
      fc.boolean(),
      fc.array(member, { maxLength: 4 }).map((members) => Object.fromEntries(members) as unknown),
    ),
  };
}).schema;

describe("arbitrary values", () => {
  property("appear in the definition unchanged if they are texts", () =>
    fc.property(anyText, anyText, (one, other) => {
      const content = ["<{{a}}|{{b}}>", { $each: "list", $show: [{ text: "{{this}}" }, "{{../a}}"] }];
      expect(contentOf(content, { a: one, b: other, list: [other, one] })).toEqual([
        `<${one}|${other}>`,
        [{ text: other }, one],
        [{ text: one }, one],
      ]);
    }),
  );

  property("cannot add markup to an SVG", () =>
    fc.property(anyText, (text) => {
      const { svg } = contentOf({ svg: "{{a}}" }, { a: text }) as { svg: string };
      expect(svg).not.toMatch(/[<>"']/);
      expect(svg.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))).toBe(text);
    }),
  );

  property("stay unchanged, as the template does, even if pdfmake changes the definition", () => {
    const each = { $each: "lines", $show: { text: ["{{this}}"] } };
    const template = templateOf({
      content: [{ text: "{{a?}}" }, each, { $if: "b", $show: [[]] }],
      header: { columns: [{ text: "{{@page}}" }] },
      info: {},
    });
    return fc.property(anyValues, (values) => {
      const before = structuredClone(values);
      const first = template.fill(deepFreeze(values));
      if (first.issues) return;
      const shown = inspect(first.definition, { depth: 9 });
      changeDeeply(first.definition);
      const second = template.fill(values);
      expect(inspect("definition" in second && second.definition, { depth: 9 })).toBe(shown);
      expect(values).toEqual(before);
    });
  });

  property("cannot change prototypes by the names of their properties", () => {
    const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"];
    const path = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 });
    return fc.property(path, anyText, (keys, text) => {
      const shown = JSON.stringify(text);
      const values = JSON.parse(keys.reduceRight((inner, key) => `{"${key}":${inner}}`, shown));
      const template = parseJsonTemplate(`{"content":{"__proto__":"{{${keys.join(".")}}}"}}`, "t.json");
      const definition = JSON.parse(`{"content":{"__proto__":${shown}}}`);
      expect(template.fill(values)).toEqual({ definition });
      expect(Object.getPrototypeOf(template.sample)).toBe(Object.prototype);
      expect(template.fill(template.sample).issues).toBeUndefined();
      expect(Object.keys(Object.prototype)).toEqual([]);
    });
  });

  property("never appear in messages", () => {
    const canary = "qzx71vv";
    const scalar = fc.constantFrom<unknown>(canary, `${canary}@${canary}`, 7_130_057, -7_130_057, true, null);
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
          expect(message + place).not.toMatch(/qzx71vv|7130057|7_130_057/);
          expect(message).not.toMatch(/undefined|\[object|\n/);
        }
      }
    });
  });
});

describe("an arbitrary template", () => {
  const isExpectedMessage = (message: string) => /^t\.json(?:, [^\n]+)?: [^\n]+\.$/.test(message);

  /** Fills a template; `undefined` if the values are rejected, or the template in one line that starts with the file name. */
  const filledOf = (json: object, values: Record<string, unknown>) => {
    const filled = resultOf(() => parseJsonTemplate(JSON.stringify(json), "t.json"), isExpectedMessage)?.fill(
      values,
    );
    if (filled?.issues) expect(filled.issues.length).toBeGreaterThan(0);
    return filled && "definition" in filled ? filled.definition : undefined;
  };

  property("is filled, or rejected in one line that starts with the file name", () =>
    fc.property(anyTemplate, anyValues, (content, values) => {
      const definition = filledOf({ content, footer: content }, values);
      if (definition) expect(definition).toHaveProperty("content");
    }),
  );

  property(
    "has a schema that checks all values, or is rejected in one line that starts with the file name",
    () =>
      fc.property(anySchema, anyValues, (schema, values) => {
        expect([undefined, { content: "" }]).toContainEqual(filledOf({ content: "", schema }, values));
      }),
  );

  property("accepts the sample that is generated for it", () => {
    // Each name is used for one kind of value only, because no sample fits a contradictory template.
    const text = fc.constantFrom("{{t1}}", "{{t2?}} {{o1.t3}}", "{{o1.o2.t4}}", "{{a1.1.t5}}", "{{o3.2024}}");
    const inside = fc.constantFrom("{{t6}}", "{{@number}}", "{{t7.t8}}");
    const element = fc.oneof(
      text,
      inside.map((show) => [
        { $each: "l1", $show: [show] },
        { $each: "o1.l2", $show: { $if: "t9", $show: show } },
      ]),
      fc.record({ $if: fc.constantFrom("t1", "b1", "l1", "o1.b2"), $show: text, $else: text }),
      fc.constant([{ $each: "l3", $show: { $each: "this", $show: "{{this}}{{../../t1}}" } }]),
    );
    return fc.property(fc.array(element, { maxLength: 8 }), (content) => {
      const template = templateOf({ content });
      expect(template.fill(template.sample).issues).toBeUndefined();
    });
  });
});

/** The result of a function; `undefined` if it throws a `TemplateMistake` with an expected message. */
function resultOf<T>(make: () => T, isExpected: (message: string) => boolean = () => true): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof TemplateMistake && isExpected(error.message)) return undefined;
    throw error;
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const member of Object.values(value)) deepFreeze(member);
    Object.freeze(value);
  }
  return value;
}

/** Changes every object and array of a definition, as pdfmake does during layout. */
function changeDeeply(value: unknown): void {
  if (typeof value === "function") changeDeeply((value as (page: number, pages: number) => unknown)(1, 1));
  if (typeof value !== "object" || value === null) return;
  for (const member of Object.values(value)) changeDeeply(member);
  Object.assign(value, Array.isArray(value) ? ["scribbled"] : { scribbled: true, text: "scribbled" });
}
