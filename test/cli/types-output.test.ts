import { readdirSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Files, folderOf, runTypes } from "./types-command.ts";

const one = { "invoice.json": '{"a":"1"}' };
const done = { code: 0, stdout: "pdf-templates.ts: 1 template\n", stderr: "" };
const foreignCode = "export const mine = 1;\n";

/** Creates a folder that already contains the types file. */
async function folderWithTypes(words = "invoice.json"): Promise<{ cwd: string; path: string }> {
  const cwd = folderOf(one);
  expect(await runTypes(cwd, words)).toMatchObject(done);
  return { cwd, path: join(cwd, "pdf-templates.ts") };
}

describe("the types file", () => {
  it("is not rewritten if nothing has changed, and is the same on standard output", async () => {
    const { cwd, path } = await folderWithTypes();
    utimesSync(path, 1, 1);
    expect(await runTypes(cwd, "invoice.json")).toMatchObject(done);
    expect(statSync(path).mtimeMs).toBe(1000);
    expect((await runTypes(cwd, "invoice.json -o -")).stdout).toBe(readFileSync(path, "utf8"));
  });

  it.each([
    ["the file of another program with --force", foreignCode, " --force"],
    ["an empty file", "\n", ""],
  ])("replaces %s", async (_title, text, flag) => {
    const ending = await runTypes(folderOf({ ...one, "pdf-templates.ts": text }), `invoice.json${flag}`);
    expect(ending).toEqual({ ...done, written: expect.stringMatching(/^\/\/ Written by/) });
  });
});

describe("an output file that types cannot write", () => {
  it("is refused before any sample is read if another program wrote it", async () => {
    const stderr =
      "template-pdf: pdf-templates.ts was not written by this command and was not changed. Give -o another name, or add --force to overwrite it.\n";
    const ending = await runTypes(folderOf({ "pdf-templates.ts": foreignCode }), "missing.json");
    expect(ending).toEqual({ code: 2, stdout: "", stderr, written: foreignCode });
  });

  it("is refused with exit code 2 if its folder does not exist", async () => {
    const { code, stderr } = await runTypes(folderOf(one), "invoice.json -o missing/t.ts");
    const reason = "its folder does not exist: create it first";
    expect([code, stderr]).toEqual([2, `template-pdf: Could not write missing/t.ts: ${reason}.\n`]);
  });
});

describe("types --check", () => {
  it("accepts an up-to-date file, even with CRLF and a byte order mark", async () => {
    const { cwd, path } = await folderWithTypes();
    expect(await runTypes(cwd, "invoice.json --check")).toMatchObject(done);
    writeFileSync(path, `\ufeff${readFileSync(path, "utf8").replaceAll("\n", "\r\n")}`);
    expect(await runTypes(cwd, "invoice.json --check")).toMatchObject(done);
    expect(await runTypes(cwd, "invoice.json")).toMatchObject(done);
    expect(readFileSync(path, "utf8")).toContain("\r\n");
  });

  const write = "Write it: npx template-pdf types";
  const stale = "pdf-templates.ts is out of date:";
  it.each<[words: string, line: string, changed?: Readonly<Record<string, string>>]>([
    ["invoice.json -o $(x)'.ts", `$(x)'.ts does not exist. ${write} invoice.json -o '$(x)'\\''.ts'`],
    [
      "invoice.json",
      `${stale} invoice (note). ${write} invoice.json`,
      { "invoice.json": '{"a":"","note":""}' },
    ],
    [
      ".",
      "pdf-templates.ts was not written by this command. " +
        "Give -o another name, or overwrite it: npx template-pdf types . --force",
      { "pdf-templates.ts": "mine" },
    ],
  ])("exits with code 1 and prints the command that fixes it: %s", async (words, line, changed = {}) => {
    const { cwd } = await folderWithTypes();
    for (const [name, text] of Object.entries(changed)) writeFileSync(join(cwd, name), text);
    const texts = () => readdirSync(cwd).map((name) => readFileSync(join(cwd, name), "utf8"));
    const before = texts();
    const { code, stdout, stderr } = await runTypes(cwd, `${words} --check`);
    expect([code, stdout, stderr]).toEqual([1, "", `template-pdf: ${line}\n`]);
    expect(texts()).toEqual(before);
  });

  it("suggests --zod if the file was written with it", async () => {
    const { cwd } = await folderWithTypes("invoice.json --zod");
    expect(await runTypes(cwd, "invoice.json --zod --check")).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await runTypes(cwd, "invoice.json --check");
    expect([code, stdout, stderr]).toEqual([
      1,
      "",
      "template-pdf: pdf-templates.ts is up to date, but was written with --zod. Add that option: npx template-pdf types invoice.json --zod --check\n",
    ]);
  });
});

const sampleIs = (found: string) =>
  `this sample is ${found}. Use an object with a property for each placeholder.`;
const schemaOf = (x: unknown) => JSON.stringify({ type: "object", properties: { x } }, undefined, 1);
const throwing = 'jsonSchema: { input() { throw new Error("no\\nCANARY"); } }';
const noJson = "this is not JSON; only numbers, true, false and null can be outside double quotes.";
const twoNames = (name: string) => `would both be called "${name}": write one of them to another file.`;
const signature = "// Written by `template-pdf types`: run that again instead of editing this file.\n";
const eachLine = "Each line must be one complete sample.";

/** Runs the command, and expects that it prints these lines and writes nothing. */
async function expectRefusal(cwd: string, words: string, ...lines: readonly string[]): Promise<void> {
  const before = readdirSync(cwd);
  const { code, stdout, stderr } = await runTypes(cwd, words);
  expect(stderr).toBe(lines.map((line) => `template-pdf: ${line}\n`).join(""));
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(readdirSync(cwd)).toEqual(before);
}

describe("types refuses", () => {
  it.each<[file: string, line: string, text: string | Uint8Array]>([
    [".a.json", ": the file name is not a valid uid. Name the uid: uid=.a.json.", "{}"],
    [
      "a.txt",
      ": the file type is not supported. Samples and schemas end in .json, .ndjson or .jsonl, templates in .json, .mjs or .ts.",
      "CANARY",
    ],
    ["a.json", ': the file is empty. Add a sample, for example {"date":"1 May"}.', "\ufeff \n"],
    ["a.ndjson", ': the file contains no samples. Put one on each line, for example {"date":"1 May"}.', ""],
    [
      "a.json",
      ":2:1: expected the end of the JSON; this looks like NDJSON, one sample per line. Rename the file to end in .ndjson.",
      '{"a":"CANARY"}\r\n{"a":"CANARY"}\r\n',
    ],
    ["a.ndjson", `:2:1: ${noJson} ${eachLine}`, "{}\n\ufeff{}\n"],
    ["a.json", `:3:2: ${sampleIs("an array")}`, '[\n {"a": 1},\n ["CANARY"]]'],
    [
      "a.json",
      ":5:12: this is not a JSON Schema type; the types are string, number, integer, boolean, null, object and array.",
      schemaOf({ type: "CANARY" }),
    ],
  ])("a file, and reports %s%s", async (file, line, text) => {
    await expectRefusal(folderOf({ [file]: text }), file, `${file}${line}`);
  });

  it("every module without a readable schema or sample", async () => {
    const files = {
      "0.mjs": "export default () => ({});",
      "1.mjs": "export const schema = {};",
      "2.mjs": "export const sample = { a: 1n };",
      "3.mjs": `export const schema = { "~standard": { version: 1, vendor: "mine", validate() {}, ${throwing} } };`,
      "4.mjs": "\nthrow new Error('no\\nCANARY');",
    };
    await expectRefusal(
      folderOf(files),
      Object.keys(files).join(" "),
      "0.mjs: the module exports neither a schema nor a sample. Export a `schema` or a `sample`.",
      "1.mjs: its `schema` is not a Standard Schema. Export a schema of zod, valibot, arktype or a similar library.",
      "2.mjs: its `sample` cannot be converted to JSON.",
      "3.mjs: its `schema`, of mine, cannot be converted to JSON Schema (no). Export a `sample` as well.",
      "4.mjs:2:7: 4.mjs cannot be loaded: no",
    );
  });

  it.each<[words: string, line: string, files?: Files]>([
    ["=a.json", "=a.json: there is no valid uid before the =. Write uid=path."],
    ["f", "f: this folder contains no sample, schema or template.", { "f/a.txt": "CANARY" }],
    [
      "a.schema.json a.2.json",
      "a.2.json: the template a already has a schema in a.schema.json. Pass only one of them.",
      { "a.schema.json": schemaOf({}), "a.2.json": schemaOf({}) },
    ],
    // These clash only with --zod, and --check also compares the file with that output.
    [
      "a.json a-schema.json --check",
      `The templates "a" and "a-schema" ${twoNames("aSchema")}`,
      { "a.json": "{}", "a-schema.json": "{}", "pdf-templates.ts": signature },
    ],
    [
      "a.json --check -o -",
      "--check compares with a file, but -o - writes to standard output. Give -o a file name, or leave out --check.",
    ],
    ["-", "-: types reads files and folders, not standard input. Save the samples in a file."],
    [
      "a=/dev/null",
      "/dev/null: this is a pipe, a socket or a device, but types reads only files and folders. Save its content in a file.",
    ],
    // A line break in a file name must not break the message.
    [".", `a.b c.json:1:2: ${sampleIs("a number")}`, { "a.b\nc.json": "[1]" }],
  ])("the arguments %j, and reports: %s", async (words, line, files = {}) => {
    await expectRefusal(folderOf(files), words, line);
  });

  it("a .json file of 600 MB", async () => {
    const cwd = folderOf({ "a.json": "" });
    truncateSync(join(cwd, "a.json"), 600 * 1024 * 1024);
    const advice = "Save it as NDJSON, one sample per line, in a file that ends in .ndjson.";
    await expectRefusal(cwd, "a.json", `a.json: the file is larger than 256 MiB. ${advice}`);
  });

  it("every bad file, not only the first", async () => {
    await expectRefusal(
      folderOf({ "a.json": "{", "b.ndjson": "{}\n[]", "c.json": "{}" }),
      "a.json b.ndjson missing.json c.json",
      "a.json:1:2: expected } at the end of an object.",
      `b.ndjson:2:1: ${sampleIs("an array")}`,
      "Could not read missing.json: there is no such file.",
    );
  });
});
