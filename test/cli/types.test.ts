import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hasPipeFiles } from "../support/platform.ts";
import { runCommand } from "./command.ts";
import { folderOf, runTypes, typesOf } from "./types-command.ts";

const a = '{"a":"1"}';
const b = '{"a":"1","b":2}';

/** The map that is written, member by member, and the interfaces with their members. */
async function outline(files: Readonly<Record<string, string>>, words: string): Promise<string[]> {
  const text = await typesOf(files, words);
  return [...text.matchAll(/^export interface (\w+) (\{\}|\{\n(?:.*\n)*?\})/gm)].map(
    ([, name, body = ""]) => `${name} ${body.replace(/\s+/g, " ")}`,
  );
}

describe("types", () => {
  it("writes a file that says what it is, names its sources, and is told of", async () => {
    const cwd = folderOf({ "samples/inv_2024.json": a, "samples/inv_2024.2.json": b });
    const { code, stdout, stderr } = await runCommand(["types", "samples"], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.toString()).toBe("pdf-templates.ts: 1 template\n");
    const written = readFileSync(join(cwd, "pdf-templates.ts"), "utf8");
    expect(written).toMatchInlineSnapshot(`
      "// Written by \`template-pdf types\`: run that again instead of editing this file.

      import { template } from "template-pdf";

      /** Values of the template \`inv_2024\`, as in samples/inv_2024.2.json and samples/inv_2024.json. */
      export interface Inv2024Values {
        a: string;
        b?: number | undefined;
      }

      /** The values of each template by its uid, for \`new TemplatePdf<Templates>()\`. */
      export interface Templates {
        inv_2024: Inv2024Values;
      }

      /** The template \`inv_2024\`: \`client.generate(inv2024, values)\`. */
      export const inv2024 = template<Inv2024Values, "inv_2024">("inv_2024");
      "
    `);
  });

  it("writes zod schemas, too, where asked", async () => {
    expect(await typesOf({ "invoice.json": a }, "invoice.json --zod")).toContain(
      "export const invoiceSchema = z.strictObject({\n  a: z.string(),\n});\n",
    );
  });

  it("writes one text, whatever the order of files, from whatever folder, by whatever path", async () => {
    const files = { "samples/invoice.json": b, "samples/letter.ndjson": a, "more/invoice.2.json": a };
    const cwd = folderOf(files);
    mkdirSync(join(cwd, "out"));
    const { code, stderr } = await runTypes(cwd, "samples more -o out/t.ts");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const inside = "../more/invoice.2.json ../samples/letter.ndjson ../samples/invoice.json -o t.ts --check";
    expect(await runTypes(join(cwd, "out"), inside)).toMatchObject({ code: 0, stderr: "" });
    const absolute = `${join(cwd, "more")} ${join(cwd, "samples")}/ -o ${join(cwd, "out/t.ts")} --check`;
    expect(await runTypes(folderOf({}), absolute)).toMatchObject({ code: 0, stderr: "" });
  });

  it("takes a file that is named twice for one", async () => {
    const kinds = '[{"k":"a","x":1},{"k":"b","y":1}]';
    const once = await typesOf({ "invoice.json": kinds }, "invoice.json");
    expect(await typesOf({ "invoice.json": kinds }, "invoice.json ./invoice.json .")).toBe(once);
  });
});

describe("the uid of a template is", () => {
  it.each<[title: string, files: Readonly<Record<string, string>>, words: string, uids: string[]]>([
    [
      "the name of the file up to its first dot",
      { "a.b.json": a, "x/a.json": b },
      "a.b.json x/a.json",
      ["a"],
    ],
    [
      "what stands before the =",
      { "s.json": a, "t.json": b },
      "inv.2024=s.json inv.2024=t.json",
      ["inv.2024"],
    ],
    [
      "one character where a shell takes accents before the = apart",
      { "s.json": a },
      "cafe\u0301=s.json",
      ["caf\u00e9"],
    ],
    ["what stands before the = of a folder", { "f/a.json": a, "f/b.ndjson": b }, "invoice=f", ["invoice"]],
    ["not taken from a name that holds a =", { "a=b.json": a }, "a=b.json", ["a=b"]],
    [
      "the whole name of a template",
      { "inv.2024.json": '{"content":["{{a}}"],"sample":{"a":"x"}}' },
      "inv.2024.json",
      ["inv.2024"],
    ],
    [
      "one character where a file system takes accents apart",
      { "cafe\u0301.json": a },
      "cafe\u0301.json",
      ["caf\u00e9"],
    ],
  ])("%s", async (_title, files, words, uids) => {
    const text = await typesOf(files, words);
    const map = /interface Templates \{\n(.*?)\n\}/s.exec(text)?.[1] ?? "";
    expect(map.split("\n").map((line) => line.trim().replace(/^"|"?: \S+;$/g, ""))).toEqual(uids);
  });
});

describe("a file is read by what it holds:", () => {
  const text = "InvoiceValues { a: string; }";
  const schema = '"type":"object","properties":{"a":{"type":"string"}},"required":["a"]';
  it.each<[title: string, file: string, content: string, type?: string]>([
    ["a sample", "invoice.json", a],
    [
      "an array of samples",
      "invoice.json",
      `[${a},${b}]`,
      "InvoiceValues { a: string; b?: number | undefined; }",
    ],
    [
      "a sample on each line",
      "invoice.ndjson",
      `${a}\n${b}`,
      "InvoiceValues { a: string; b?: number | undefined; }",
    ],
    [
      "lines with blank ones, CRLF and a byte order mark",
      "invoice.jsonl",
      `\ufeff${a}\r\n \t\r\n\r\n${a}\r\n`,
    ],
    [
      "a JSON Schema by its name",
      "invoice.schema.json",
      `{"properties":{"a":{"type":"string"}},"required":["a"]}`,
    ],
    [
      "a JSON Schema by its $schema",
      "invoice.json",
      `{"$schema":"http://json-schema.org/draft-07/schema#","allOf":[{${schema}}]}`,
    ],
    ["a JSON Schema by its form", "invoice.json", `{${schema}}`],
    [
      "a JSON Schema of an object or null",
      "invoice.json",
      `{${schema.replace('"object"', '["object","null"]')}}`,
    ],
    [
      "a JSON Schema by its $ref and definitions",
      "invoice.json",
      `{"$ref":"#/definitions/x","definitions":{"x":{${schema}}}}`,
    ],
    [
      "a JSON Schema by its properties and $defs",
      "invoice.json",
      '{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}}}',
      "InvoiceValues { a?: string | undefined; }",
    ],
    [
      "a sample that has properties, and requires something",
      "invoice.json",
      '{"properties":{"a":{"b":1}},"required":[1]}',
      "InvoiceValues { properties: { a: { b: number; }; }; required: number[]; }",
    ],
    [
      "a sample that has definitions",
      "invoice.json",
      '{"allOf":"1","definitions":{"a":{"b":1}},"type":["object","thing"]}',
      "InvoiceValues { allOf: string; definitions: { a: { b: number; }; }; type: string[]; }",
    ],
    [
      "a sample that only looks like a schema",
      "invoice.json",
      '{"type":"object","properties":{"a":1}}',
      "InvoiceValues { properties: { a: number; }; type: string; }",
    ],
    [
      "a sample that has a schema of its own",
      "invoice.json",
      '{"$schema":"./x.json","a":"1"}',
      "InvoiceValues { $schema: string; a: string; }",
    ],
    ["a template with a schema", "invoice.json", `{"content":[],"schema":{${schema}},"sample":{"b":1}}`],
    ["a template with a sample", "invoice.json", '{"content":{"$each":"a"},"sample":{"a":"1"}}'],
    ["a template that has nothing to fill in", "invoice.json", `{"content":["b"],"sample":${a}}`],
    ["a module with a sample", "invoice.mjs", `export const sample = ${a}; export default () => ({});`],
    [
      "a sample of a module as JSON carries it",
      "invoice.mjs",
      "export const sample = { a: new Date(0), b: undefined };",
    ],
  ])("%s", async (_title, file, content, type = text) => {
    const [values] = await outline({ [file]: content }, file);
    expect(values).toBe(type);
  });

  it.each([
    '{"type":"object"}',
    '{"type":["null","object"],"required":["a"]}',
    '{"properties":{"a":{"type":"string"}}}',
    '{"oneOf":[{"type":"object"},{"type":"null"}]}',
  ])("as a sample, with a warning, where it may be a JSON Schema: %s", async (content) => {
    const { code, stderr, written } = await runTypes(folderOf({ "a.json": content }), "a.json");
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        "template-pdf: warning: a.json: this was read as a sample. If it is a JSON Schema, let its name end in .schema.json.\n",
    });
    const [name = ""] = Object.keys(JSON.parse(content));
    expect(written).toContain(`  ${name}: `);
  });

  it.each<[library: string, code: string]>([
    [
      "zod",
      'import * as z from "zod"; export const schema = z.object({ a: z.string(), b: z.number().default(1) });',
    ],
    [
      "arktype",
      'import { type } from "arktype"; export const schema = type({ a: "string", "b?": "number" });',
    ],
    [
      "valibot, which tells nothing, by its sample",
      'import * as v from "valibot"; export const schema = v.object({}); export const sample = { a: "1" };',
    ],
  ])("a module with a schema of %s", async (library, code) => {
    const modules = join(import.meta.dirname, "../../node_modules");
    const resolved = code.replace(
      /from "(.*?)"/,
      (_text, name) => `from ${JSON.stringify(`${modules}/${entryOf[name]}`)}`,
    );
    const {
      code: exitCode,
      stderr,
      written,
    } = await runTypes(folderOf({ "invoice.mjs": resolved }), "invoice.mjs");
    expect(exitCode).toBe(0);
    const told = library.includes("nothing")
      ? /^template-pdf: warning: invoice\.mjs: .* the types are those of its sample\.\n$/
      : /^$/;
    expect(stderr).toMatch(told);
    expect(written).toContain("  a: string;\n");
    expect(written.includes("  b?: number | undefined;\n")).toBe(!library.includes("nothing"));
  });
});

/** Where the libraries lie from which a module outside of this repository cannot import by name. */
const entryOf: Readonly<Record<string, string>> = {
  zod: "zod/index.js",
  arktype: "arktype/out/index.js",
  "zod-3": "zod-3/index.js",
  valibot: "valibot/dist/index.mjs",
};

describe("a folder", () => {
  it("stands for its files; what is neither sample nor template is passed over", async () => {
    const files = {
      "f/invoice.json": a,
      "f/letter.ndjson": a,
      "f/receipt.mjs": "export const sample = { a: 1 };\nexport { sample as default };",
      "f/script.mjs": "process.exit(3);",
      "f/vitest.config.ts": "export default process.exit(3);",
      "f/types.d.ts": "export default interface A {}",
      "f/package.json": "{}",
      "f/.hidden.json": "nonsense",
      "f/readme.md": "nonsense",
      "f/inner/other.json": "nonsense",
    };
    const cwd = folderOf(files);
    const first = await runTypes(cwd, "f -o f/pdf-templates.ts");
    expect(first).toMatchObject({ code: 0, stderr: "", stdout: "f/pdf-templates.ts: 3 templates\n" });
    expect(await runTypes(join(cwd, "f"), ". --check")).toMatchObject({ code: 0, stderr: "" });
  });

  it.runIf(hasPipeFiles)(
    "stands for the files that its links lead to, and for no pipe, for which it would wait",
    async () => {
      const cwd = folderOf({ "a.json": a, "f/inner/b.json": a });
      for (const name of ["pipe.json", "pipe.ndjson", "pipe.mjs"])
        execFileSync("mkfifo", [join(cwd, "f", name)]);
      symlinkSync("../a.json", join(cwd, "f/invoice.json"));
      symlinkSync("pipe.json", join(cwd, "f/link.json"));
      symlinkSync("inner", join(cwd, "f/folder.json"));
      const done = { code: 0, stderr: "", stdout: "pdf-templates.ts: 1 template\n" };
      expect(await runTypes(cwd, "f")).toMatchObject(done);
      symlinkSync("nowhere", join(cwd, "f/gone.json"));
      const { stderr } = await runTypes(cwd, "f");
      expect(stderr).toBe("template-pdf: Could not read f/gone.json: there is no such file.\n");
    },
  );
});

describe("a warning, one line each, is told", () => {
  it.each<[title: string, files: Readonly<Record<string, string>>, line: string]>([
    [
      "where samples disagree wildly",
      { "invoice.ndjson": '{"x":{"y":"text"}}\n{"x":{"y":[1]}}' },
      "invoice: samples disagree at x.y: text, an array. Any of them is allowed.",
    ],
    [
      "where two samples share no member",
      { "invoice.ndjson": '{"a":1}\n{"a":1,"b":1}\n{}\n{"c":1}' },
      "invoice: the samples invoice.ndjson:1:1 and invoice.ndjson:4:1 share no member. Are both of this template?",
    ],
    [
      "where a schema stands beside samples",
      { "invoice.schema.json": '{"type":"object"}', "invoice.json": a },
      "invoice: its schema invoice.schema.json says everything; its samples were not looked at.",
    ],
  ])("%s", async (_title, files, line) => {
    const { code, stderr } = await runTypes(folderOf(files), ".");
    expect({ code, stderr }).toEqual({ code: 0, stderr: `template-pdf: warning: ${line}\n` });
  });
});
