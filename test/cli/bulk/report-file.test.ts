import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ReportEntry, reportLayouts } from "../../../src/cli/bulk/report-entry.ts";
import { ReportFile } from "../../../src/cli/bulk/report-file.ts";
import { temporaryFolder } from "../../client/every-form.ts";
import { property } from "../../support/fuzz.ts";
import { hasFullDevice, hasLinks } from "../../support/platform.ts";

const anyText = fc.string({
  unit: fc.oneof(fc.constantFrom('"', ",", "\r", "\n", "=", " "), fc.constantFrom("a", "é", "😀")),
});

function entry(line: number, path = `out/${line}.pdf`): ReportEntry {
  return { line, row: line - 1, path, status: "made", attempts: 1 };
}

describe("a report", () => {
  it("is an empty array, or a header, where there were no rows", async () => {
    const folder = temporaryFolder();
    for (const format of ["json", "csv"] as const) {
      await (await ReportFile.open(join(folder, `new/r.${format}`), format)).finish();
    }
    expect(readFileSync(join(folder, "new/r.json"), "utf8")).toBe("[\n]\n");
    expect(readFileSync(join(folder, "new/r.csv"), "utf8")).toBe(
      "line,row,path,status,attempts,code,message\r\n",
    );
  });

  it("takes its place only when it is whole", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "r.json");
    writeFileSync(path, "of before");
    const report = await ReportFile.open(path, "json");
    for (let line = 1; line <= 20_000; line++) {
      report.add(entry(line));
      await report.room();
    }
    expect(readFileSync(path, "utf8")).toBe("of before");
    await report.finish();
    const entries = JSON.parse(readFileSync(path, "utf8")) as ReportEntry[];
    expect([entries.length, entries[19_999]]).toEqual([20_000, entry(20_000)]);
    expect(readdirSync(folder)).toEqual(["r.json"]);
  });

  it("leaves nothing behind where it is dropped", async () => {
    const folder = temporaryFolder();
    const report = await ReportFile.open(join(folder, "r.csv"), "csv");
    report.add(entry(1));
    await report.discard();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.runIf(hasLinks)("is written to where a link leads", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "real.csv"), "");
    symlinkSync("real.csv", join(folder, "r.csv"));
    const report = await ReportFile.open(join(folder, "r.csv"), "csv");
    await report.finish();
    expect(readFileSync(join(folder, "real.csv"), "utf8")).toMatch(/^line,/);
  });

  it.runIf(hasFullDevice)("on a full disk fails, and says so", async () => {
    const report = await ReportFile.open("/dev/full", "csv");
    report.add(entry(1));
    await expect(report.finish()).rejects.toThrow("Could not write /dev/full: the disk is full.");
  });
});

describe("a line of a report in CSV", () => {
  it("is no formula, whatever the row has put into the path", () => {
    const { write } = reportLayouts.csv;
    expect(write(entry(2, "=HYPERLINK(1).pdf"), true)).toBe("2,1,./=HYPERLINK(1).pdf,made,1,,\r\n");
    expect(write(entry(2, "+1.pdf"), true)).toContain(",./+1.pdf,");
  });

  property("reads back as it was", () =>
    fc.property(anyText, anyText, (text, message) => {
      // What is no formula, nor a path of nothing.
      const path = `out/${text}`;
      const line = reportLayouts.csv.write({ ...entry(2, path), status: "failed", code: "c", message }, true);
      expect(parse(line, { record_delimiter: "\r\n" })).toEqual([
        ["2", "1", path, "failed", "1", "c", message],
      ]);
      return true;
    }),
  );
});
