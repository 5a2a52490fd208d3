import { describe, expect, it } from "vitest";
import { EmptyCells, fullNames, hasValue } from "../../../src/cli/bulk/empty-cells.ts";
import { Bench, smallPdf } from "./command.ts";

/** One of three names is missing, and two of three notes. Line 5 is a blank row of a spreadsheet. */
const csv = "no,name,net,note\n1,Zoë,10,\n2,,20,x\n3,Ann,30,\n,,,\n";
const named = 'data.csv: "name" is empty in 1 of 3 rows (line 3).';
const blank = "data.csv: 1 blank line is skipped.";
const advice = "To refuse such rows, add --required name.";

async function benchWith(text = csv): Promise<Bench> {
  const bench = await Bench.open();
  bench.write("data.csv", text);
  return bench;
}

describe("empty cells and blank lines", () => {
  it("are named by a dry run, from a file and from standard input", async () => {
    const bench = await benchWith();
    const printed = [blank, named, advice, "data.csv: 3 rows are valid. Nothing was sent.\n"].join("\n");
    expect(await bench.bulk("data.csv", ["--dry-run"])).toEqual({ code: 0, printed, stderr: "" });
    const fromInput = await bench.bulk("-", ["--dry-run"], { input: csv });
    expect(fromInput.printed).toBe(printed.replaceAll("data.csv", "standard input"));
  });

  it("are named before a run begins, and in its report", async () => {
    const bench = await benchWith();
    const { code, stderr } = await bench.bulk("data.csv", ["--report", bench.path("r.json")]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: `${[blank, named, advice].join("\n")}\n` });
    const report = JSON.parse(await bench.read("r.json")) as { row: number; empty?: string }[];
    expect(Object.fromEntries(report.map(({ row, empty }) => [row, empty]))).toEqual({
      1: undefined,
      2: "name",
      3: undefined,
    });
    await bench.bulk("data.csv", ["--report", bench.path("r.csv")]);
    const lines = (await bench.read("r.csv")).split("\r\n");
    expect(lines.find((line) => line.startsWith("3,2,"))).toMatch(/,made before,,,,name$/);
    expect(bench.requestedNos()).toEqual(["1", "2", "3"]);
  });

  it("are in the report of a run that did not reach the row", async () => {
    const bench = await Bench.open(({ response }) => {
      response.statusCode = 422;
      response.end();
    });
    bench.write("data.csv", csv.replace("20", "20.50"));
    const schema = bench.write("schema.json", '{"properties":{"net":{"type":"number"}}}');
    const flags = ["--concurrency", "1", "--stop-after", "1", "--report", bench.path("r.json")];
    const typed = ["--schema", schema, "--out", bench.path("out/{{net}}.pdf")];
    expect((await bench.bulk("data.csv", [...flags, ...typed])).code).toBe(3);
    const left = { line: 3, row: 2, path: bench.path("out/20.5.pdf"), status: "left", empty: "name" };
    expect(JSON.parse(await bench.read("r.json"))).toContainEqual(left);
  });

  it("are not mentioned if there are none", async () => {
    const bench = await benchWith("no,name\n1,Zoë\n2,Ann\n");
    expect(await bench.bulk("data.csv")).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("--required", () => {
  it.each([
    ["CSV", "data.csv", csv, ["data.csv:3: name"]],
    [
      "CSV with white space in the cell",
      "data.csv",
      csv.replace("2,,", "2,\u00a0\u200b ,"),
      ["data.csv:3: name"],
    ],
    [
      "NDJSON",
      "data.ndjson",
      '{"no":1,"name":"Zoë"}\n{"no":2}\n{"no":3,"name":null}\n{"no":4,"name":"  "}\n{"no":5,"name":[]}\n{"no":6,"name":0}\n',
      [2, 3, 4, 5].map((line) => `data.ndjson:${line}: name`),
    ],
    [
      "JSON with nested values",
      "data.json",
      '[{"no":1,"name":{"first":""}},\n{"no":2,"name":{"first":"Ann"}}]',
      ["data.json:1, row 1: name"],
    ],
  ])("refuses rows in which a value is empty: %s", async (_title, file, text, places) => {
    const bench = await Bench.open();
    bench.write(file, text);
    for (const data of [file, "-"]) {
      const format = ["--format", file.replace("data.", "")];
      const ending = await bench.bulk(data, ["--required", "no, name", ...format], { input: text });
      expect(ending.code).toBe(2);
      const lines = ending.stderr
        .replaceAll("standard input", file)
        .replace("template-pdf: ", "")
        .split("\n");
      const why = "is empty or missing, but --required names it";
      expect(lines.slice(0, -2)).toEqual(places.map((place) => expect.stringMatching(`${place}: ${why}`)));
    }
    expect(bench.service.requests).toEqual([]);
  });

  it("skips such rows with --skip-invalid, and lists them in the report", async () => {
    const bench = await benchWith();
    const flags = ["--required", "name", "--skip-invalid", "--report", bench.path("r.json")];
    expect((await bench.bulk("data.csv", flags)).code).toBe(1);
    const message = "name: is empty or missing, but --required names it";
    expect(JSON.parse(await bench.read("r.json"))).toContainEqual(
      expect.objectContaining({ row: 2, status: "invalid", message }),
    );
    expect((await bench.read("out/3.pdf")).length).toBe(smallPdf.length);
  });

  it.each([
    ["nam", '--required uses "nam", but data.csv has no such column. Did you mean "name"?'],
    ["Name", '--required uses "Name", but data.csv has no such column. Did you mean "name"?'],
    [
      "name,,net",
      '--required must be names that are separated by commas, such as name,net, but got "name,,net".',
    ],
    ["", '--required must be names that are separated by commas, such as name,net, but got "".'],
  ])("reports a name that cannot be meant: %j", async (names, message) => {
    const { code, stderr } = await (await benchWith()).bulk("data.csv", ["--required", names]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: `template-pdf: ${message}\n` });
  });

  it("explains a name that differs from the header only in its Unicode normal form", async () => {
    const bench = await benchWith("no,Pre\u0301nom\n1,Zoë\n");
    const { stderr } = await bench.bulk("data.csv", ["--required", "Pr\u00e9nom"]);
    expect(stderr).toContain("has one that looks the same, but in another Unicode normal form.");
  });
});

describe("the columns with empty cells", () => {
  function columnsOf(rows: readonly object[]) {
    const empty = new EmptyCells();
    for (const [index, values] of rows.entries()) empty.add(values, index + 1);
    return empty.columns;
  }

  it("are those that are empty in at most half of the rows", () => {
    const rows = [
      { a: "x", b: "x", c: "" },
      { a: "", b: "" },
      { a: "x", b: "" },
      { a: "", b: "" },
    ];
    expect(columnsOf(rows)).toEqual([{ name: "a", emptyCount: 2, ordinals: [2, 4] }]);
    expect(columnsOf([{ a: "" }])).toEqual([]);
  });

  it("include properties that earlier rows do not have", () => {
    const rows = [{}, {}, ...Array.from({ length: 8 }, () => ({ a: 1 })), { a: null }];
    expect(columnsOf(rows)).toEqual([{ name: "a", emptyCount: 3, ordinals: [1, 2, 11] }]);
  });

  it("list at most five rows", () => {
    const rows = Array.from({ length: 20 }, (_, index) => ({ a: index < 12 ? false : undefined }));
    expect(columnsOf(rows)).toEqual([{ name: "a", emptyCount: 8, ordinals: [13, 14, 15, 16, 17] }]);
  });

  it("do not take more memory if every row has other names", () => {
    const rows = Array.from({ length: 3000 }, (_, index) => ({
      [`n${index}`]: 1,
      a: index % 2 === 0 ? 1 : "",
    }));
    expect(columnsOf(rows)).toEqual([{ name: "a", emptyCount: 1500, ordinals: [2, 4, 6, 8, 10] }]);
  });

  it("have names with dots if they are nested", () => {
    const values = { a: { b: { c: 0, d: "" }, e: new Date(0) }, f: [""], g: {}, ["__proto__"]: "x" };
    const full = fullNames(values);
    expect([...full]).toEqual(["a.b.c", "a.e", "f", "__proto__"]);
    expect(["a", "a.b", "a.b.c", "a.b.d", "g", "constructor"].filter((name) => hasValue(full, name))).toEqual(
      ["a", "a.b", "a.b.c"],
    );
  });
});
