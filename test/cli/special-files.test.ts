import { symlinkSync, writeFileSync } from "node:fs";
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { maxJsonBytes } from "../../src/cli/input.ts";
import { run } from "../../src/cli/run.ts";
import { hasLinks, hasPipeFiles } from "../support/platform.ts";
import { makePipe } from "../support/special-files.ts";
import { generateSetting, runInProcess } from "./run-in-process.ts";

const pipe = "it is a named pipe, not a file";
const device = "it is a device, not a file";

const onlyAFile = "Give --values a JSON file, or - for standard input.";
const rows = ["bulk", "invoice", "rows.ndjson", "--out", "out/{{no}}.pdf"];

/** The command line, the path of what is not a file, and the message. */
const refusals: readonly (readonly [args: readonly string[], path: string, message: string])[] = [
  [
    ["generate", "invoice", "--values", "x"],
    "x",
    `Could not read the values from x: ${device}. ${onlyAFile}`,
  ],
  [
    ["bulk", "invoice", "x", "--out", "out/{{no}}.pdf"],
    "x",
    `Could not read x: ${device}. Specify a file of rows, or - for standard input.`,
  ],
  [
    [...rows, "--schema", "x"],
    "x",
    `Could not read the schema x: ${device}. Give --schema a JSON Schema, or a module.`,
  ],
];

describe.runIf(hasPipeFiles && hasLinks)("a device in place of a file", () => {
  it.each(refusals)("is refused by %j", async (args, path, message) => {
    const { cwd, env, service } = await generateSetting();
    writeFileSync(join(cwd, "rows.ndjson"), '{"no":"1"}\n');
    // An empty device. An endless one would fill the disk or the memory if the command read it.
    symlinkSync("/dev/null", join(cwd, path));
    const { code, stderr } = await runInProcess(args, { cwd, env });
    expect({ code, stderr }).toEqual({ code: 2, stderr: `template-pdf: ${message}\n` });
    expect(service.requests).toEqual([]);
  });
});

describe.runIf(hasPipeFiles)("a named pipe without a writer", () => {
  it.each([
    [".env", ["generate", "invoice"], `Could not read .env in this folder: ${pipe}.`],
    ["x.mjs", [...rows, "--schema", "x.mjs"], `x.mjs cannot be loaded: ${pipe}.`],
    ["out.journal", [...rows, "--journal", "out.journal"], "cannot be opened, because it is not a file."],
    ["out.journal.lock", [...rows, "--journal", "out.journal"], `.lock" is unusable, because ${pipe}.`],
    ["report.csv", [...rows, "--report", "report.csv"], "it is a pipe that no program is reading"],
    ["x.json", ["types", "x.json"], "x.json: this is a pipe, a socket or a device"],
  ])("is refused as %s", async (path, args, message) => {
    const { cwd, env } = await generateSetting();
    writeFileSync(join(cwd, "rows.ndjson"), '{"no":"1"}\n');
    makePipe(join(cwd, path));
    const { code, stderr } = await runInProcess(args, { cwd, env: path === ".env" ? {} : env });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });

  it("does not count as the journal of another template", async () => {
    const { cwd, env } = await generateSetting();
    writeFileSync(join(cwd, "rows.ndjson"), '{"no":"1"}\n');
    const args = ["bulk", "invoice", "rows.ndjson", "--out", "{{no}}.pdf"];
    makePipe(join(cwd, "other.journal"));
    const { code, stderr } = await runInProcess(args, { cwd, env });
    expect({ code, stderr }).toMatchObject({ code: 0 });
  });

  it("does not stop `types` if it is called package.json or tsconfig.json, or is in a folder of samples", async () => {
    const { cwd } = await generateSetting();
    writeFileSync(join(cwd, "invoice.json"), '{"no":"1"}');
    for (const name of ["package.json", "tsconfig.json", "other.json", "other.mjs"])
      makePipe(join(cwd, name));
    const { code, stdout } = await runInProcess(["types", "."], { cwd });
    expect({ code, stdout: stdout.toString() }).toEqual({
      code: 0,
      stdout: "pdf-templates.ts: 1 template\n",
    });
  });
});

describe.runIf(hasPipeFiles)("a named pipe with a writer", () => {
  it.each<[what: string, args: readonly string[], content: string]>([
    ["the values", ["generate", "invoice", "--values", "x"], '{"no":"1"}'],
    ["the rows", ["bulk", "invoice", "x", "--format", "ndjson", "--out", "out/{{no}}.pdf"], '{"no":"1"}\n'],
    ["the schema", [...rows, "--schema", "x"], '{"required":["no"]}'],
  ])("supplies %s", async (_what, args, content) => {
    const { cwd, env, service } = await generateSetting();
    writeFileSync(join(cwd, "rows.ndjson"), '{"no":"1"}\n');
    const path = makePipe(join(cwd, "x"));
    const [{ code, stderr }] = await Promise.all([
      runInProcess(args, { cwd, env }),
      writeFile(path, content),
    ]);
    expect(code, stderr).toBe(0);
    expect(service.requests.map(({ body }) => body)).toEqual(['{"no":"1"}']);
  });
});

/** More bytes than the limit, in chunks of 1 MiB. */
function* tooMany(): Generator<Buffer> {
  const chunk = Buffer.alloc(1024 * 1024);
  for (let bytes = 0; bytes <= 2 * maxJsonBytes; bytes += chunk.length) yield chunk;
}

describe("too many values", () => {
  const tooLarge = `it is larger than ${maxJsonBytes / 1024 ** 2} MiB. Leave out the values that the template does not use.`;

  it("are refused from standard input, and the rest is not read", async () => {
    const { terminal, service } = await generateSetting();
    terminal.stdin = Readable.from(tooMany());
    expect(await run(["generate", "invoice", "--values", "-"], terminal)).toBe(2);
    expect(terminal.stderr.text).toBe(
      `template-pdf: Could not read the values from standard input: ${tooLarge}\n`,
    );
    expect(terminal.stdin.destroyed).toBe(true);
    expect(service.requests).toEqual([]);
  });

  it("are refused from a file", async () => {
    const { cwd, env } = await generateSetting();
    const file = await open(join(cwd, "values.json"), "w");
    await file.truncate(maxJsonBytes + 1);
    await file.close();
    const args = ["generate", "invoice", "--values", "values.json"];
    const { code, stderr } = await runInProcess(args, { cwd, env });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `template-pdf: Could not read the values from values.json: ${tooLarge}\n`,
    });
  });
});
