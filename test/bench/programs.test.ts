import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { scripts } from "../../package.json";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** By the name of the npm script. */
const programs = Object.entries(scripts).flatMap(([script, command]) => {
  const [program] = /bench\/\S+\.mjs/.exec(command) ?? [];
  return program ? [{ script, program }] : [];
});

function run(program: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: root,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

describe("the programs of the bench", () => {
  it("are eleven", () => {
    expect(programs).toHaveLength(11);
  });

  it.each(programs)("$program tells with --help how to call it", ({ script, program }) => {
    const { status, stdout, stderr } = run(program, "--help");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout.split("\n")[0]).toMatch(new RegExp(`^npm run ${script}( -- |$)`));
  });

  it.each(programs)("$program refuses an option it does not know, in one line", ({ program }) => {
    const { status, stdout, stderr } = run(program, "--bogus");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^[^\n]*'--bogus'[^\n]*\n$/);
  });

  it.each([
    ["bench/compare.mjs", ["--rounds", "many"], "--rounds"],
    ["bench/profile.mjs", ["ourselves"], "ourselves"],
    ["bench/profile.mjs", ["undici dispatch", "15"], "bytes"],
    ["bench/soak.mjs", ["1e3"], "1e3"],
    ["bench/big-body.mjs", ["0"], "MiB"],
    ["bench/big-body.mjs", ["1", "no such folder"], "no such folder"],
    ["bench/cold-start.mjs", ["--rounds", "-1"], "--rounds"],
    ["bench/cold-start.mjs", ["--node", "no-such-node"], "no-such-node"],
    ["bench/emulator.mjs", ["10", "20"], "20"],
    ["bench/bulk.mjs", ["--part", "no such part"], "no such part"],
    ["bench/bulk.mjs", ["--documents", "150"], "--documents"],
    ["bench/bulk.mjs", ["--folder", "no such folder"], "no such folder"],
    ["bench/journal.mjs", ["--lines", "0"], "--lines"],
    ["bench/journal.mjs", ["--folder", "no such folder"], "no such folder"],
  ])("%s refuses %j", (program, args, named) => {
    const { status, stderr } = run(program, ...args);
    expect(status).toBe(2);
    expect(stderr).toContain(named);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});
