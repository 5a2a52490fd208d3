import { describe, expect, it } from "vitest";
import {
  columnsOf,
  emptyValue,
  type Kind,
  kindOf,
  resolveSchema,
  type Schema,
} from "../../../src/emulator/playground/page/form-kinds.ts";

const root: Schema & { readonly $defs: unknown } = {
  $defs: {
    line: { required: ["text", "count"], properties: { text: {}, count: { type: "integer" }, note: {} } },
    "a/b": { enum: ["x", "y"] },
    node: { type: "object", required: ["child"], properties: { child: { $ref: "#/$defs/node" } } },
    endless: { $ref: "#/$defs/endless" },
  },
};
const line: Schema = { $ref: "#/$defs/line" };

describe("the playground's form", () => {
  it.each<[Schema, unknown, Kind]>([
    [{ enum: ["a", 1] }, "a", "choice"],
    [{ properties: {} }, undefined, "object"],
    [{}, [1], "list"],
    [{ type: "number" }, "£1", "json"],
    [{ anyOf: [{ type: "null" }, { type: "number" }] }, undefined, "number"],
    [{ oneOf: [line, { type: "string" }] }, "a", "text"],
    [{ oneOf: [{ type: "string" }, line] }, { text: "a" }, "object"],
    [{ $ref: "#/$defs/a~1b" }, "x", "choice"],
    [{ $ref: "#/$defs/endless" }, "x", "text"],
  ])("shows the schema %j with the value %j as a field of type `%s`", (schema, value, kind) => {
    expect(kindOf(resolveSchema(schema, root, value), value)).toBe(kind);
  });

  it.each<[Schema, unknown, unknown]>([
    [line, undefined, { text: "", count: 0 }],
    [{ type: "string", default: "GBP" }, undefined, "GBP"],
    [{ $ref: "#/$defs/a~1b" }, undefined, "x"],
    [{ $ref: "#/$defs/node" }, undefined, { child: { child: { child: { child: { child: {} } } } } }],
    [{}, { name: "Zoë", tags: ["a"], age: 7 }, { name: "", tags: [], age: 0 }],
    [{ required: ["constructor", "toString"], properties: {} }, {}, { constructor: "", toString: "" }],
  ])("creates a new item from the schema %j and the neighboring item %j: %j", (schema, like, value) => {
    expect(emptyValue(schema, root, like)).toEqual(value);
  });

  it.each<[Schema, readonly unknown[], readonly string[] | undefined]>([
    [line, [{ text: "a", count: 1 }], ["text", "count", "note"]],
    [{}, [{ a: 1 }, { b: true }], ["a", "b"]],
    [line, [], undefined],
    [{}, ["text"], undefined],
    [{}, [{ a: 1 }, "text"], undefined],
    [{}, [{ a: 1 }, null], undefined],
    [{}, [{ a: { nested: 1 } }], undefined],
    [{}, [{ a: [1] }], undefined],
    [line, [{ text: "a", count: "many" }], undefined],
    [{}, [{ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7 }], undefined],
  ])(
    "shows items with the schema %j and the values %j as a table with the columns %j",
    (schema, items, columns) => {
      expect(columnsOf(schema, root, items)).toEqual(columns);
    },
  );
});
