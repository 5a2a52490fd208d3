import { describe, expect, it } from "vitest";
import { shapeOfSchema } from "../../../../src/cli/template-types/json-schema/shape-of-schema.ts";
import { told, typeOf } from "./told.ts";

const card = { properties: { kind: { const: "card" }, number: { type: "string" } }, required: ["kind"] };

describe("references", () => {
  it.each<[title: string, reference: string, definitions: object]>([
    ["into $defs", "#/$defs/text", { $defs: { text: { type: "string" } } }],
    ["into definitions", "#/definitions/text", { definitions: { text: { type: "string" } } }],
    ["to odd names", "#/$defs/a~1b~0%20%22", { $defs: { 'a/b~ "': { type: "string" } } }],
    ["to names that look escaped", "#/$defs/a~01b", { $defs: { "a~1b": { type: "string" } } }],
    [
      "to where no keyword leads, and on within what is bundled",
      "https://x.test/all#/components/schemas/a",
      {
        $defs: {
          all: {
            $id: "https://x.test/all",
            components: { schemas: { a: { $ref: "#/components/schemas/b" }, b: { type: "string" } } },
          },
        },
      },
    ],
    ["by $anchor", "#text", { $defs: { a: { $anchor: "text", type: "string" } } }],
    ["by the anchor of draft 7", "#text", { definitions: { a: { $id: "#text", type: "string" } } }],
    [
      "by the $id of what is bundled",
      "https://x.test/text",
      { $defs: { a: { $id: "https://x.test/text", type: "string" } } },
    ],
    [
      "relative to the $id of all",
      "text.json#/$defs/t",
      { $id: "https://x.test/a/b", $defs: { a: { $id: "text.json", $defs: { t: { type: "string" } } } } },
    ],
    ["by the name of the file", "a.schema.json#/$defs/text", { $defs: { text: { type: "string" } } }],
    ["to what refers on", "#/$defs/a", { $defs: { a: { $ref: "#/$defs/b" }, b: { type: "string" } } }],
  ])("lead %s", (_title, $ref, definitions) => {
    expect(typeOf({ $ref }, definitions)).toBe("string");
  });

  it("hand on what the author says, unless something is said where they stand", () => {
    const schema = {
      type: "object",
      properties: { a: { $ref: "#/$defs/t" }, b: { $ref: "#/$defs/t", description: "of b" } },
      $defs: { t: { type: "string", description: "of t" } },
    };
    expect(told(schema)).toEqual(["{ /* of t */ a?: string; /* of b */ b?: string }"]);
  });

  it("are kept, with a name, where a schema is defined in terms of itself", () => {
    const node = {
      type: "object",
      properties: { next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } },
    };
    expect(told({ type: "object", properties: { list: { $ref: "#/$defs/node" } }, $defs: { node } })).toEqual(
      ["{ list?: →node }", "node = { next?: →node | null }"],
    );
  });

  it("to the whole schema are kept, too", () => {
    const schema = {
      title: "Part",
      type: "object",
      properties: { parts: { type: "array", items: { $ref: "#" } } },
    };
    expect(told(schema)).toEqual(["{ parts?: Array<→Part> }", "Part = { parts?: Array<→Part> }"]);
  });

  it.each<[title: string, schema: object, name: string]>([
    ["itself", { title: "Part", properties: { parts: { items: { $ref: "#" } } } }, "Part"],
    [
      "one of its definitions",
      {
        $ref: "#/$defs/part",
        $defs: { part: { properties: { parts: { items: { $ref: "#/$defs/part" } } } } },
      },
      "part",
    ],
    [
      "several objects",
      {
        title: "Part",
        oneOf: [card, { properties: { parts: { items: { $ref: "#" } } }, required: ["parts"] }],
      },
      "Part",
    ],
  ])("to the whole schema stand for the very values: %s", (_title, schema, name) => {
    const { shape, definitions } = shapeOfSchema(schema, "a.schema.json");
    expect(definitions.get(name)).toBe(shape);
  });

  it("to the whole schema stand for more than the values where it takes more than objects", () => {
    const schema = { title: "Part", type: ["object", "null"], properties: { next: { $ref: "#" } } };
    expect(told(schema)).toEqual(["{ next?: →Part }", "Part = { next?: →Part } | null"]);
  });

  it("to the whole schema do not say of a member what is said of the values", () => {
    const schema = { description: "A bill.", properties: { next: { $ref: "#" } } };
    expect(told(schema)[0]).toBe("{ next?: →self }");
  });

  it("go through two that need each other", () => {
    const a = { type: "object", properties: { b: { $ref: "#/$defs/b" } } };
    const b = { type: "object", properties: { a: { $ref: "#/$defs/a" } } };
    expect(told({ $ref: "#/$defs/a", $defs: { a, b } })).toEqual([
      "{ b?: { a?: →a } }",
      "a = { b?: { a?: →a } }",
    ]);
  });

  it("beside other keywords: both hold, as far as that can be written", () => {
    const node = {
      type: "object",
      properties: { next: { $ref: "#/$defs/node", properties: { last: { const: true } } } },
    };
    const schema = {
      type: "object",
      properties: { first: { $ref: "#/$defs/node", required: ["next"] } },
      $defs: { node },
    };
    expect(told(schema)).toEqual(["{ first?: { next: →node } }", "node = { next?: →node }"]);
  });

  it("to definitions that double at every step do not double what is written", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => {
        const next = index === 59 ? { type: "string" } : { $ref: `#/$defs/d${index + 1}` };
        return [`d${index}`, { type: "object", properties: { left: next, right: next } }];
      }),
    );
    const lines = told({ $ref: "#/$defs/d0", $defs });
    expect(lines.join("").length).toBeLessThan(100_000);
  });

  it("to alternatives that multiply end", () => {
    const either = { anyOf: Array.from({ length: 5 }, (_, index) => ({ required: [`m${index}`] })) };
    const schema = { type: "object", allOf: Array.from({ length: 30 }, () => either) };
    expect(told(schema).join("").length).toBeLessThan(1_000_000);
  });
});
