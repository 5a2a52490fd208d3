import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { pageFilesOf as bulkFilesOf } from "../../bench/bulk/page.mjs";
import { pageFilesOf as compareFilesOf } from "../../bench/compare/page.mjs";
import { readReport } from "../../bench/shared/reports.mjs";

const cwd = fileURLToPath(new URL("../../", import.meta.url));

function run(...args: string[]) {
  return spawnSync(process.execPath, ["bench/main.mjs", ...args], { cwd, encoding: "utf8" });
}

describe("npm run bench", () => {
  const names = /The benchmarks: (.*)/.exec(run("--help").stdout)?.[1]?.split(", ") ?? [];

  it("lists eleven benchmarks", () => {
    expect(names).toHaveLength(11);
  });

  it.each(names)("loads %s and describes its options with --help", (name) => {
    const { status, stdout, stderr } = run(name, "--help");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^npm run bench -- ${name} \\[options\\]\n[^]*^  --\\w`, "m"));
  });

  it("measures 100 documents and prints what they left behind", () => {
    const { status, stdout } = run("soak", "--documents", "100");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^100 whole, 0 failed, /m);
  });

  it.each([
    [["nothing"], "nothing"],
    [["soak", "--bogus"], "--bogus"],
    [["--only", "curl"], "--only matches none of undici dispatch"],
    [["bulk", "--documents", "150"], "--documents"],
  ])("refuses %j in one line", (args, problem) => {
    const { status, stdout, stderr } = run(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(problem);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});

describe.each([
  ["benchmarks", "npm run bench -- --page", compareFilesOf],
  ["bulk-benchmarks", "npm run bench -- bulk --page", bulkFilesOf],
])("the report docs/reports/%s", (name, command, filesOf) => {
  it.each(["json", "md", "svg"])(`has an up-to-date .%s file (${command} writes it)`, (extension) => {
    const files: Readonly<Record<string, string>> = filesOf(JSON.parse(readReport(`${name}.json`)));
    expect(readReport(`${name}.${extension}`)).toBe(files[`${name}.${extension}`]);
  });
});
