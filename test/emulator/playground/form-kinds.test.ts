import { describe, expect, it } from "vitest";
import {
  emptyValue,
  type Kind,
  kindOf,
  resolveSchema,
  type Schema,
} from "../../../src/emulator/playground/page/form-kinds.ts";

const root: Schema & { readonly $defs: unknown } = {
  $defs: {
    line: {
      type: "object",
      required: ["text", "count"],
      properties: { text: { type: "string" }, count: { type: "integer" }, note: {} },
    },
    "a/b": { enum: ["x", "y"] },
    node: { type: "object", required: ["child"], properties: { child: { $ref: "#/$defs/node" } } },
    endless: { $ref: "#/$defs/endless" },
  },
};
const line: Schema = { $ref: "#/$defs/line" };

describe("the form of values", () => {
  it.each<[Schema, unknown, Kind]>([
    [{ type: "string" }, "a", "text"],
    [{ type: ["string", "null"] }, null, "text"],
    [{ type: "integer" }, 7, "number"],
    [{ type: "boolean" }, undefined, "boolean"],
    [{ enum: ["a", 1] }, "a", "choice"],
    [{ const: "a" }, "a", "choice"],
    [{ items: {} }, undefined, "list"],
    [{ properties: {} }, undefined, "object"],
    [{}, [1], "list"],
    [{}, { a: 1 }, "object"],
    [{}, undefined, "text"],
    [{ type: ["string", "number"] }, [], "list"],
    [{ type: "number" }, "£1", "json"],
    [{ anyOf: [{ type: "null" }, { type: "number" }] }, undefined, "number"],
    [{ oneOf: [line, { type: "string" }] }, "a", "text"],
    [{ oneOf: [{ type: "string" }, line] }, { text: "a" }, "object"],
    [{ allOf: [{ type: "number" }] }, undefined, "number"],
    [{ $ref: "#/$defs/a~1b" }, "x", "choice"],
    [{ $ref: "#/$defs/endless" }, "x", "text"],
    [{ $ref: "https://example.com/other.json" }, true, "boolean"],
  ])("for the schema %j edits the value %j as %s", (schema, value, kind) => {
    expect(kindOf(resolveSchema(schema, root, value), value)).toBe(kind);
  });

  it.each<[Schema, unknown, unknown]>([
    [line, undefined, { text: "", count: 0 }],
    [{ type: "array", items: line }, undefined, []],
    [{ type: "boolean" }, undefined, false],
    [{ type: "string", default: "GBP" }, undefined, "GBP"],
    [{ $ref: "#/$defs/a~1b" }, undefined, "x"],
    [{ const: 7 }, undefined, 7],
    [{ $ref: "#/$defs/node" }, undefined, { child: { child: { child: { child: { child: {} } } } } }],
    [{}, { name: "Zoë", tags: ["a"], age: 7 }, { name: "", tags: [], age: 0 }],
    [{}, undefined, ""],
  ])("for the schema %j and the neighbouring item %j starts with the value %j", (schema, like, value) => {
    expect(emptyValue(schema, root, like)).toEqual(value);
  });
});
