import { execFileSync } from "node:child_process";
import { existsSync, ftruncateSync, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hasPipeFiles } from "../support/platform.ts";
import { type Files, folderOf, runTypes } from "./types-command.ts";

type Refusal = [what: string, files: Files, line: string, words?: string];

const schemaOf = (x: unknown) => JSON.stringify({ type: "object", properties: { x } }, undefined, 1);
const sampleIs = (found: string) =>
  `this sample is ${found}. Make it an object, a member for each placeholder.`;
const noFile =
  "this is a pipe, a socket or a device, and types reads files and folders. Save what it gives as a file.";
const eachLine = "Each line has to be a sample of its own.";

const refusals: readonly Refusal[] = [
  ["a file that is not there", {}, "Could not read a.json: there is no such file.", "a.json"],
  ["a uid without a file", {}, "a=: behind the = stands no path. Write uid=path.", "a="],
  ["a file without a uid", {}, "=a.json: before the = stands no uid. Write uid=path.", "=a.json"],
  [
    "a name that gives no uid",
    { ".a.json": "{}" },
    ".a.json: its name gives no uid. Give it one: uid=.a.json.",
    ".a.json",
  ],
  [
    "a name that does not say what it is",
    { "a.txt": "CANARY" },
    "a.txt: its name does not say what it is. Samples and schemas end in .json, .ndjson or .jsonl, templates in .json, .mjs or .ts.",
  ],
  [
    "a folder with nothing in it",
    { "f/a.txt": "CANARY" },
    "f: in this folder is neither a sample, a schema nor a template.",
    "f",
  ],
  [
    "an empty JSON file",
    { "a.json": "\ufeff \n" },
    'a.json: it is empty. Put a sample into it, such as {"date":"1 May"}.',
  ],
  ["an empty array", { "a.json": "[]" }, "a.json: there is no sample in it. Put some into its array."],
  [
    "an empty NDJSON file",
    { "a.ndjson": "" },
    'a.ndjson: there is no sample in it. Put one on each line, such as {"date":"1 May"}.',
  ],
  [
    "what is no JSON",
    { "a.json": '{\n  "a": "CANARY"\n  "b": 1}' },
    "a.json:3:3: a comma should stand here.",
  ],
  [
    "lines in a file that ends in .json",
    { "a.json": '{"a":"CANARY"}\r\n{"a":"CANARY"}\r\n' },
    "a.json:2:1: the JSON has ended already; this is NDJSON, a sample on each line. Let the name of the file end in .ndjson.",
  ],
  [
    "a line that is no JSON",
    { "a.ndjson": '\ufeff{}\r\n\r\n{"a": CANARY}\n' },
    `a.ndjson:3:7: this is no JSON; outside of double quotes stand only numbers, true, false and null. ${eachLine}`,
  ],
  [
    "a byte order mark on another line than the first, wherever the file is cut into pieces",
    { "a.ndjson": `{}\n\ufeff{"a":"${"x".repeat(2 ** 20)}"}\n` },
    `a.ndjson:2:1: this is no JSON; outside of double quotes stand only numbers, true, false and null. ${eachLine}`,
  ],
  ["a text for a sample", { "a.json": '"CANARY"' }, `a.json:1:1: ${sampleIs("a string")}`],
  [
    "an array among samples",
    { "a.json": '[\n {"a": 1},\n ["CANARY"]]' },
    `a.json:3:2: ${sampleIs("an array")}`,
  ],
  [
    "what is nested deeper than a stack holds",
    { "a.json": `{"content":${"[".repeat(200_000)}${"]".repeat(200_000)}}` },
    "a.json: this is nested deeper than 1500 levels.",
  ],
  [
    "another encoding",
    { "a.json": Buffer.from('{\n"a":"Zo\xeb"}', "latin1") },
    "a.json:2:8: this is not UTF-8. Save it as UTF-8.",
  ],
  [
    "a schema with a type that there is not",
    { "a.json": schemaOf({ type: "CANARY" }) },
    "a.json:5:12: JSON Schema knows no such type; it has string, number, integer, boolean, null, object and array.",
  ],
  [
    "a schema whose $ref leads to another file",
    { "a.json": schemaOf({ $ref: "CANARY.json" }) },
    "a.json:5:12: this leads out of the file, and nothing is fetched; move what it leads to into $defs.",
  ],
  [
    "a schema of something else",
    { "a.schema.json": '{"type":"array"}' },
    "a.schema.json:1:1: this schema takes no object, and the values of a template are one.",
  ],
  [
    "two schemas of one template",
    { "a.schema.json": schemaOf({}), "a.2.json": schemaOf({}) },
    "a.2.json: a schema of the template a stands in a.schema.json, too. Name only one of them.",
  ],
  [
    "a template without schema and sample",
    { "a.json": '{"content":["{{CANARY}}"]}' },
    "a.json: this is a template of the emulator, and there is no schema where one was expected, nor a sample. " +
      "Give it a member `schema` or `sample`; if it is a sample itself, put it into an array.",
  ],
  [
    "a template whose sample is none",
    { "a.json": '{"content":["{{a}}"],\n"sample":[]}' },
    `a.json:2:10: ${sampleIs("an array")}`,
  ],
  [
    "a module without schema and sample",
    { "a.mjs": "export default () => ({});" },
    "a.mjs: there is no schema where one was expected, nor a sample. Export a `schema` or a `sample`.",
  ],
  [
    "a module whose schema is none",
    { "a.mjs": "export const schema = {};" },
    "a.mjs: its `schema` is no Standard Schema. Export one of zod, valibot, arktype or their like.",
  ],
  [
    "a module whose sample is none",
    { "a.mjs": "export const sample = 1;" },
    `a.mjs, \`sample\`: ${sampleIs("a number")}`,
  ],
  [
    "a module whose sample JSON cannot carry",
    { "a.mjs": "export const sample = { a: 1n };" },
    "a.mjs: its `sample` is nothing that JSON can carry.",
  ],
  [
    "a module whose schema tells nothing",
    {
      "a.mjs": 'export const schema = { "~standard": { version: 1, vendor: "mine", validate() {} } };',
    },
    "a.mjs: its `schema`, of mine, does not tell what it takes as a JSON Schema. Export a `sample` beside it.",
  ],
  [
    "a module whose schema cannot be told",
    {
      "a.mjs":
        'const input = () => { throw new Error("no\\nCANARY"); };\n' +
        'export const schema = { "~standard": { version: 1, vendor: "mine", validate() {}, jsonSchema: { input } } };',
    },
    "a.mjs: its `schema`, of mine, has no JSON Schema (no). Export a `sample` beside it.",
  ],
  [
    "a module that throws",
    { "a.mjs": "\nthrow new Error('no\\nCANARY');" },
    "a.mjs:2:7: a.mjs cannot be loaded: no",
  ],
  [
    "a module that ends the program",
    { "a.mjs": "process.exit(0);" },
    "a.mjs: it ended the program while it was loaded. Let it only export.",
  ],
  [
    "a module that is never ready",
    { "a.mjs": "await new Promise(() => {});" },
    "a.mjs: it waits for something that never comes. Let it only export.",
  ],
  [
    "a sample that is nested too deep",
    { "a.json": `[{},{"a":${"[".repeat(600)}${"]".repeat(600)}}]` },
    "a.json:1:5: this sample is nested deeper than 500 levels. Flatten it.",
  ],
  [
    "two templates of one name",
    { "inv-1.json": "{}", "inv_1.json": "{}" },
    'The templates "inv-1" and "inv_1" would both be called "inv1": write one of them into a file of its own.',
  ],
  [
    "--check beside -o -",
    {},
    "--check compares with a file, and -o - writes none. Give -o a file name, or leave --check out.",
    "a.json --check -o -",
  ],
  [
    "standard input",
    {},
    "-: types reads files and folders, not standard input. Save the samples as a file.",
    "-",
  ],
  ["a device", {}, `/dev/null: ${noFile}`, "a=/dev/null"],
  [
    "an output without a name",
    {},
    "-o takes a file name, and nothing stands in it. Give it one, or leave -o out.",
    "a.json -o ",
  ],
  ["no samples at all", {}, "Missing required argument 'samples'. See template-pdf types --help.", "--zod"],
  ["two outputs", {}, "-o may be given only once. See template-pdf types --help.", "a.json -o a -o b"],
];

describe("types refuses, in one line, with exit code 2, and writes nothing", () => {
  it.each(refusals)("%s", async (_, files, line, words = Object.keys(files).sort().reverse().join(" ")) => {
    const cwd = folderOf(files);
    const before = readdirSync(cwd);
    const { code, stdout, stderr } = await runTypes(cwd, words === "" ? "." : words);
    expect(stderr).toBe(`template-pdf: ${line}\n`);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(readdirSync(cwd)).toEqual(before);
  });

  it.each([
    [
      "json",
      "a.json: it is larger than 256 MiB, too large to be read at once. Save it as NDJSON, a sample on each line, in a file that ends in .ndjson.",
    ],
    ["ndjson", "a.ndjson:1:1: this line is longer than 64 MiB. Put one sample on each line."],
  ])("a file of nothing but one huge line that ends in .%s", async (extension, line) => {
    const cwd = folderOf({});
    ftruncateSync(openSync(join(cwd, `a.${extension}`), "w"), 600 * 1024 * 1024);
    const { code, stderr } = await runTypes(cwd, `a.${extension}`);
    expect({ code, stderr }).toEqual({ code: 2, stderr: `template-pdf: ${line}\n` });
  });

  it.runIf(hasPipeFiles)("a pipe, for which it would wait", async () => {
    const cwd = folderOf({});
    for (const extension of ["json", "ndjson", "mjs"]) {
      execFileSync("mkfifo", [join(cwd, `a.${extension}`)]);
      const { code, stderr } = await runTypes(cwd, `a.${extension}`);
      expect({ code, stderr }).toEqual({ code: 2, stderr: `template-pdf: a.${extension}: ${noFile}\n` });
    }
  });

  it("every bad file, not only the first", async () => {
    const cwd = folderOf({ "a.json": "{", "b.ndjson": "{}\n[]", "c.json": "{}", "d.mjs": "throw 1;" });
    const { code, stderr } = await runTypes(cwd, "a.json b.ndjson missing.json c.json d.mjs");
    expect(stderr.replace(/^template-pdf: /gm, "").split("\n")).toEqual([
      "a.json:1:2: an object is not closed; } should stand here.",
      `b.ndjson:2:1: ${sampleIs("an array")}`,
      "Could not read missing.json: there is no such file.",
      "d.mjs: d.mjs cannot be loaded: 1",
      "",
    ]);
    expect(code).toBe(2);
    expect(existsSync(join(cwd, "pdf-templates.ts"))).toBe(false);
  });

  it("names that would break the line", async () => {
    const cwd = folderOf({ "a.b\nc.json": "[1]" });
    const { stderr } = await runTypes(cwd, ".");
    expect(stderr).toBe(`template-pdf: a.b c.json:1:2: ${sampleIs("a number")}\n`);
  });
});
