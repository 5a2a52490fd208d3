import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ownSources } from "../../scripts/own-sources.mjs";
import { programOf } from "../../scripts/run-command.mjs";
import { stripDocs } from "../../scripts/without-docs.mjs";

describe("the build", () => {
  it.each(["/home/me/sdk/src/index.ts", "C:\\sdk\\src\\bulk\\index.ts"])("takes %s for ours", (path) => {
    expect(ownSources.test(path)).toBe(true);
  });

  it("takes doc comments out, and leaves the code behind one", async () => {
    const code = "/** One. */ export const a = 1;\n  /**\n   * Two.\n   */\nexport const b = 2; // Why.\n";
    const left = "/** One. */ export const a = 1;\nexport const b = 2; // Why.\n";
    expect(await stripDocs(code)).toBe(left);
  });

  it("fails where a text has what looks like one", async () => {
    await expect(stripDocs("export const text = `\n/** No comment. */\n`;\n")).rejects.toThrow("other code");
  });
});

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
