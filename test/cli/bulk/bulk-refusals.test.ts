import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readPlan } from "../../../src/cli/bulk/plan.ts";
import { RunFiles } from "../../../src/cli/bulk/run-files.ts";
import { hasLinks } from "../../support/platform.ts";
import { Bench, csvOf } from "./command.ts";

describe("the row check before a bulk run", () => {
  const empty = "is empty, but the path of the document needs it";
  it.each<[title: string, name: string, text: string, ...messages: (string | RegExp)[]]>([
    [
      "missing, extra and empty cells",
      "data.csv",
      "no,name\n1,a\n2\n3,b,CELL\n,CELL\n",
      /^data\.csv:3: .*2/,
      /^data\.csv:4: .*3/,
      `data.csv:5: no: ${empty}`,
      "3 rows are invalid, 1 row is valid.",
    ],
    [
      "missing values and values that cannot be part of a path",
      "data.ndjson",
      '{"no":1}\n{"on":"CELL"}\n{"no":["CELL"]}\n',
      `data.ndjson:2: no: ${empty.replace("empty", "missing")}`,
      `data.ndjson:3: no: ${empty.replace("empty", "an array")}`,
      "2 rows are invalid, 1 row is valid.",
    ],
    [
      "a path outside the folder",
      "data.csv",
      "no,name\n../../CELL,a\n",
      'data.csv:2: no: The document cannot be saved in "out": its path is not allowed: it contains "..", which escapes the folder',
      "1 row is invalid, 0 rows are valid.",
    ],
    [
      "schema violations, with a hint how to write the cell",
      "data.csv",
      "no,total\n1,CELL\n2,1.5\n3,\n",
      /^data\.csv:2: total: must be a number: write it as -1234\.5/,
      "1 row is invalid, 2 rows are valid.",
    ],
  ])("reports %s", async (_title, name, text, ...messages) => {
    const bench = await Bench.open();
    bench.write(name, text);
    const schema = bench.write("schema.json", '{"properties":{"total":{"type":"number"}}}');
    const ending = await bench.bulk(name, ["--schema", schema]);
    expect(ending).toMatchObject({ code: 2, printed: "" });
    const lines = ending.stderr.replaceAll("template-pdf: ", "").split("\n");
    expect(lines).toEqual([
      ...messages.slice(0, -1).map((line) => (typeof line === "string" ? line : expect.stringMatching(line))),
      `${messages.at(-1)} Nothing was sent.`,
      "",
    ]);
    expect(ending.stderr).not.toContain("CELL");
    expect(bench.service.requests).toEqual([]);
    expect(bench.files(".")).toEqual([name, "schema.json"]);
  });

  it("lists the first twenty problems, and counts the others", async () => {
    const bench = await Bench.open();
    bench.write("data.csv", `no,name\n${",x\n".repeat(30)}1,x\n`);
    const { stderr } = await bench.bulk("data.csv", ["--dry-run"]);
    expect(stderr.trimEnd().split("\n")).toHaveLength(21);
    expect(stderr).toContain(": 30 rows are invalid, 1 row is valid. 10 more problems are not shown.");
  });

  it("reports each missing column once, and shortens long lists of columns", async () => {
    const bench = await Bench.open();
    bench.write("data.csv", "invoice_no,name\n1,a\n2,b\n");
    expect(await bench.bulk("data.csv", ["--out", bench.path("{{invoce_no}}-{{zzz}}.pdf")])).toEqual({
      code: 2,
      printed: "",
      stderr:
        'template-pdf: --out uses "invoce_no", but data.csv has no such column. Did you mean "invoice_no"?\n' +
        'template-pdf: --out uses "zzz", but data.csv has no such column. Its columns are "invoice_no", "name".\n',
    });
    bench.write("data.csv", `${Array.from({ length: 60 }, (_, index) => `c${index}`).join(",")}\n`);
    const placeholders = Array.from({ length: 22 }, (_, index) => `{{z${index}x}}`).join("");
    const { stderr } = await bench.bulk("data.csv", ["--out", bench.path(`${placeholders}.pdf`)]);
    const lines = stderr.trimEnd().split("\n");
    expect(lines).toHaveLength(21);
    expect(lines[0]).toMatch(/^template-pdf: --out uses "z0x", .* "c49" and 10 more\.$/);
    expect(lines[20]).toBe("template-pdf: 2 more missing columns are not shown.");
  });
});

describe("a document from a bulk run", () => {
  it("cannot replace the data file, the journal or the report", async () => {
    const bench = await Bench.open();
    bench.write("a.csv", "no\na.csv\nb.journal\nb.journal.lock\nr.json\n");
    const flags = { out: "{{no}}", journal: "b.journal", report: "r.json" };
    const args = Object.entries(flags).flatMap(([name, file]) => [`--${name}`, bench.path(file)]);
    const { code, stderr } = await bench.bulk("a.csv", args);
    expect(code).toBe(2);
    const lines = stderr.split("\n").map((line) => line.replace(/.*: --out resolves to the path of /, ""));
    expect(lines.slice(0, 4)).toEqual(["the data", "the journal", "the journal's lock", "the report"]);
  });

  it.runIf(hasLinks).each([
    ["even if the data path is a link", "in/{{no}}.csv", "link.csv"],
    ["even through a link in the output folder", "data/{{no}}.csv", "in/7.csv"],
  ])("cannot replace the data file %s", async (_title, out, data) => {
    const bench = await benchWithLinks();
    const flags = ["--out", bench.path(out), "--journal", bench.path("j")];
    const { code, stderr } = await bench.bulk(data, flags);
    expect(code).toBe(2);
    expect(stderr).toMatch(`template-pdf: ${data}:2: --out resolves to the path of the data\n`);
    expect(readFileSync(bench.path("in/7.csv"), "utf8")).toBe("no\n7\n");
  });
});

/** Creates a folder `in` with the data, and links to it. */
async function benchWithLinks(): Promise<Bench> {
  const bench = await Bench.open();
  for (const name of ["in", "data"]) mkdirSync(bench.path(name));
  bench.write("in/7.csv", "no\n7\n");
  symlinkSync("in", bench.path("linked"));
  symlinkSync("in/7.csv", bench.path("link.csv"));
  symlinkSync("../in/7.csv", bench.path("data/7.csv"));
  return bench;
}

describe("a bulk run", () => {
  it.runIf(hasLinks)("is rejected if the report is a link to the data file", async () => {
    const bench = await benchWithLinks();
    const { code, stderr } = await bench.bulk("in/7.csv", ["--report", bench.path("link.csv")]);
    const line = "The report and the data are the same file, link.csv. Give --report another name.";
    expect({ code, stderr }).toEqual({ code: 2, stderr: `template-pdf: ${line}\n` });
    expect(readFileSync(bench.path("in/7.csv"), "utf8")).toBe("no\n7\n");
  });

  it("is rejected if the data file is also the journal's lock file", async () => {
    const bench = await Bench.open();
    bench.write("rows.lock", csvOf(1));
    const { code, stderr } = await bench.bulk("rows.lock", ["--journal", bench.path("rows")]);
    const line = "The journal's lock and the data are the same file, rows.lock.";
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(line) });
    expect(await bench.read("rows.lock")).toBe(csvOf(1));
  });

  it("is rejected if the folder contains another template's journal", async () => {
    const bench = await Bench.withRows(2);
    await bench.bulk("data.csv");
    const { code, stderr } = await bench.bulk("data.csv", [], { uid: "invoice" });
    const line = "out/letter.journal belongs to another run in this folder";
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(line) });
    const flags = ["--journal", bench.path("i.journal"), "--out", bench.path("out/invoice-{{no}}.pdf")];
    expect((await bench.bulk("data.csv", flags, { uid: "invoice" })).code).toBe(0);
  });

  it.each([
    ["--out", "file/{{no}}.pdf", 'The folder "file" is not writable: a file with this name already exists.'],
    ["--journal", "file/a", 'The journal "file/a" cannot be opened: a part of its path is a file'],
    ["--report", "r.csv", "Could not write r.csv: it is a folder: specify a file inside it."],
  ])("is rejected if %s is set to a path that cannot be written: %s", async (option, path, message) => {
    const bench = await Bench.withRows(1);
    bench.write("file", "");
    mkdirSync(bench.path("r.csv"));
    const { code, stderr } = await bench.bulk("data.csv", [option, bench.path(path)]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`template-pdf: ${message}`),
    });
    expect(bench.service.requests).toEqual([]);
  });
});

it.each([
  ["win32", "the data"],
  ["darwin", "the data"],
  ["linux", undefined],
])("RunFiles compares paths as the file system of %s does", async (platform, what) => {
  const bench = await Bench.open();
  const options = { out: bench.path("{{no}}.pdf"), retry: true };
  const plan = readPlan("letter", bench.path("missing/Müller.csv"), options);
  const files = new RunFiles(plan, undefined, platform);
  expect(files.whatAt(bench.path("missing/mu\u0308LLER.csv"))).toBe(what);
});
