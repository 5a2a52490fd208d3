import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hasLinks, hasModes, hasPipeFiles } from "../support/platform.ts";
import { folderOf, runTypes } from "./types-command.ts";

const one = { "invoice.json": '{"a":"1"}' };
const done = { code: 0, stdout: "pdf-templates.ts: 1 template\n", stderr: "" };

/** A folder in which the types are written already. */
async function folderWithTypes(): Promise<string> {
  const cwd = folderOf(one);
  expect(await runTypes(cwd, "invoice.json")).toMatchObject(done);
  return cwd;
}

describe("the file of the types", () => {
  it("is not touched where nothing has changed", async () => {
    const cwd = await folderWithTypes();
    utimesSync(join(cwd, "pdf-templates.ts"), 1, 1);
    expect(await runTypes(cwd, "invoice.json")).toMatchObject(done);
    expect(statSync(join(cwd, "pdf-templates.ts")).mtimeMs).toBe(1000);
  });

  it.runIf(hasModes)(
    "is written again where samples have changed, keeps its mode, and leaves nothing beside it",
    async () => {
      const cwd = await folderWithTypes();
      chmodSync(join(cwd, "pdf-templates.ts"), 0o640);
      writeFileSync(join(cwd, "invoice.json"), '{"b":"1"}');
      const { written, ...ending } = await runTypes(cwd, "invoice.json");
      expect(ending).toEqual(done);
      expect(written).toContain("  b: string;\n");
      expect(statSync(join(cwd, "pdf-templates.ts")).mode & 0o777).toBe(0o640);
      expect(readdirSync(cwd).sort()).toEqual(["invoice.json", "pdf-templates.ts"]);
    },
  );

  it.runIf(hasLinks).each([
    ["to a file", true],
    ["to nothing yet", false],
  ])("is replaced as a whole behind a link %s", async (_title, isThere) => {
    const cwd = isThere ? await folderWithTypes() : folderOf(one);
    // Another name of the file as it was, which would show if that were written to.
    if (isThere) linkSync(join(cwd, "pdf-templates.ts"), join(cwd, "before.ts"));
    mkdirSync(join(cwd, "src"));
    symlinkSync("../pdf-templates.ts", join(cwd, "src/types.ts"));
    writeFileSync(join(cwd, "invoice.json"), '{"b":"1"}');
    expect(await runTypes(cwd, "invoice.json -o src/types.ts")).toMatchObject({ code: 0, stderr: "" });
    if (isThere) expect(readFileSync(join(cwd, "before.ts"), "utf8")).toContain("  a: string;\n");
    expect(lstatSync(join(cwd, "src/types.ts")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(cwd, "pdf-templates.ts"), "utf8")).toContain("  b: string;\n");
  });

  it("goes to standard output, and nothing else does", async () => {
    const cwd = await folderWithTypes();
    const expected = readFileSync(join(cwd, "pdf-templates.ts"), "utf8");
    for (const name of ["-", "/dev/stdout"]) {
      expect(await runTypes(cwd, `invoice.json -o ${name}`)).toMatchObject({
        code: 0,
        stdout: expected,
        stderr: "",
      });
    }
  });

  it("goes to standard output without what templates print while they are loaded", async () => {
    const module = `console.log("loaded");
      const input = () => {
        console.log("asked");
        return { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
      };
      export const schema = { "~standard": { version: 1, vendor: "mine", validate() {}, jsonSchema: { input } } };`;
    const cwd = folderOf({ "invoice.mjs": module });
    const { code, stdout, stderr } = await runTypes(cwd, "invoice.mjs -o -");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "loaded\nasked\n" });
    const { written, ...ending } = await runTypes(cwd, "invoice.mjs");
    expect(ending).toEqual({ ...done, stderr });
    expect(stdout).toBe(written);
  });

  it.runIf(hasPipeFiles)("does not wait for the reader of a pipe", async () => {
    const cwd = folderOf(one);
    execFileSync("mkfifo", [join(cwd, "out.ts")]);
    expect(await runTypes(cwd, "invoice.json -o out.ts")).toMatchObject({
      code: 2,
      stderr: "template-pdf: Could not write out.ts: it is a pipe that no program reads.\n",
    });
  });

  it.runIf(hasPipeFiles)("goes to a device, which stays one", async () => {
    expect(await runTypes(folderOf(one), "invoice.json -o /dev/null")).toMatchObject({ code: 0, stderr: "" });
    expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
  });
});

describe("a file that this command did not write", () => {
  const theirs = "export const mine = 1;\n";

  it("is left as it is, with exit code 2, before any sample is read", async () => {
    const cwd = folderOf({ "pdf-templates.ts": theirs });
    expect(await runTypes(cwd, "missing.json")).toEqual({
      code: 2,
      stdout: "",
      stderr:
        "template-pdf: pdf-templates.ts was not written by this command, and is left as it is. Give -o another name, or --force to overwrite it.\n",
      written: theirs,
    });
  });

  it("is overwritten by force", async () => {
    const cwd = folderOf({ ...one, "pdf-templates.ts": theirs });
    const { written, ...ending } = await runTypes(cwd, "invoice.json --force");
    expect(ending).toEqual(done);
    expect(written).toMatch(/^\/\/ Written by/);
  });

  it("may be empty: there is nothing to lose", async () => {
    const cwd = folderOf({ ...one, "pdf-templates.ts": "\n" });
    expect(await runTypes(cwd, "invoice.json")).toMatchObject(done);
  });
});

describe("--check", () => {
  it("says nothing but how many there are, where the file is as it should be, also with CRLF and a byte order mark", async () => {
    const cwd = await folderWithTypes();
    expect(await runTypes(cwd, "invoice.json --check")).toMatchObject(done);
    const path = join(cwd, "pdf-templates.ts");
    writeFileSync(path, `\ufeff${readFileSync(path, "utf8").replaceAll("\n", "\r\n")}`);
    expect(await runTypes(cwd, "invoice.json --check")).toMatchObject(done);
    expect(await runTypes(cwd, "invoice.json")).toMatchObject(done);
    expect(readFileSync(path, "utf8")).toContain("\r\n");
  });

  it.each<[title: string, prepare: (cwd: string) => void, words: string, what: string, command: string]>([
    ["missing", () => {}, "invoice.json -o t.ts", "t.ts is not there", "invoice.json -o t.ts"],
    [
      "stale",
      (cwd) => writeFileSync(join(cwd, "invoice.json"), "{}"),
      "invoice.json",
      "pdf-templates.ts is not what the samples say now",
      "invoice.json",
    ],
    [
      "missing, and has a name that a shell would take apart",
      () => {},
      "invoice.json -o $(x)'.ts",
      "$(x)'.ts is not there",
      "invoice.json -o '$(x)'\\''.ts'",
    ],
  ])(
    "fails with exit code 1 and names the command where the file is %s",
    async (_title, prepare, words, what, command) => {
      const cwd = await folderWithTypes();
      prepare(cwd);
      const before = readdirSync(cwd).map((name) => readFileSync(join(cwd, name), "utf8"));
      const { code, stdout, stderr } = await runTypes(cwd, `${words} --check`);
      expect(stderr).toBe(`template-pdf: ${what}. Write it: npx template-pdf types ${command}\n`);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(readdirSync(cwd).map((name) => readFileSync(join(cwd, name), "utf8"))).toEqual(before);
    },
  );
});

it("--check says of a file that was written with --zod that it is to be asked for that", async () => {
  const cwd = folderOf(one);
  await runTypes(cwd, "invoice.json --zod");
  expect(await runTypes(cwd, "invoice.json --zod --check")).toMatchObject({ code: 0 });
  expect(await runTypes(cwd, "invoice.json --check")).toMatchObject({
    code: 1,
    stdout: "",
    stderr:
      "template-pdf: pdf-templates.ts was written with --zod, and is as it should be. Ask for that: npx template-pdf types invoice.json --zod --check\n",
  });
});

it("--check says of a file that this command did not write what --force would do to it", async () => {
  const cwd = folderOf({ ...one, "pdf-templates.ts": "mine" });
  expect(await runTypes(cwd, ". --check")).toEqual({
    code: 1,
    stdout: "",
    stderr:
      "template-pdf: pdf-templates.ts was not written by this command. " +
      "Give -o another name, or overwrite what stands there: npx template-pdf types . --force\n",
    written: "mine",
  });
});

it("a file of this command is still its own where an editor has put a byte order mark before it", async () => {
  const cwd = await folderWithTypes();
  const path = join(cwd, "pdf-templates.ts");
  writeFileSync(path, `\ufeff${readFileSync(path, "utf8")}`);
  writeFileSync(join(cwd, "invoice.json"), '{"b":"1"}');
  expect(await runTypes(cwd, "invoice.json")).toMatchObject(done);
  expect(readFileSync(path, "utf8")).toMatch(/^\/\/ Written by .*\n {2}b: string;\n/s);
});

describe("an output that cannot be written is refused in one line, with exit code 2:", () => {
  it.each<[title: string, output: string, reason: string]>([
    ["in a folder that is not there", "missing/t.ts", "its folder does not exist: create it first"],
    ["a folder", "folder", "it is a folder: name a file inside it"],
    ["below a file", "invoice.json/t.ts", "a part of its path is a file, not a folder"],
  ])("%s", async (_title, output, reason) => {
    const cwd = folderOf(one);
    mkdirSync(join(cwd, "folder"));
    await expectRefusal(cwd, output, reason);
  });

  it.runIf(hasLinks)("a link in a circle", async () => {
    const cwd = folderOf(one);
    symlinkSync("circle.ts", join(cwd, "circle.ts"));
    await expectRefusal(cwd, "circle.ts", "its links lead in a circle");
  });

  async function expectRefusal(cwd: string, output: string, reason: string): Promise<void> {
    const { code, stdout, stderr } = await runTypes(cwd, `invoice.json -o ${output}`);
    expect(stderr).toBe(`template-pdf: Could not write ${output}: ${reason}.\n`);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(existsSync(join(cwd, "pdf-templates.ts"))).toBe(false);
  }
});
