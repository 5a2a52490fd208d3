import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { expressionsIn, problemsOf } from "../../scripts/regular-expressions.mjs";
import { programOf } from "../../scripts/run-command.mjs";

it.each(["npm", "npx"])("programOf() runs the JavaScript file of %s on Windows", (command) => {
  const running = join(dirname(process.execPath), "elsewhere", "npm-cli.js");
  vi.stubEnv("npm_execpath", running);
  onTestFinished(() => void vi.unstubAllEnvs());
  const script = join(dirname(running), `${command}-cli.js`);
  expect(programOf(command, "win32")).toEqual([process.execPath, script]);
  expect(programOf(command, "linux")).toEqual([command]);
});

describe("the check of regular expressions", () => {
  const problemsIn = (text: string, exceptions: Readonly<Record<string, string>> = {}) =>
    problemsOf(expressionsIn("src/file.ts", text), exceptions);

  it("accepts linear expressions", async () => {
    const text = String.raw`export const a = [/^\s*a/, "b".replace(/[\t ]+/g, ""), (d: string) => /\/(\d+)$/u.test(d)];`;
    expect(expressionsIn("src/file.ts", text)).toHaveLength(3);
    expect(await problemsIn(text)).toEqual([]);
  });

  it.each([
    [String.raw`/\s*[\r\n]\s*/g`, "takes 2nd degree polynomial time"],
    ["/^(a+)+$/", "takes exponential time"],
    // Linear time for one match, but quadratic time for all matches.
    ["/a.*?b|a/g", "takes long for many of"],
    ["RegExp(text, 'g')", "is built at run time"],
  ])("reports that %s %s", async (code, problem) => {
    expect(await problemsIn(`\nexport const found = ${code};`)).toEqual([
      expect.stringContaining(`src/file.ts:2: ${code} ${problem}`),
    ]);
  });

  it("accepts exceptions and reports unused ones", async () => {
    const exceptions = { "src/file.ts: new RegExp(text)": "The text is ours." };
    expect(await problemsIn("export const found = new RegExp(text);", exceptions)).toEqual([]);
    expect(await problemsIn("", exceptions)).toEqual([
      "src/file.ts: new RegExp(text) is listed as an exception but does not occur",
    ]);
  });
});
