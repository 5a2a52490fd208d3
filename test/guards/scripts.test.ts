import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { expressionsIn, problemsOf } from "../../scripts/regular-expressions.mjs";
import { programOf } from "../../scripts/run-command.mjs";

describe("a command that a script runs", () => {
  it.each(["npm", "npx"])("on Windows is no command script: %s", (command) => {
    const running = join(dirname(process.execPath), "elsewhere", "npm-cli.js");
    vi.stubEnv("npm_execpath", running);
    onTestFinished(() => void vi.unstubAllEnvs());
    const script = join(dirname(running), `${command}-cli.js`);
    expect(programOf(command, "win32")).toEqual([process.execPath, script]);
  });

  it("is found by its name where that is a program", () => {
    expect(programOf("git", "win32")).toEqual(["git"]);
    expect(programOf("npm", "linux")).toEqual(["npm"]);
  });
});

describe("The check of regular expressions", () => {
  const problemsIn = (text: string, exceptions: Readonly<Record<string, string>> = {}) =>
    problemsOf(expressionsIn("src/file.ts", text), exceptions);

  it("finds nothing wrong with linear ones, wherever they are", async () => {
    const text = String.raw`export const a = [/^\s*a/, "b".replace(/[\t ]+/g, ""), { c: (d: string) => /\/(\d+)$/u.test(d) }];`;
    expect(expressionsIn("src/file.ts", text)).toHaveLength(3);
    expect(await problemsIn(text)).toEqual([]);
  });

  it.each([
    ["quadratic", String.raw`/\s*[\r\n]\s*/g`, "takes 2nd degree polynomial time"],
    ["exponential", "/^(a+)+$/", "takes exponential time"],
    [
      "linear by itself, and quadratic when it is applied again and again",
      "/a.*?b|a/g",
      "takes long for many of",
    ],
    ["built at run time", "new RegExp(text)", "is built at run time"],
    ["built without `new`", "RegExp(text, 'g')", "is built at run time"],
  ])("finds one that is %s", async (_, code, problem) => {
    expect(await problemsIn(`\nexport const found = ${code};`)).toEqual([
      expect.stringContaining(`src/file.ts:2: ${code} ${problem}`),
    ]);
  });

  it("passes over what is excepted, and finds exceptions that no file needs any more", async () => {
    const text = "export const found = new RegExp(text);";
    expect(await problemsIn(text, { "src/file.ts: new RegExp(text)": "The text is ours." })).toEqual([]);
    expect(await problemsIn("", { "src/file.ts: new RegExp(text)": "The text is ours." })).toEqual([
      "src/file.ts: new RegExp(text) is listed as an exception but does not occur",
    ]);
  });
});
