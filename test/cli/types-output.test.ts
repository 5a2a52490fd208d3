import {
  chmodSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hasLinks, hasModes } from "../support/platform.ts";
import { folderOf, runTypes } from "./types-command.ts";

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

  it.runIf(hasModes)("keeps its mode when it is rewritten, and leaves no temporary file", async () => {
    const { cwd, path } = await folderWithTypes();
    chmodSync(path, 0o640);
    // An editor may have added a byte order mark.
    writeFileSync(path, `\ufeff${readFileSync(path, "utf8")}`);
    writeFileSync(join(cwd, "invoice.json"), '{"b":"1"}');
    const { written, ...ending } = await runTypes(cwd, "invoice.json");
    expect(ending).toEqual(done);
    expect(written).toMatch(/^\/\/ Written by .*\n {2}b: string;\n/s);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(cwd).sort()).toEqual(["invoice.json", "pdf-templates.ts"]);
  });

  it.runIf(hasLinks)("is replaced atomically behind a link", async () => {
    const { cwd, path } = await folderWithTypes();
    // A hard link shows whether the old file was modified.
    linkSync(path, join(cwd, "before.ts"));
    symlinkSync("pdf-templates.ts", join(cwd, "types.ts"));
    writeFileSync(join(cwd, "invoice.json"), '{"b":"1"}');
    const { written, code, stderr } = await runTypes(cwd, "invoice.json -o types.ts");
    expect([code, stderr, written]).toEqual([0, "", expect.stringContaining("  b: string;\n")]);
    expect(readFileSync(join(cwd, "before.ts"), "utf8")).toContain("  a: string;\n");
    expect(lstatSync(join(cwd, "types.ts")).isSymbolicLink()).toBe(true);
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
