import { expect, it } from "vitest";
import { shapeOfSchema } from "../../src/template-types/json-schema/shape-of-schema.ts";
import { writeTypes } from "../../src/template-types/write-types.ts";
import { errorsIn } from "./support/compile.ts";

const text = { type: "string" };
const to = (name: string) => ({ $ref: `#/$defs/${name}` });
const mapOf = (values: unknown) => ({ type: "object", additionalProperties: values });
const listOf = (items: unknown) => ({ type: "array", items });
const chain = (name: string) => ({ [`${name}1`]: to(`${name}2`), [`${name}2`]: to(`${name}3`) });

/** Definitions by title, in which a value leads back to its own type. */
const recursive: Readonly<Record<string, object>> = {
  map: { a: mapOf(to("a")) },
  "map or text": { a: { anyOf: [text, mapOf(to("a"))] } },
  "any JSON value": {
    a: { anyOf: [{ type: ["string", "number", "boolean", "null"] }, listOf(to("a")), mapOf(to("a"))] },
  },
  "map of lists": { a: mapOf(listOf(to("a"))) },
  "map of maps": { a: mapOf(mapOf(mapOf(to("a")))) },
  "map of tuples": { a: mapOf({ type: "array", prefixItems: [text, to("a")], minItems: 2, items: to("a") }) },
  "map of unions": { a: mapOf({ anyOf: [text, listOf(mapOf(to("a"))), to("a")] }) },
  "list of maps": { a: listOf(mapOf(to("a"))) },
  "tuple of maps": { a: { type: "array", prefixItems: [mapOf(to("a"))] } },
  "two maps": { a: mapOf(to("b")), b: mapOf(to("a")) },
  "map and list": { a: mapOf(to("b")), b: { anyOf: [listOf(to("a")), text] } },
  "three definitions": {
    a: mapOf(to("b")),
    b: listOf(to("c")),
    c: { anyOf: [to("d"), text] },
    d: mapOf(to("a")),
  },
  "chain of references": {
    a: mapOf(to("x1")),
    ...chain("x"),
    x3: { anyOf: [to("y1"), text] },
    ...chain("y"),
    y3: mapOf(to("a")),
  },
  "map with properties": { a: { type: "object", properties: { b: to("a") }, additionalProperties: to("a") } },
  "map with patterns": { a: { type: "object", patternProperties: { "^x": to("a") } } },
  "map with all parts": { a: { allOf: [mapOf(to("a")), { type: "object", properties: { b: text } }] } },
};

it("recursive maps, lists and references compile under every strict flag, with and without zod schemas", {
  timeout: 60_000,
}, () => {
  const templates = Object.entries(recursive).map(([title, $defs]) => {
    const schema = { type: "object", properties: { x: to("a") }, additionalProperties: to("a"), $defs };
    return { uid: title, ...shapeOfSchema(schema, "a.schema.json"), sources: [] };
  });
  const root = { type: "object", additionalProperties: { $ref: "#" } };
  templates.push({ uid: "root", ...shapeOfSchema(root, "a.schema.json"), sources: [] });
  const written = writeTypes(templates, { zod: true });
  const files = {
    "plain/types.ts": writeTypes(templates, { zod: false }),
    "zod-3/types.ts": written,
    "zod-4/types.ts": written,
  };
  expect(errorsIn(files)).toEqual([]);
});

it("definitions that are named like keywords, or like names in the generated file, compile", {
  timeout: 60_000,
}, () => {
  const names = [
    "class",
    "default",
    "string",
    "unknown",
    "Record",
    "Schema",
    "z",
    "template",
    "values",
    "1",
    "a b",
    "日本",
    "",
  ];
  const to = (name: string) => ({ $ref: `#/$defs/${encodeURIComponent(name)}` });
  const definitionOf = (name: string) => ({ type: "object", properties: { next: to(name) } });
  const properties = Object.fromEntries(names.map((name) => [name, to(name)]));
  const $defs = Object.fromEntries(names.map((name) => [name, definitionOf(name)]));
  const shape = shapeOfSchema({ type: "object", properties, $defs }, "a.schema.json");
  expect(shape.definitions.size).toBe(names.length);
  const [plain, zod] = [false, true].map((zod) => writeTypes([{ uid: "t", ...shape, sources: [] }], { zod }));
  expect(errorsIn({ "plain/t.ts": plain ?? "", "zod-3/t.ts": zod ?? "", "zod-4/t.ts": zod ?? "" })).toEqual(
    [],
  );
});

it("a map that leads back is written with an index signature, and another map with `Record`", () => {
  const schema = { type: "object", properties: { a: to("a"), b: mapOf(text) }, $defs: recursive["map"] };
  const written = writeTypes([{ uid: "t", ...shapeOfSchema(schema, "a.schema.json"), sources: [] }], {
    zod: false,
  });
  expect(written).toContain("export type TA = {\n  [name: string]: TA;\n};\n");
  expect(written).toContain("  b?: Record<string, string> | undefined;\n");
});
