import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { pageFilesOf as bulkFilesOf } from "../../bench/bulk/page.mjs";
import { pageFilesOf as compareFilesOf } from "../../bench/compare/page.mjs";
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

it.each([
  ["benchmarks", "npm run bench -- --page", compareFilesOf],
  ["bulk-benchmarks", "npm run bench -- bulk --page", bulkFilesOf],
])("the files docs/reports/%s.* are up to date (to update them, run `%s`)", (name, _command, filesOf) => {
  const files: Readonly<Record<string, string>> = filesOf(JSON.parse(readReport(`${name}.json`)));
  for (const extension of ["json", "md", "svg"])
    expect(readReport(`${name}.${extension}`)).toBe(files[`${name}.${extension}`]);
});
