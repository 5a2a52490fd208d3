import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { endingOf, main, start } from "./command.ts";

const dist = new URL("../../dist/", import.meta.url);
const { version, engines } = createRequire(import.meta.url)("../../package.json") as {
  readonly version: string;
  readonly engines: object;
};

/** Runs Node with arguments after code that changes what it says about itself. */
async function runAs(code: string, ...args: readonly string[]) {
  const preload = `data:text/javascript,${encodeURIComponent(code)}`;
  const child = start(process.execPath, ["--import", preload, ...args], { cwd: temporaryFolder() });
  const { code: exitCode, stdout, stderr } = await endingOf(child);
  return { exitCode, stdout: stdout.toString(), stderr };
}

function pretendVersions(versions: Readonly<Record<string, string>>): string {
  return `Object.defineProperty(process, "versions", { value: ${JSON.stringify(versions)} });`;
}

describe("The command", () => {
  it.each([
    ["18.20.8", "20.19"],
    ["16.20.2", "20.19"],
    ["20.10.0", "20.19"],
    ["20.18.3", "20.19"],
    ["21.7.3", "22.12"],
    ["22.11.0", "22.12"],
  ])("says which version it needs on Node %s, and exits with code 2", async (node, needed) => {
    expect(await runAs(pretendVersions({ node }), main, "--version")).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: `template-pdf needs Node ${needed} or later; this is ${node}.\n`,
    });
  });

  it.each([
    { node: "20.19.0" },
    { node: "22.12.0" },
    { node: "24.0.0" },
    { node: "20.11.1", deno: "2.0.0" },
    { node: "22.6.0", bun: "1.1.0" },
  ])("runs on %o", async (versions) => {
    const { exitCode, stdout } = await runAs(pretendVersions(versions), main, "--version");
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: `${version}\n` });
  });

  it("needs the versions that package.json names", () => {
    expect(engines).toEqual({ node: "^20.19.0 || >=22.12.0" });
  });

  it("imports nothing but the process before it checks the version", () => {
    const text = readFileSync(main, "utf8");
    expect(text.match(/^(?:import|export)\b.*(?:from )?".*";$/gm)).toEqual([
      'import process from "node:process";',
    ]);
  });
});

describe("The package", () => {
  const withoutFunction = "delete process.getBuiltinModule;";
  it.each([
    ["imported", `import(${JSON.stringify(new URL("index.js", dist).href)})`],
    [
      "required",
      `Promise.resolve().then(() => require(${JSON.stringify(fileURLToPath(new URL("index.cjs", dist)))}))`,
    ],
  ])("says which version it needs if it is %s on an older one", async (_, load) => {
    const code = `${load}.catch(({ code, message }) => console.log(code, message));`;
    const { stdout } = await runAs(withoutFunction, "-e", code);
    expect(stdout).toBe(
      `invalid_configuration template-pdf needs Node 20.19 or later; this is ${process.versions.node}.\n`,
    );
  });
});
