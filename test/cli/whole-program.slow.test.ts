import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { hasPosixShell, hasSignals } from "../support/platform.ts";
import { beginning, pdfOf, withLength } from "../support/service.ts";
import { endingOf, runCommand, runInShell, startCommand } from "./command.ts";
import { generateSetting } from "./run-in-process.ts";
import { folderOf } from "./types-command.ts";

describe("the generate command", () => {
  it("reads values from one pipe, and writes the document to another pipe", async () => {
    const large = pdfOf(3_000_001);
    const { service, cwd, env } = await generateSetting(withLength(large));
    const input = JSON.stringify({ text: "ü".repeat(200_000) });
    const args = ["generate", "invoice", "--values", "-", "-o", "-"];
    const { code, stdout, stderr } = await runCommand(args, { cwd, env, input });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(large.equals(stdout)).toBe(true);
    expect(await readdir(cwd)).toEqual([]);
    expect(JSON.parse(service.requests[0]?.body ?? "")).toEqual(JSON.parse(input));
  });

  it.runIf(hasSignals).each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("leaves no file behind after %s (exit code: %i)", async (signal, code) => {
    const incomplete = beginning(pdfOf(500_000).subarray(0, 300_000), { "content-length": "500000" });
    const { service, cwd, env } = await generateSetting(incomplete);
    const child = startCommand(["generate", "invoice"], { cwd, env });
    // Before the request, the command creates another file and removes it.
    await service.request();
    await eventually(async () => (await readdir(cwd)).length === 1);
    child.kill(signal);
    expect(await endingOf(child)).toEqual({ code, stdout: Buffer.of(), stderr: "" });
    expect(await readdir(cwd)).toEqual([]);
    await service.requests[0]?.closed;
  });

  it.runIf(hasPosixShell)("exits silently with code 141 if the reader closes the pipe", async () => {
    const { service, cwd, env } = await generateSetting(withLength(pdfOf(8_000_000)));
    const line = '{ "$@"; echo $? >&2; } | head -c 10';
    const { stdout, stderr } = await runInShell(line, ["generate", "invoice", "-o", "-"], { cwd, env });
    expect({ stdout: stdout.toString(), stderr }).toEqual({ stdout: "%PDF-1.7\n ", stderr: "141\n" });
    await service.requests[0]?.closed;
  });
});

it("an uncaught error is printed with its control characters escaped", async () => {
  // A dry run whose schema throws in a timer.
  const schema = `const fail = () => { throw new Error("\\u001b[2J gone"); };
    const validate = () => new Promise(() => setTimeout(fail));
    export default { "~standard": { version: 1, vendor: "x", validate } };`;
  const cwd = folderOf({ "rows.csv": "no\n1\n", "schema.mjs": schema });
  const files = ["letter", "rows.csv", "--schema", "schema.mjs", "--out", "out/{{no}}.pdf"];
  const { code, stderr } = await runCommand(["bulk", ...files, "--dry-run"], { cwd });
  expect(code).toBe(1);
  expect(stderr).toContain(String.raw`template-pdf: Error: \u001b[2J gone`);
  expect(stderr).not.toContain("\u001b");
});

describe("the types command", () => {
  it("writes only the types to standard output even if a module prints text while loading", async () => {
    const module = `console.log("loaded");
      const input = () => (console.log("asked"), { type: "object", properties: { a: { type: "string" } } });
      export const schema = { "~standard": { version: 1, vendor: "mine", validate() {}, jsonSchema: { input } } };`;
    const cwd = folderOf({ "invoice.mjs": module });
    const { code, stdout, stderr } = await runCommand(["types", "invoice.mjs", "-o", "-"], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "loaded\nasked\n" });
    expect(stdout.toString()).toMatch(/^\/\/ Written by .*\n {2}a\?: string \| undefined;\n.*\);\n$/s);
  });

  it.each([
    ["ended the process while it was loading", "process.exit(0);"],
    ["has a top-level await that never settles", "await new Promise(() => {});"],
  ])("rejects a module, and reports that the module %s", async (what, module) => {
    const cwd = folderOf({ "a.mjs": module });
    const { code, stdout, stderr } = await runCommand(["types", "a.mjs"], { cwd });
    const line = `template-pdf: a.mjs: the module ${what}. It must only export values.\n`;
    expect({ code, stdoutLength: stdout.length, stderr }).toEqual({ code: 2, stdoutLength: 0, stderr: line });
  });
});
