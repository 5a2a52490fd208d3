import { readdirSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { modeOf, setUmask } from "../support/file-modes.ts";
import { hasModes } from "../support/platform.ts";
import { type Files, folderOf, runTypes } from "./types-command.ts";

const oneSample = { "invoice.json": '{"a":"1"}' };
const done = { code: 0, stdout: "pdf-templates.ts: 1 template\n", stderr: "" };
const foreignCode = "export const mine = 1;\n";

/** Creates a folder that already contains the types file. */
async function folderWithTypes(words = "invoice.json"): Promise<{ cwd: string; path: string }> {
  const cwd = folderOf(oneSample);
  expect(await runTypes(cwd, words)).toMatchObject(done);
  return { cwd, path: join(cwd, "pdf-templates.ts") };
}

describe("the types file", () => {
  it("is not rewritten if nothing has changed", async () => {
    const { cwd, path } = await folderWithTypes();
    utimesSync(path, 1, 1);
    expect(await runTypes(cwd, "invoice.json")).toMatchObject(done);
    expect(statSync(path).mtimeMs).toBe(1000);
    expect((await runTypes(cwd, "invoice.json -o -")).stdout).toBe(readFileSync(path, "utf8"));
  });

  it.runIf(hasModes)("has the mode that the umask leaves", async () => {
    setUmask(0o026);
    const { path } = await folderWithTypes();
    expect(modeOf(path)).toBe("640");
  });

  it.each([
    ["another program's file if --force is set", foreignCode, " --force"],
    ["an empty file", "\n", ""],
  ])("replaces %s", async (_title, text, flag) => {
    const ending = await runTypes(
      folderOf({ ...oneSample, "pdf-templates.ts": text }),
      `invoice.json${flag}`,
    );
    expect(ending).toEqual({ ...done, written: expect.stringMatching(/^\/\/ Written by/) });
  });
});

describe("an output path", () => {
  it("is rejected before any sample is read if another program wrote the file", async () => {
    const stderr = expect.stringContaining("was not written by this command and was not changed.");
    const ending = await runTypes(folderOf({ "pdf-templates.ts": foreignCode }), "missing.json");
    expect(ending).toEqual({ code: 2, stdout: "", stderr, written: foreignCode });
  });

  it("is rejected with exit code 2 if its folder does not exist", async () => {
    const { code, stderr } = await runTypes(folderOf(oneSample), "invoice.json -o missing/t.ts");
    const reason = "its folder does not exist: create it first";
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `template-pdf: Could not write missing/t.ts: ${reason}.\n`,
    });
  });
});

describe("`types --check`", () => {
  it("accepts an up-to-date file regardless of its line breaks", async () => {
    const { cwd, path } = await folderWithTypes();
    expect(await runTypes(cwd, "invoice.json --check")).toMatchObject(done);
    writeFileSync(path, `\ufeff${readFileSync(path, "utf8").replaceAll("\n", "\r\n")}`);
    expect(await runTypes(cwd, "invoice.json --check")).toMatchObject(done);
    expect(await runTypes(cwd, "invoice.json")).toMatchObject(done);
    expect(readFileSync(path, "utf8")).toContain("\r\n");
  });

  const run = "npx template-pdf types";
  const write = `Write it: ${run}`;
  const foreign = "pdf-templates.ts was not written by this command.";
  const notOurs = { "pdf-templates.ts": "mine" };
  const stale = "pdf-templates.ts is out of date:";
  it.each<[words: string, line: string, changed?: Readonly<Record<string, string>>]>([
    ["invoice.json -o $(x)'.ts", `$(x)'.ts does not exist. ${write} invoice.json -o '$(x)'\\''.ts'`],
    ["invoice.json", `${stale} invoice (n). ${write} invoice.json`, { "invoice.json": '{"a":"","n":""}' }],
    [".", `${foreign} Give -o another name, or overwrite it: ${run} . --force`, notOurs],
  ])("exits with code 1 and explains the fix if called with %j", async (words, line, changed = {}) => {
    const { cwd } = await folderWithTypes();
    for (const [name, text] of Object.entries(changed)) writeFileSync(join(cwd, name), text);
    const texts = () => readdirSync(cwd).map((name) => readFileSync(join(cwd, name), "utf8"));
    const before = texts();
    const { code, stdout, stderr } = await runTypes(cwd, `${words} --check`);
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: `template-pdf: ${line}\n` });
    expect(texts()).toEqual(before);
  });

  it("suggests --zod if the file was written with --zod", async () => {
    const { cwd } = await folderWithTypes("invoice.json --zod");
    expect(await runTypes(cwd, "invoice.json --zod --check")).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await runTypes(cwd, "invoice.json --check");
    const line = `was written with --zod. Add that option: ${run} invoice.json --zod --check\n`;
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining(line) });
  });
});

const sampleIs = (found: string) =>
  `this sample is ${found}. Use an object with a property for each placeholder.`;
const schemaWithX = (x: unknown) => JSON.stringify({ type: "object", properties: { x } }, undefined, 1);
const throwing = 'jsonSchema: { input() { throw new Error("no\\nCANARY"); } }';
const noJson = "this is not JSON; only numbers, true, false and null can be outside double quotes.";
const twoSchemas = { "a.schema.json": schemaWithX({}), "a.2.json": schemaWithX({}) };
const signature = "// Written by `template-pdf types`: run that again instead of editing this file.\n";
const clash = { "a.json": "{}", "a-schema.json": "{}", "pdf-templates.ts": signature };
const eachLine = "Each line must be one complete sample.";

/** The result of a command that reports a mistake and writes nothing, neither to a file nor to standard output. */
const refusedWithoutOutput = { code: 2, stdout: "", changedFiles: [] };

/** Runs the command. Also returns the files that it created, removed or rewrote. */
async function runAndCompareFiles(cwd: string, words: string) {
  const listFiles = () =>
    readdirSync(cwd).map((name) => {
      const { size, mtimeMs } = statSync(join(cwd, name));
      return `${name}: ${size} bytes, written at ${mtimeMs}`;
    });
  const before = listFiles();
  const { code, stdout, stderr } = await runTypes(cwd, words);
  const after = listFiles();
  const changedFiles = [
    ...before.filter((file) => !after.includes(file)),
    ...after.filter((file) => !before.includes(file)),
  ];
  return { stderr, ending: { code, stdout, changedFiles } };
}

/** Cuts each printed line to the length of the expected line, and removes `template-pdf: ` before it. */
function beginningsOf(stderr: string, expected: readonly string[]): string[] {
  const printed = stderr.trimEnd().split("\n");
  return printed.map((line, at) => line.replace(/^template-pdf: /, "").slice(0, expected[at]?.length));
}

describe("the types command", () => {
  it.each<[file: string, line: string, text: string | Uint8Array]>([
    [".a.json", ": the file name is not a valid uid. Specify the uid: uid=.a.json.", "{}"],
    ["a.txt", ": the file type is not supported.", "CANARY"],
    ["a.json", ': the file is empty. Add a sample, for example {"date":"1 May"}.', "\ufeff \n"],
    ["a.ndjson", ': the file contains no samples. Put one on each line, for example {"date":"1 May"}.', ""],
    ["a.json", ":2:1: expected the end of the JSON; this looks like NDJSON", '{"a":"CANARY"}\r\n{}\r\n'],
    ["a.ndjson", `:2:1: ${noJson} ${eachLine}`, "{}\n\ufeff{}\n"],
    ["a.json", `:3:2: ${sampleIs("an array")}`, '[\n {"a": 1},\n ["CANARY"]]'],
    ["a.json", ":5:12: this is not a JSON Schema type; the types are", schemaWithX({ type: "CANARY" })],
  ])(
    "rejects an invalid file, writes nothing, does not quote the file, and reports: %s%s",
    async (file, line, text) => {
      const { stderr, ending } = await runAndCompareFiles(folderOf({ [file]: text }), file);
      expect(beginningsOf(stderr, [file + line])).toEqual([file + line]);
      expect(stderr).not.toContain("CANARY");
      expect(ending).toEqual(refusedWithoutOutput);
    },
  );

  it("rejects every module that has no readable schema or sample, and quotes only the first line of an error", async () => {
    const files = {
      "0.mjs": "export default () => ({});",
      "1.mjs": "export const schema = {};",
      "2.mjs": "export const sample = { a: 1n };",
      "3.mjs": `export const schema = { "~standard": { version: 1, vendor: "mine", validate() {}, ${throwing} } };`,
      "4.mjs": "\nthrow new Error('no\\nCANARY');",
    };
    const { stderr, ending } = await runAndCompareFiles(folderOf(files), Object.keys(files).join(" "));
    const expected = [
      "0.mjs: the module exports neither a schema nor a sample. Export a `schema` or a `sample`.",
      "1.mjs: its `schema` is not a Standard Schema.",
      "2.mjs: its `sample` cannot be converted to JSON.",
      "3.mjs: its `schema`, created with mine, cannot be converted to JSON Schema (no). Export a `sample` as well.",
      "4.mjs:2:7: 4.mjs cannot be loaded: no",
    ];
    expect(beginningsOf(stderr, expected)).toEqual(expected);
    expect(stderr).not.toContain("CANARY");
    expect(ending).toEqual(refusedWithoutOutput);
  });

  it.each<[words: string, line: string, files?: Files]>([
    ["=a.json", "=a.json: there is no valid uid before the =. Write uid=path."],
    ["f", "f: this folder contains no samples, schemas or templates.", { "f/a.txt": "CANARY" }],
    ["a.schema.json a.2.json", "a.2.json: the template a already has a schema in a.schema.json.", twoSchemas],
    // These clash only with --zod, and --check also compares the file with that output.
    ["a.json a-schema.json --check", 'The templates "a" and "a-schema" would both be called', clash],
    ["a.json --check -o -", "--check compares with a file, but -o - writes to standard output."],
    ["-", "-: the types command reads files and folders, not standard input. Save the samples in a file."],
    ["a=/dev/null", "/dev/null: this is a pipe, a socket or a device,"],
    // A line break in a file name must not break the message.
    [".", `a.b c.json:1:2: ${sampleIs("a number")}`, { "a.b\nc.json": "[1]" }],
  ])("rejects the arguments %j, writes nothing, and reports: %s", async (words, line, files = {}) => {
    const { stderr, ending } = await runAndCompareFiles(folderOf(files), words);
    expect(beginningsOf(stderr, [line])).toEqual([line]);
    expect(stderr).not.toContain("CANARY");
    expect(ending).toEqual(refusedWithoutOutput);
  });

  it("rejects a 600 MiB .json file", async () => {
    const cwd = folderOf({ "a.json": "" });
    truncateSync(join(cwd, "a.json"), 600 * 1024 * 1024);
    const { stderr, ending } = await runAndCompareFiles(cwd, "a.json");
    const advice = "Save it as NDJSON, one sample per line, in a file that ends in .ndjson.";
    expect(stderr).toBe(`template-pdf: a.json: the file is larger than 256 MiB. ${advice}\n`);
    expect(ending).toEqual(refusedWithoutOutput);
  });

  it("reports every invalid file, and writes nothing if one of several files is invalid", async () => {
    const cwd = folderOf({ "a.json": "{", "b.ndjson": "{}\n[]", "c.json": "{}" });
    const { stderr, ending } = await runAndCompareFiles(cwd, "a.json b.ndjson missing.json c.json");
    const expected = [
      "a.json:1:2: expected } at the end of an object.",
      `b.ndjson:2:1: ${sampleIs("an array")}`,
      "Could not read missing.json: there is no such file.",
    ];
    expect(beginningsOf(stderr, expected)).toEqual(expected);
    expect(ending).toEqual(refusedWithoutOutput);
  });
});
