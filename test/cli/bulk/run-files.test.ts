import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readPlan } from "../../../src/cli/bulk/plan.ts";
import { RunFiles } from "../../../src/cli/bulk/run-files.ts";
import { hasLinks } from "../../support/platform.ts";
import { Bench, csvOf } from "./command.ts";

/** Creates a folder `in` with the data, and links to it. */
async function setUp(): Promise<Bench> {
  const bench = await Bench.open();
  for (const name of ["in", "data"]) mkdirSync(bench.path(name));
  bench.write("in/7.csv", "no\n7\n");
  symlinkSync("in", bench.path("linked"));
  symlinkSync("in/7.csv", bench.path("link.csv"));
  return bench;
}

describe("a document of a bulk run cannot replace the data", () => {
  it.runIf(hasLinks).each([
    ["through a linked folder", "linked/{{no}}.csv", "in/7.csv"],
    ["whose path contains a linked folder", "in/{{no}}.csv", "linked/7.csv"],
    ["whose path is a link", "in/{{no}}.csv", "link.csv"],
    ["through a link in its own folder", "data/{{no}}.csv", "in/7.csv"],
  ])("%s", async (_title, out, data) => {
    const bench = await setUp();
    symlinkSync("../in/7.csv", bench.path("data/7.csv"));
    const flags = ["--out", bench.path(out), "--journal", bench.path("j")];
    expect(await bench.bulk(data, flags)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(`^template-pdf: ${data}:2: --out resolves to the path of the data\n`),
    });
    expect(readFileSync(bench.path("in/7.csv"), "utf8")).toBe("no\n7\n");
  });
});

describe("a bulk run is refused", () => {
  it.each([
    ["link.csv", "report"],
    ["linked/7.csv", "journal"],
  ])("if %s leads to the data and is also the %s", async (name, what) => {
    const bench = await setUp();
    const ending = await bench.bulk("in/7.csv", [`--${what}`, bench.path(name)]);
    expect(ending).toEqual({
      code: 2,
      printed: "",
      stderr: `template-pdf: The ${what} and the data are the same file, ${name}. Give --${what} another name.\n`,
    });
    expect(readFileSync(bench.path("in/7.csv"), "utf8")).toBe("no\n7\n");
  });

  it.each([
    ["rows.old", "The previous journal"],
    ["rows.lock", "The lock of the journal"],
  ])("if the data is %s, which the journal needs", async (name, what) => {
    const bench = await Bench.open();
    bench.write(name, csvOf(1));
    bench.write("rows", "");
    expect(await bench.bulk(name, ["--journal", bench.path("rows"), "--fresh"])).toMatchObject({
      code: 2,
      stderr: `template-pdf: ${what} and the data are the same file, ${name}. Give --journal another name.\n`,
    });
    expect(await bench.read(name)).toBe(csvOf(1));
  });

  it.runIf(hasLinks)("if the path of its report is a loop of links", async () => {
    const bench = await setUp();
    symlinkSync("b.csv", bench.path("a.csv"));
    symlinkSync("a.csv", bench.path("b.csv"));
    const { code, stderr } = await bench.bulk("in/7.csv", ["--report", bench.path("a.csv")]);
    expect([code, stderr]).toEqual([2, "template-pdf: Could not write a.csv: its links form a loop.\n"]);
  });
});

describe("RunFiles", () => {
  it.each([
    ["win32", "the data"],
    ["darwin", "the data"],
    ["linux", undefined],
  ])("compares paths by the rules of %s", async (platform, what) => {
    const bench = await setUp();
    const plan = readPlan("letter", bench.path("missing/Müller.csv"), {
      out: bench.path("{{no}}.pdf"),
      retry: true,
    });
    const files = new RunFiles(plan, undefined, platform);
    expect(files.whatAt(bench.path("missing/mu\u0308LLER.csv"))).toBe(what);
  });
});
