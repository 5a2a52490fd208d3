import { join } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { readSchema, type SchemaOptions } from "../../../src/cli/bulk/data/check-rows.ts";
import { fileOf } from "./read-data.ts";

const options: SchemaOptions = {
  uid: "invoice",
  columns: undefined,
  stdin: Readable.from([]),
  signal: new AbortController().signal,
};

const zodPath = join(import.meta.dirname, "../../../node_modules/zod/index.js");
const importing = `import * as z from ${JSON.stringify(pathToFileURL(zodPath).href)};\n`;
const wantsDate = "z.object({ date: z.string() })";

/** Writes a schema, and returns its issues with the values, each as `<path>: <message>`. */
async function issuesOf(name: string, content: string, values: Record<string, unknown>) {
  const { read } = await readSchema(fileOf(name, content), options);
  return (await read(values)).issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

describe("a JSON Schema", () => {
  const properties = { date: { type: "string", minLength: 4 }, lines: { items: { type: "object" } } };
  const schema = JSON.stringify({ required: ["date"], properties });

  it("checks rows without changing them, and reports the path of each problem", async () => {
    expect(await issuesOf("invoice.json", schema, { date: "2026" })).toEqual([]);
    expect(await issuesOf("invoice.json", schema, { date: "26", lines: [{}, 1] })).toEqual([
      "date: must have at least 4 characters",
      "lines.1: must be an object",
    ]);
    expect((await readSchema(fileOf("invoice.json", schema), options)).template).toBeUndefined();
  });
});

describe("a schema module", () => {
  it.each([
    ["a schema named `schema`", `export const schema = ${wantsDate}; export const other = z.string();`],
    ["a schema named after the template", `export const invoice = ${wantsDate}; export default z.string();`],
    ["a template with a schema", `export default { uid: "invoice", schema: ${wantsDate} };`],
    ["an asynchronous schema", `export default ${wantsDate}.refine(async () => true);`],
  ])("can export %s", async (_title, content) => {
    expect(await issuesOf("schema.mjs", importing + content, { date: "1 May" })).toEqual([]);
    expect(await issuesOf("schema.mjs", importing + content, {})).toEqual([expect.stringMatching(/^date: /)]);
  });

  it("provides a template whose schema transforms the values", async () => {
    const content = `${importing}export default z.object({ total: z.coerce.number() });`;
    const file = fileOf("schema.mjs", content);
    const { template, read } = await readSchema(file, { ...options, columns: ["total"] });
    expect(template).toMatchObject({ uid: "invoice", schema: { "~standard": { vendor: "zod" } } });
    expect(await read({ total: "12" })).toEqual({ values: { total: "12" }, issues: [] });
    expect((await read({ total: "x" })).issues).toMatchObject([{ path: ["total"] }]);
  });

  it("cannot expose a row's values in its issues", async () => {
    const content = `${importing}export default z.object({ a: z.string().refine(() => false, { error: (issue) => "wrong: " + issue.input }) });`;
    const issues = await issuesOf("schema.mjs", content, { a: "tiger-7" });
    expect(issues).toEqual([expect.not.stringContaining("tiger-7")]);
  });
});

const twoSchemas = `${importing}export const a = z.string(); export const b = z.string();`;
const letter = 'export default { uid: "letter", schema: undefined };';

it.each([
  ["JSON", { name: "a.json", content: '{"type":}', message: "FILE:1:9: expected a value." }],
  [
    "a JSON Schema",
    { name: "a.json", content: '{"date":"1 May"}', message: "FILE: this JSON Schema checks nothing." },
  ],
  [
    "a module with a schema",
    { name: "a.mjs", content: "export const size = 3;", message: "FILE: the module exports no schema." },
  ],
  [
    "a module with exactly one schema",
    { name: "a.mjs", content: twoSchemas, message: "FILE: it exports 2 schemas: a, b." },
  ],
  [
    "a module with the requested template",
    { name: "a.mjs", content: letter, message: 'FILE: this is template "letter"' },
  ],
])("`bulk` rejects a schema file that is not %s", async (_title, { name, content, message }) => {
  const file = fileOf(name, content);
  const error = await readSchema(file, options).catch((reason) => reason);
  expect(error).toMatchObject({ name: "Misuse" });
  expect(error.message.replaceAll(file, "FILE").slice(0, message.length)).toBe(message);
});

it("`bulk` reports a schema file that does not exist", async () => {
  const message = expect.stringContaining("Could not read the schema nowhere.json: there is no such file.");
  await expect(readSchema("nowhere.json", options)).rejects.toMatchObject({ name: "Misuse", message });
});
