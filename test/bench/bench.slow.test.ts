import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { pageFilesOf } from "../../bench/compare/page.mjs";
import { readReport } from "../../bench/shared/reports.mjs";

function run(...args: string[]) {
  const cwd = fileURLToPath(new URL("../../", import.meta.url));
  return spawnSync(process.execPath, ["bench/main.mjs", ...args], { cwd, encoding: "utf8" });
}

describe("npm run bench", () => {
  it("generates 100 documents without failures in the soak benchmark", () => {
    const { status, stdout } = run("soak", "--documents", "100");
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^100 whole, 0 failed, /m),
    });
  });

  it.each([
    [["nothing"], "nothing"],
    [["queue", "nothing"], "queue nothing"],
    [["queue", "limits", "--limits", "5"], "--limits"],
    [["--only", "curl"], "--only matches no name in undici dispatch"],
  ])("rejects the arguments %j with a one-line error", (args, problem) => {
    const { status, stdout, stderr } = run(...args);
    expect({ status, stdout, lines: stderr.trimEnd().split("\n") }).toEqual({
      status: 2,
      stdout: "",
      lines: [expect.stringContaining(problem)],
    });
  });
});

it("the files docs/reports/benchmarks.* are up to date (to update them, run `npm run bench -- --page`)", () => {
  const files = pageFilesOf(JSON.parse(readReport("benchmarks.json")));
  for (const [name, text] of Object.entries(files)) expect(readReport(name)).toBe(text);
});
