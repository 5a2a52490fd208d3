import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ReportEntry, ReportFile, reportLayouts } from "../../../src/cli/bulk/report-file.ts";
import { temporaryFolder } from "../../client/every-form.ts";
import { property } from "../../support/fuzz.ts";
import { hasFullDevice, hasLinks } from "../../support/platform.ts";

const anyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom('"', ",", "\r", "\n", "=", " ", ";", "\t", "'", "＝", "-", "."),
    fc.constantFrom("a", "é", "😀"),
  ),
});

/** Undoes what a report does to formulas, as the guide says it. */
function withoutApostrophes(cell: string): string {
  return cell.replace(/(?<=(?:^|[,;|\t\r\n])[\s"']*)'(?=[=+\-@＝＋－＠])/g, "");
}

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

  it.each([
    ["a semicolon", "a;=1", "a;'=1"],
    ["a tab", "a\t+1", "a\t'+1"],
    ["a bar", "a|-1", "a|'-1"],
    ["a line break in the cell", "a\n@x", `"a\n'@x"`],
    ["a semicolon and white space", "a; \u00a0=1", "a; \u00a0'=1"],
    ["a semicolon and a quote", 'a;"=1"', `"a;""'=1"""`],
    ["a semicolon and a character that is not shown", "a;\u200b=1", "a;\u200b'=1"],
    ["a semicolon, with an apostrophe already there", "a;'=1", "a;''=1"],
    ["nothing, with white space before it", "  =1", "  '=1"],
    ["nothing, as a wide sign", "＝1", "'＝1"],
    ["a semicolon, as wide signs", "a;＋1;－1;＠1", "a;'＋1;'－1;'＠1"],
    ["each of many", "=1;=2;=3", "'=1;'=2;'=3"],
  ])("puts an apostrophe before a formula after %s", (_, message, cell) => {
    const line = reportLayouts.csv.write({ ...entry(2), status: "failed", code: "c", message }, true);
    expect(line).toBe(`2,1,out/2.pdf,failed,1,c,${cell}\r\n`);
  });

  it("keeps signs that begin no cell as they are", () => {
    const message = "a=1 b+c, x@y.example; a -1; (=1)";
    const line = reportLayouts.csv.write({ ...entry(2), status: "failed", code: "c", message }, true);
    expect(line).toBe(`2,1,out/2.pdf,failed,1,c,"${message}"\r\n`);
  });

  it("puts apostrophes into the rest of a path, and a folder before its start", () => {
    const { write } = reportLayouts.csv;
    expect(write(entry(2, " ＝a;=b.pdf"), true)).toBe("2,1,./ ＝a;'=b.pdf,made,1,,\r\n");
  });

  it("writes 1 MB of signs and white space at once", () => {
    const message = ";=".repeat(250_000) + " ".repeat(500_000);
    const line = reportLayouts.csv.write({ ...entry(2), status: "failed", code: "c", message }, true);
    expect(line).toHaveLength(`2,1,out/2.pdf,failed,1,c,\r\n`.length + 1_250_000);
  });

  property("reads back as it was, once an apostrophe is taken from every sign that could begin a cell", () =>
    fc.property(anyText, anyText, (text, message) => {
      const path = `out/${text}`;
      const line = reportLayouts.csv.write({ ...entry(2, path), status: "failed", code: "c", message }, true);
      const [cells = []] = parse(line, { record_delimiter: "\r\n" }) as string[][];
      expect(cells.map(withoutApostrophes)).toEqual(["2", "1", path, "failed", "1", "c", message]);
      // Whatever a program splits at, no cell is a formula.
      for (const piece of cells.flatMap((cell) => cell.split(/[,;|\t\r\n]/))) {
        expect(piece).not.toMatch(/^[\s"]*[=+\-@＝＋－＠]/);
      }
      return true;
    }),
  );
});
