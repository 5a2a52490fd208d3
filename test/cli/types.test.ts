import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expandPattern } from "../../src/cli/types/expand-pattern.ts";
import { type Files, folderOf, runTypes, typesOf } from "./types-command.ts";

const a = '{"a":"1"}';
const b = '{"a":"1","b":2}';

describe("the types command", () => {
  it("writes a file that lists its sources", async () => {
    const cwd = folderOf({ "samples/inv_2024.json": a, "samples/inv_2024.2.json": b });
    const { code, stdout, stderr, written } = await runTypes(cwd, "samples");
    expect({ code, stderr, stdout }).toEqual({
      code: 0,
      stderr: "",
      stdout: "pdf-templates.ts: 1 template\n",
    });
    expect(written).toMatchInlineSnapshot(`
      "// Written by \`template-pdf types\`: run that again instead of editing this file.

      import { template } from "template-pdf";

      /** Values of the template \`inv_2024\`, as in samples/inv_2024.2.json and samples/inv_2024.json. */
      export interface Inv2024Values {
        a: string;
        b?: number | undefined;
      }

      /** The type of each template's values, by uid, for \`new TemplatePdf<Templates>()\`. */
      export interface Templates {
        inv_2024: Inv2024Values;
      }

      /** The template \`inv_2024\`: \`client.generate(inv2024, values)\`. */
      export const inv2024 = template<Inv2024Values, "inv_2024">("inv_2024");
      "
    `);
  });

  it("writes the types that the guide shows for the same sample", async () => {
    const guide = readFileSync(new URL("../../docs/guides/typed-templates.md", import.meta.url), "utf8");
    const [, section = ""] = guide.split("## Types from samples\n");
    const blockOf = (language: string) =>
      new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(section)?.[1] ?? "";
    const [, words = ""] = /^npx template-pdf types (.*)\n$/.exec(blockOf("sh")) ?? [];
    const { code, written } = await runTypes(folderOf({ [words]: blockOf("json") }), words);
    expect({ code, written }).toEqual({ code: 0, written: expect.stringContaining(blockOf("ts")) });
  });

  it("writes zod schemas if --zod is set", async () => {
    const schema = "export const invoiceSchema = z.strictObject({\n  a: z.string(),\n});\n";
    expect(await typesOf({ "invoice.json": a }, "invoice.json --zod")).toContain(schema);
  });

  it("writes the same file regardless of file order, working directory and path spelling", async () => {
    const cwd = folderOf({ "samples/invoice.json": b, "samples/letter.ndjson": a, "more/invoice.2.json": a });
    mkdirSync(join(cwd, "out"));
    const words = "../more/invoice.2.json ../samples/letter.ndjson ../samples/invoice.json -o t.ts --check";
    const done = { code: 0, stderr: "" };
    expect(await runTypes(cwd, "samples more -o out/t.ts")).toMatchObject(done);
    expect(await runTypes(join(cwd, "out"), words)).toMatchObject(done);
    const absolute = `${cwd}/more ${cwd}/samples/ -o ${cwd}/out/t.ts --check`;
    expect(await runTypes(folderOf({}), absolute)).toMatchObject(done);
  });

  it.each<[files: Files, words: string, uid: string]>([
    [{ "a.b.json": a, "x/a.json": b }, "a.b.json x/a.json", "a"],
    [{ "s.json": a, "t.json": b }, "inv.2024=s.json inv.2024=t.json inv.2024=./s.json", "inv.2024"],
    [{ "f/a.json": a, "f/b.ndjson": b }, "invoice=f", "invoice"],
    [{ "inv.2024.json": '{"content":["{{a}}"],"sample":{"a":"x"}}' }, "inv.2024.json", "inv.2024"],
    [{ "cafe\u0301.json": a }, "cafe\u0301.json", "caf\u00e9"],
  ])("derives the uid from the files %j and the arguments %j: %s", async (files, words, uid) => {
    const map = /interface Templates \{\n(.*?)\n\}/s.exec(await typesOf(files, words))?.[1] ?? "";
    expect(map.split("\n").map((line) => line.trim().replace(/^"|"?: \S+;$/g, ""))).toEqual([uid]);
  });

  const onlyA = "{ a: string; }";
  const both = "{ a: string; b?: number | undefined; }";
  const schema = '"type":"object","properties":{"a":{"type":"string"}},"required":["a"]';
  it.each<[file: string, content: string, type?: string]>([
    ["json", a],
    ["json", `[${a},${b}]`, both],
    ["ndjson", `${a}\n${b}`, both],
    ["jsonl", `\ufeff${a}\r\n \t\r\n\r\n${a}\r\n`],
    ["schema.json", '{"properties":{"a":{"type":"string"}},"required":["a"]}'],
    ["json", `{"$schema":"http://json-schema.org/draft-07/schema#","allOf":[{${schema}}]}`],
    ["json", '{"properties":{"a":1},"required":[1]}', "{ properties: { a: number; }; required: number[]; }"],
    ["json", '{"$schema":"./x.json","a":"1"}', "{ $schema: string; a: string; }"],
    [
      "json",
      `{"content":[],"schema":{${schema}},"sample":{"b":1}}`,
      "{ a: string; b?: number | undefined; }",
    ],
    ["mjs", "export const sample = { a: new Date(0), b: undefined }; export default () => ({});"],
  ])("detects a file's type from its content: invoice.%s with %s", async (ending, content, type = onlyA) => {
    const text = await typesOf({ [`invoice.${ending}`]: content }, `invoice.${ending}`);
    const [, body = ""] = /^export interface InvoiceValues (\{\n(?:.*\n)*?\})/m.exec(text) ?? [];
    expect(body.replace(/\s+/g, " ")).toBe(type);
  });

  it("reads a module's zod schema", async () => {
    const zod = JSON.stringify(join(import.meta.dirname, "../../node_modules/zod/index.js"));
    const schema = "z.object({ a: z.string(), b: z.number().default(1) })";
    const code = `import * as z from ${zod}; export const schema = ${schema};`;
    const types = await typesOf({ "invoice.mjs": code }, "invoice.mjs");
    expect(types).toContain("  a: string;\n  b?: number | undefined;\n");
  });

  it("uses a module's sample if the module's schema cannot be converted to JSON Schema", async () => {
    const schema = '{ "~standard": { version: 1, vendor: "mine", validate() {} } }';
    const code = `export const schema = ${schema}; export const sample = ${a};`;
    const { stderr, written } = await runTypes(folderOf({ "invoice.mjs": code }), "invoice.mjs");
    expect(stderr).toMatch(/^template-pdf: warning: invoice\.mjs: .* its sample is used instead\.\n$/);
    expect(written).toContain("  a: string;\n}");
  });

  const unrelated = '{"a":1}\n{"a":1,"b":1}\n{}\n{"c":1}';
  it.each<[line: string, files: Files]>([
    ["i.json: this file was read as a sample.", { "i.json": '{"type":"object"}' }],
    ["i: samples disagree at x.y: text, an array.", { "i.ndjson": '{"x":{"y":"text"}}\n{"x":{"y":[1]}}' }],
    ["i: the samples i.ndjson:1:1 and i.ndjson:4:1 share no properties.", { "i.ndjson": unrelated }],
  ])("prints a one-line warning: %j", async (line, files) => {
    const { code, stderr } = await runTypes(folderOf(files), ".");
    expect({ code, firstLineLength: stderr.indexOf("\n") }).toEqual({
      code: 0,
      firstLineLength: stderr.length - 1,
    });
    expect(stderr).toContain(`template-pdf: warning: ${line}`);
  });
});

it("types --zod writes `__proto__` as a property, and warns that zod ignores it", async () => {
  const cwd = folderOf({ "i.json": '{"a":{"__proto__":"x"}}', "j.json": '{"b":1}' });
  const { code, stderr, written } = await runTypes(cwd, ". --zod");
  expect(code).toBe(0);
  expect(stderr).toBe(
    "template-pdf: warning: i: zod ignores the property __proto__, so it is neither checked nor sent. Rename it in the template.\n",
  );
  expect(written).toContain('["__proto__"]: z.string(),');
  expect((await runTypes(cwd, ". --force")).stderr).toBe("");
});

describe("the types command with incomplete or ambiguous files", () => {
  it("derives a template's types from its placeholders if it has no schema or sample", async () => {
    const letter = '{"content":["Dear {{customer.name}}, {{total | currency GBP}}"]}';
    const { code, stderr, written } = await runTypes(folderOf({ "letter.json": letter }), ".");
    expect(code).toBe(0);
    expect(stderr).toMatch(/: warning: letter\.json: this template has neither a schema nor a sample,.*\n$/);
    expect(written).toMatch(/customer: \{\n {4}name: string;\n {2}\};\n {2}total: number;/);
  });

  it.each<[Files, string | undefined]>([
    [{ "s/i_1.json": a, "s/i_02.ndjson": a, "s/b.json": a }, "i=s/i_02.ndjson i=s/i_1.json"],
    [{ "s/i-1.json": a, "s/letter-1.json": a, "s/i_2024.json": a, "s/i_2025.json": a }, undefined],
  ])("checks whether numbered files could be samples of one template: %j", async (files, words) => {
    const { code, stderr } = await runTypes(folderOf(files), "s");
    expect(code).toBe(0);
    if (words === undefined) return expect(stderr).toBe("");
    const question = `are treated as separate templates. If they are samples of one template, write ${words}\n`;
    expect(stderr.endsWith(question), stderr).toBe(true);
    expect((await runTypes(folderOf(files), words)).stdout).toMatch(/: 1 template\n/);
  });

  const strict = '{\n  "compilerOptions": {\n    "verbatimModuleSyntax": true,\n  }\n}';
  const refused = expect.stringContaining("warning: TypeScript will reject pdf-templates.ts:");
  it.each([
    [{ "package.json": "{}", "tsconfig.json": strict }, "a.json", refused],
    [{ "package.json": "{}", "tsconfig.json": strict }, "a.json -o types.mts", ""],
    [{ "package.json": '{ "type": "module" }', "tsconfig.json": strict }, "a.json", ""],
  ])("checks whether TypeScript would reject the output: %j, types %s", async (files, words, stderr) => {
    const ending = await runTypes(folderOf({ "a.json": a, ...files }), words);
    expect(ending).toMatchObject({ code: 0, stderr });
  });
});

it("the types command reads only the samples and templates in a folder", async () => {
  const cwd = folderOf({
    "f/invoice.json": a,
    "f/letter.ndjson": a,
    "f/receipt.mjs": "export const sample = { a: 1 };\nexport { sample as default };",
    "f/script.mjs": "process.exit(3);",
    "f/vitest.config.ts": "export default process.exit(3);",
    "f/package.json": "{}",
    "f/.hidden.json": "nonsense",
    "f/inner/other.json": "nonsense",
  });
  const first = await runTypes(cwd, "f -o f/pdf-templates.ts");
  expect(first).toMatchObject({ code: 0, stderr: "", stdout: "f/pdf-templates.ts: 3 templates\n" });
  expect(await runTypes(join(cwd, "f"), ". --check")).toMatchObject({ code: 0, stderr: "" });
});

describe("a pattern that the shell did not expand", () => {
  it("is expanded by the types command, even after `uid=`", async () => {
    const samples = { "s/order.1.json": a, "s/order.2.json": a };
    const files = { ...samples, "s/.order.json": "no JSON", "s/letter.json": "[]" };
    expect(await typesOf(files, "order=s/*.?.json")).toContain('template<OrderValues, "order">("order")');
  });

  const files = ["ab.json", "abc.json", "b.json", ".b.json", "é.b.json", "C.JSON", `${"a".repeat(200)}.txt`];
  it.each([
    ["a*n", "linux", ["ab.json", "abc.json"]],
    ["**b.j*n", "linux", ["ab.json", "b.json", "é.b.json"]],
    ["a.+json*", "linux", ["a.+json*"]],
    ["c*", "linux", ["c*"]],
    ["c*", "win32", ["C.JSON"]],
    [`${"*a".repeat(60)}*b`, "linux", [`${"*a".repeat(60)}*b`]],
  ])("matches the same names as in a shell: %s on %s", async (pattern, platform, names) => {
    const folder = folderOf(Object.fromEntries(files.map((name) => [name, ""])));
    const found = names.map((name) => join(folder, name));
    expect(await expandPattern(join(folder, pattern), platform)).toEqual(found);
  });
});
