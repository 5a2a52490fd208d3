import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["bench/main.mjs", ...args], {
    cwd: root,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

const names = /The benchmarks: (.*)/.exec(run("--help").stdout)?.[1]?.split(", ") ?? [];

describe("npm run bench", () => {
  it("has eleven benchmarks", () => {
    expect(names).toHaveLength(11);
  });

  it.each(names)("describes the options of %s with --help", (name) => {
    const { status, stdout, stderr } = run(name, "--help");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^npm run bench -- ${name} \\[options\\]\n[^]*^  --\\w`, "m"));
  });

  it.each([
    [["nothing"], "nothing"],
    [["soak", "--bogus"], "--bogus"],
    [["soak", "more"], "more"],
    [["soak", "--documents", "1e3"], "--documents"],
    [["--only", "curl"], "--only matches none of undici dispatch"],
    [["--cells", "quic"], "--cells matches none of HTTP, 2 kB"],
    [["--rounds", "0"], "--rounds"],
    [["profile", "--contender", "ourselves"], "ourselves"],
    [["profile", "--bytes", "15"], "--bytes"],
    [["big-body", "--folder", "no such folder"], "no such folder"],
    [["bulk", "--part", "no such part"], "no such part"],
    [["bulk", "--documents", "150"], "--documents"],
  ])("refuses %j in one line", (args, named) => {
    const { status, stdout, stderr } = run(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(named);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});
