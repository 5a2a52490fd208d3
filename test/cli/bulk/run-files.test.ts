import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readPlan } from "../../../src/cli/bulk/plan.ts";
import { RunFiles } from "../../../src/cli/bulk/run-files.ts";
import { hasLinks } from "../../support/platform.ts";
import { Bench, csvOf } from "./command.ts";

/** A folder `in` with the data, and other ways to it. */
async function setUp(): Promise<Bench> {
  const bench = await Bench.open();
  for (const name of ["in", "data"]) mkdirSync(bench.path(name));
  bench.write("in/7.csv", "no\n7\n");
  symlinkSync("in", bench.path("linked"));
  symlinkSync("in/7.csv", bench.path("link.csv"));
  return bench;
}

describe("no document of a bulk run takes the place of", () => {
  it.each([
    ["the data, by a linked folder", "linked/{{no}}.csv", "in/7.csv", "the data"],
    ["the data, which is named by a linked folder", "in/{{no}}.csv", "linked/7.csv", "the data"],
    ["the data, which is named by a link", "in/{{no}}.csv", "link.csv", "the data"],
  ])("%s", async (_title, out, data, what) => {
    const bench = await setUp();
    const flags = ["--out", bench.path(out), "--journal", bench.path("j")];
    expect(await bench.bulk(data, flags)).toMatchObject({
      code: 2,
      told: expect.stringMatching(`^template-pdf: ${data}:2: --out gives it the path of ${what}\n`),
    });
    expect(readFileSync(bench.path("in/7.csv"), "utf8")).toBe("no\n7\n");
  });

  it.runIf(hasLinks)("the data, by a link among the documents", async () => {
    const bench = await setUp();
    symlinkSync("../in/7.csv", bench.path("data/7.csv"));
    const ending = await bench.bulk("in/7.csv", ["--out", bench.path("data/{{no}}.csv")]);
    expect(ending.told).toMatch(":2: --out gives it the path of the data\n");
  });
});

describe("the files of a bulk run are not one", () => {
  it.each([
    ["link.csv", "--report", "The report and the data are the same file"],
    ["linked/7.csv", "--journal", "The journal and the data are the same file"],
  ])("by %s", async (name, option, told) => {
    const bench = await setUp();
    const ending = await bench.bulk("in/7.csv", [option, bench.path(name)]);
    expect(ending).toEqual({
      code: 2,
      printed: "",
      told: `template-pdf: ${told}, ${name}. Give ${option} another name.\n`,
    });
    expect(readFileSync(bench.path("in/7.csv"), "utf8")).toBe("no\n7\n");
  });

  it.each([
    ["rows.old", "--journal", "rows", "The journal of before and the data"],
    ["rows.lock", "--journal", "rows", "The lock of the journal and the data"],
  ])("where the data is %s", async (name, option, journal, told) => {
    const bench = await Bench.open();
    bench.write(name, csvOf(1));
    bench.write(journal, "");
    const ending = await bench.bulk(name, [option, bench.path(journal), "--fresh"]);
    expect(ending).toMatchObject({
      code: 2,
      told: `template-pdf: ${told} are the same file, ${name}. Give --journal another name.\n`,
    });
    expect(await bench.read(name)).toBe(csvOf(1));
  });

  it.runIf(hasLinks)("by links in a circle, which are no file", async () => {
    const bench = await setUp();
    symlinkSync("b.csv", bench.path("a.csv"));
    symlinkSync("a.csv", bench.path("b.csv"));
    const { code, told } = await bench.bulk("in/7.csv", ["--report", bench.path("a.csv")]);
    expect([code, told]).toEqual([2, "template-pdf: Could not write a.csv: its links lead in a circle.\n"]);
  });

  it.each([
    ["win32", "the data"],
    ["darwin", "the data"],
    ["linux", undefined],
  ])("by their case on %s", async (platform, what) => {
    const bench = await setUp();
    const plan = readPlan("letter", bench.path("missing/Müller.csv"), {
      out: bench.path("{{no}}.pdf"),
      retry: true,
    });
    const files = new RunFiles(plan, undefined, platform);
    expect(files.whatAt(bench.path("missing/mu\u0308LLER.csv"))).toBe(what);
  });
});
