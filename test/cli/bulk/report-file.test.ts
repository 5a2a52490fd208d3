import { chmodSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ReportEntry, ReportFile, reportLayouts } from "../../../src/cli/bulk/report-file.ts";
import { modeOf, setUmask } from "../../support/file-modes.ts";
import { property } from "../../support/fuzz.ts";
import { hasLinks, hasModes } from "../../support/platform.ts";
import { refuseRenames } from "../../support/refuse-renames.ts";
import { rejectionOf } from "../../support/service.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const character = fc.constantFrom(..."\",\r\n= ;\t'＝-.aé😀");
const anyText = fc.string({ unit: character });

/** Removes the apostrophes before formulas, as the guide describes. */
function withoutApostrophes(cell: string): string {
  return cell.replace(/(?<=(?:^|[,;|\t\r\n])[\s"']*)'(?=[=+\-@＝＋－＠])/g, "");
}

function entry(line: number, path = `out/${line}.pdf`): ReportEntry {
  return { line, row: line - 1, path, status: "made", attempts: 1 };
}

describe("a report", () => {
  it.each([
    ["json", "[\n]\n"],
    ["csv", "line,row,path,status,attempts,code,message,empty\r\n"],
  ] as const)("is a valid %s file even if it has no rows: %j", async (format, text) => {
    const path = join(temporaryFolder(), "new/r");
    await (await ReportFile.open(path, format)).finish();
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  it("does not replace an existing file before all rows are written", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "r.json");
    writeFileSync(path, "of before");
    const report = await ReportFile.open(path, "json");
    for (let line = 1; line <= 5000; line++) {
      report.add(entry(line));
      await report.room();
    }
    expect(readFileSync(path, "utf8")).toBe("of before");
    await report.finish();
    const entries = JSON.parse(readFileSync(path, "utf8")) as ReportEntry[];
    expect({ entryCount: entries.length, last: entries[4999] }).toEqual({
      entryCount: 5000,
      last: entry(5000),
    });
    expect(readdirSync(folder)).toEqual(["r.json"]);
  });

  it("is left in its folder if the system refuses to move it to its path", async () => {
    const folder = temporaryFolder();
    const report = await ReportFile.open(join(folder, "r.json"), "json");
    refuseRenames("EACCES");
    report.add(entry(1));
    const { message } = (await rejectionOf(report.finish())) as Error;
    const [name = ""] = readdirSync(folder);
    expect(message).toContain(` The complete file is ${JSON.stringify(join(folder, name))}`);
    expect(JSON.parse(readFileSync(join(folder, name), "utf8"))).toEqual([entry(1)]);
  });

  it.runIf(hasLinks)("is written to the target of a symbolic link", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "real.csv"), "");
    symlinkSync("real.csv", join(folder, "r.csv"));
    await (await ReportFile.open(join(folder, "r.csv"), "csv")).finish();
    expect(readFileSync(join(folder, "real.csv"), "utf8")).toMatch(/^line,/);
  });
});

describe.runIf(hasModes)("a report", () => {
  it("is private from its first byte, whatever the umask", async () => {
    setUmask(0);
    const folder = temporaryFolder();
    const report = await ReportFile.open(join(folder, "r.json"), "json");
    report.add(entry(1));
    expect(readdirSync(folder).map((name) => modeOf(join(folder, name)))).toEqual(["600"]);
    await report.finish();
    expect(modeOf(join(folder, "r.json"))).toBe("600");
  });

  it("keeps the mode of the file that it replaces", async () => {
    const path = join(temporaryFolder(), "r.json");
    writeFileSync(path, "");
    chmodSync(path, 0o640);
    await (await ReportFile.open(path, "json")).finish();
    expect(modeOf(path)).toBe("640");
  });
});

describe("a line in a CSV report", () => {
  const { write } = reportLayouts.csv;
  const start = "2,1,out/2.pdf,failed,1,c,";
  const lineOf = (message: string, path?: string) =>
    write({ ...entry(2, path), status: "failed", code: "c", message }, true);

  it.each([
    ["=HYPERLINK(1).pdf", "./=HYPERLINK(1).pdf"],
    [" ＝a;=b.pdf", "./ ＝a;'=b.pdf"],
  ])("has `./` before a path that could be a formula: %s", (path, cell) => {
    expect(write(entry(2, path), true)).toBe(`2,1,${cell},made,1,,,\r\n`);
  });

  it.each([
    ["that follows a line break in the cell", "a\n@x", `"a\n'@x"`],
    ["that follows a semicolon and a quote", 'a;"=1"', `"a;""'=1"""`],
    ["that begins with a full-width sign", "a;＋1;－1;＠1", "a;'＋1;'－1;'＠1"],
    ["at the start of a cell and after every delimiter", "=1;=2|-3\t+4", "'=1;'=2|'-3\t'+4"],
    ["but not before plain text", "a=1 b+c, x@y.example; a -1; (=1)", '"a=1 b+c, x@y.example; a -1; (=1)"'],
  ])("has an apostrophe before a formula %s", (_, message, cell) => {
    expect(lineOf(message)).toBe(`${start}${cell},\r\n`);
  });

  it("can contain 1 MB of symbols and white space", () => {
    const message = ";=".repeat(250_000) + " ".repeat(500_000);
    expect(lineOf(message)).toHaveLength(`${start},\r\n`.length + 1_250_000);
  });

  property("has the original cells after the apostrophes before formulas are removed", () =>
    fc.property(anyText, anyText, (text, message) => {
      const path = `out/${text}`;
      const [cells = []] = parse(lineOf(message, path), { record_delimiter: "\r\n" }) as string[][];
      expect(cells.map(withoutApostrophes)).toEqual(["2", "1", path, "failed", "1", "c", message, ""]);
      // No cell is a formula, whichever delimiter a program uses.
      for (const piece of cells.flatMap((cell) => cell.split(/[,;|\t\r\n]/))) {
        expect(piece).not.toMatch(/^[\s"]*[=+\-@＝＋－＠]/);
      }
      return true;
    }),
  );
});
