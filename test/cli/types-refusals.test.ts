import { execFileSync } from "node:child_process";
import { existsSync, ftruncateSync, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hasPipeFiles } from "../support/platform.ts";
import { type Files, folderOf, runTypes } from "./types-command.ts";

interface Refusal {
  readonly title: string;
  readonly files?: Files;
  /** Else every file that there is. */
  readonly words?: string;
  readonly line: string;
}

const schemaOf = (x: unknown) => JSON.stringify({ type: "object", properties: { x } }, undefined, 1);
const sampleIs = (found: string) =>
  `this sample is ${found}. Make it an object, a member for each placeholder.`;
const noFile =
  "this is a pipe, a socket or a device, and types reads files and folders. Save what it gives as a file.";
const eachLine = "Each line has to be a sample of its own.";

const refusals: readonly Refusal[] = [
  {
    title: "a file that is not there",
    words: "a.json",
    line: "Could not read a.json: there is no such file.",
  },
  { title: "a uid without a file", words: "a=", line: "a=: behind the = stands no path. Write uid=path." },
  {
    title: "a file without a uid",
    words: "=a.json",
    line: "=a.json: before the = stands no uid. Write uid=path.",
  },
  {
    title: "a uid that the service cannot have",
    words: "..=a.json",
    line: "..=a.json: before the = stands no uid. Write uid=path.",
  },
  {
    title: "a name that gives no uid",
    files: { ".a.json": "{}" },
    words: ".a.json",
    line: ".a.json: its name gives no uid. Give it one: uid=.a.json.",
  },
  {
    title: "a name that does not say what it is",
    files: { "a.txt": "CANARY" },
    line: "a.txt: its name does not say what it is. Samples and schemas end in .json, .ndjson or .jsonl, templates in .json, .mjs or .ts.",
  },
  {
    title: "a folder with nothing in it",
    files: { "f/a.txt": "CANARY" },
    words: "f",
    line: "f: in this folder is neither a sample, a schema nor a template.",
  },
  {
    title: "an empty JSON file",
    files: { "a.json": "\ufeff \n" },
    line: 'a.json: it is empty. Put a sample into it, such as {"date":"1 May"}.',
  },
  {
    title: "an empty array",
    files: { "a.json": "[]" },
    line: "a.json: there is no sample in it. Put some into its array.",
  },
  {
    title: "an empty NDJSON file",
    files: { "a.ndjson": "" },
    line: 'a.ndjson: there is no sample in it. Put one on each line, such as {"date":"1 May"}.',
  },
  {
    title: "blank lines alone",
    files: { "a.ndjson": "\n \r\n" },
    line: 'a.ndjson: there is no sample in it. Put one on each line, such as {"date":"1 May"}.',
  },
  {
    title: "what is no JSON",
    files: { "a.json": '{\n  "a": "CANARY"\n  "b": 1}' },
    line: "a.json:3:3: a comma should stand here.",
  },
  {
    title: "lines in a file that ends in .json",
    files: { "a.json": '{"a":"CANARY"}\r\n{"a":"CANARY"}\r\n' },
    line: "a.json:2:1: the JSON has ended already; this is NDJSON, a sample on each line. Let the name of the file end in .ndjson.",
  },
  {
    title: "a line that is no JSON",
    files: { "a.ndjson": '\ufeff{}\r\n\r\n{"a": CANARY}\n' },
    line: `a.ndjson:3:7: this is no JSON; outside of double quotes stand only numbers, true, false and null. ${eachLine}`,
  },
  {
    title: "a byte order mark on another line than the first, wherever the file is cut into pieces",
    files: { "a.ndjson": `{}\n\ufeff{"a":"${"x".repeat(2 ** 20)}"}\n` },
    line: `a.ndjson:2:1: this is no JSON; outside of double quotes stand only numbers, true, false and null. ${eachLine}`,
  },
  {
    title: "JSON over several lines",
    files: { "a.ndjson": '{\n"a":"CANARY"}' },
    line: `a.ndjson:1:2: an object is not closed; } should stand here. ${eachLine}`,
  },
  {
    title: "a text for a sample",
    files: { "a.json": '"CANARY"' },
    line: `a.json:1:1: ${sampleIs("a string")}`,
  },
  { title: "null for a sample", files: { "a.json": "null" }, line: `a.json:1:1: ${sampleIs("null")}` },
  {
    title: "an array among samples",
    files: { "a.json": '[\n {"a": 1},\n ["CANARY"]]' },
    line: `a.json:3:2: ${sampleIs("an array")}`,
  },
  {
    title: "a number on a line",
    files: { "a.ndjson": "{}\n 12345" },
    line: `a.ndjson:2:1: ${sampleIs("a number")}`,
  },
  {
    title: "a sample that is nested too deep",
    files: { "a.json": `[1,{"a":${"[".repeat(600)}${"]".repeat(600)}}]`.replace("1,", "{},") },
    line: "a.json:1:5: this sample is nested deeper than 500 levels. Flatten it.",
  },
  {
    title: "what is nested deeper than a stack holds",
    files: { "a.json": `{"content":${"[".repeat(200_000)}${"]".repeat(200_000)}}` },
    line: "a.json: this is nested deeper than 1500 levels.",
  },
  {
    title: "a line that is nested deeper than a stack holds",
    files: { "a.ndjson": `{}\n{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}` },
    line: "a.ndjson:2:1: this sample is nested deeper than 500 levels. Flatten it.",
  },
  {
    title: "another encoding",
    files: { "a.json": Buffer.from('{\n"a":"Zo\xeb"}', "latin1") },
    line: "a.json:2:8: this is not UTF-8. Save it as UTF-8.",
  },
  {
    title: "another encoding on a line",
    files: { "a.ndjson": Buffer.from('{}\n{"a":"\xeb"}\n{}', "latin1") },
    line: "a.ndjson:2:7: this is not UTF-8. Save it as UTF-8.",
  },
  {
    title: "a schema with a type that there is not",
    files: { "a.json": schemaOf({ type: "CANARY" }) },
    line: "a.json:5:12: JSON Schema knows no such type; it has string, number, integer, boolean, null, object and array.",
  },
  {
    title: "a schema whose $ref leads nowhere",
    files: { "a.json": schemaOf({ $ref: "#/CANARY" }) },
    line: "a.json:5:12: this leads to nothing in this schema.",
  },
  {
    title: "a schema whose $ref leads to another file",
    files: { "a.json": schemaOf({ $ref: "CANARY.json" }) },
    line: "a.json:5:12: this leads out of the file, and nothing is fetched; move what it leads to into $defs.",
  },
  {
    title: "a schema of something else",
    files: { "a.schema.json": '{"type":"array"}' },
    line: "a.schema.json:1:1: this schema takes no object, and the values of a template are one.",
  },
  {
    title: "a schema that is none",
    files: { "a.schema.json": "[]" },
    line: "a.schema.json:1:1: a schema should stand here: an object, true or false.",
  },
  {
    title: "two schemas of one template",
    files: { "a.schema.json": schemaOf({}), "a.2.json": schemaOf({}) },
    line: "a.2.json: a schema of the template a stands in a.schema.json, too. Name only one of them.",
  },
  {
    title: "a fault in the schema of a template",
    files: { "a.json": '{"content":[],\n"schema":{"type":"object","required":true}}' },
    line: "a.json:2:38: a list should stand here.",
  },
  {
    title: "a template without schema and sample",
    files: { "a.json": '{"content":["{{CANARY}}"]}' },
    line:
      "a.json: this is a template of the emulator, and there is no schema where one was expected, nor a sample. " +
      "Give it a member `schema` or `sample`; if it is a sample itself, put it into an array.",
  },
  {
    title: "a template whose sample is none",
    files: { "a.json": '{"content":["{{a}}"],\n"sample":[]}' },
    line: `a.json:2:10: ${sampleIs("an array")}`,
  },
  {
    title: "a module without schema and sample",
    files: { "a.mjs": "export default () => ({});" },
    line: "a.mjs: there is no schema where one was expected, nor a sample. Export a `schema` or a `sample`.",
  },
  {
    title: "a module whose schema is none",
    files: { "a.mjs": "export const schema = {};" },
    line: "a.mjs: its `schema` is no Standard Schema. Export one of zod, valibot, arktype or their like.",
  },
  {
    title: "a module whose sample is none",
    files: { "a.mjs": "export const sample = 1;" },
    line: `a.mjs, \`sample\`: ${sampleIs("a number")}`,
  },
  {
    title: "a module whose sample JSON cannot carry",
    files: { "a.mjs": "export const sample = { a: 1n };" },
    line: "a.mjs: its `sample` is nothing that JSON can carry.",
  },
  {
    title: "a module whose schema tells nothing",
    files: {
      "a.mjs": 'export const schema = { "~standard": { version: 1, vendor: "mine", validate() {} } };',
    },
    line: "a.mjs: its `schema`, of mine, does not tell what it takes as a JSON Schema. Export a `sample` beside it.",
  },
  {
    title: "a module whose schema cannot be told",
    files: {
      "a.mjs":
        'const input = () => { throw new Error("no\\nCANARY"); };\n' +
        'export const schema = { "~standard": { version: 1, vendor: "mine", validate() {}, jsonSchema: { input } } };',
    },
    line: "a.mjs: its `schema`, of mine, has no JSON Schema (no). Export a `sample` beside it.",
  },
  {
    title: "a module whose schema tells nonsense",
    files: {
      "a.mjs":
        'export const schema = { "~standard": { version: 1, vendor: "mine", validate() {}, jsonSchema: { input: () => 1 } } };',
    },
    line: "a.mjs, #: a schema should stand here: an object, true or false.",
  },
  {
    title: "a module that throws",
    files: { "a.mjs": "\nthrow new Error('no\\nCANARY');" },
    line: "a.mjs:2:7: a.mjs cannot be loaded: no",
  },
  {
    title: "a module that is no JavaScript",
    files: { "a.mjs": "\nexport const = 1;" },
    line: "a.mjs:2:14: a.mjs cannot be loaded: Unexpected token '='",
  },
  {
    title: "a module that ends the program",
    files: { "a.mjs": "process.exit(0);" },
    line: "a.mjs: it ended the program while it was loaded. Let it only export.",
  },
  {
    title: "a module that is never ready",
    files: { "a.mjs": "await new Promise(() => {});" },
    line: "a.mjs: it waits for something that never comes. Let it only export.",
  },
  {
    title: "two templates of one name",
    files: { "inv-1.json": "{}", "inv_1.json": "{}" },
    line: 'The templates "inv-1" and "inv_1" would both be called "inv1": write one of them into a file of its own.',
  },
  {
    title: "--check beside -o -",
    words: "a.json --check -o -",
    line: "--check compares with a file, and -o - writes none. Give -o a file name, or leave --check out.",
  },
  {
    title: "standard input",
    words: "-",
    line: "-: types reads files and folders, not standard input. Save the samples as a file.",
  },
  {
    title: "standard input with a uid",
    words: "a=-",
    line: "a=-: types reads files and folders, not standard input. Save the samples as a file.",
  },
  { title: "a device", words: "a=/dev/null", line: `/dev/null: ${noFile}` },
  {
    title: "an output without a name",
    words: "a.json -o ",
    line: "-o takes a file name, and nothing stands in it. Give it one, or leave -o out.",
  },
  {
    title: "no samples at all",
    words: "--zod",
    line: "Missing required argument 'samples'. See template-pdf types --help.",
  },
  {
    title: "two outputs",
    words: "a.json -o a -o b",
    line: "-o may be given only once. See template-pdf types --help.",
  },
];

describe("types refuses, in one line, with exit code 2, and writes nothing", () => {
  it.each(refusals)(
    "$title",
    async ({ files = {}, words = Object.keys(files).sort().reverse().join(" "), line }) => {
      const cwd = folderOf(files);
      const before = readdirSync(cwd);
      const { code, stdout, stderr } = await runTypes(cwd, words === "" ? "." : words);
      expect(stderr).toBe(`template-pdf: ${line}\n`);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(readdirSync(cwd)).toEqual(before);
    },
  );

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
