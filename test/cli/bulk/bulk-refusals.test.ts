import { describe, expect, it } from "vitest";
import { run } from "../../../src/cli/run.ts";
import { FakeTerminal } from "../fake-terminal.ts";
import { Bench } from "./command.ts";

describe("the check of the rows before a bulk run", () => {
  const empty = "is empty, but the path of the document needs it";
  it.each<[title: string, name: string, text: string, ...messages: (string | RegExp)[]]>([
    [
      "a wrong number of cells",
      "data.csv",
      "no,name\n1,a\n2\n3,b,CELL\n",
      /^data\.csv:3: .*2/,
      /^data\.csv:4: .*3/,
      "2 rows are wrong, 1 row is good.",
    ],
    [
      "an empty cell that the path needs",
      "data.csv",
      "no,name\n1,a\n,CELL\n",
      `data.csv:3: no: ${empty}`,
      "1 row is wrong, 1 row is good.",
    ],
    [
      "a missing value, and one that cannot be part of a path",
      "data.ndjson",
      '{"no":1}\n{"on":"CELL"}\n{"no":["CELL"]}\n',
      `data.ndjson:2: no: ${empty.replace("empty", "missing")}`,
      `data.ndjson:3: no: ${empty.replace("empty", "an array")}`,
      "2 rows are wrong, 1 row is good.",
    ],
    [
      "two rows with the same path",
      "data.csv",
      "no,name\nCELL,a\n2,b\nCELL,c\n",
      "data.csv:4: --out resolves to the same path as line 2",
      "1 row is wrong, 2 rows are good.",
    ],
    [
      "a path outside the folder",
      "data.csv",
      "no,name\n../../CELL,a\n",
      'data.csv:2: no: The document cannot be saved in "out": its path is not allowed: it contains "..", which escapes the folder',
      "1 row is wrong, 0 rows are good.",
    ],
    [
      "a violation of the schema, and that CSV cells are strings",
      "data.csv",
      "no,total\n1,CELL\n",
      /^data\.csv:2: total: must be a number, but every CSV cell is a string/,
      "1 row is wrong, 0 rows are good.",
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

  it("refuses a document that would replace the data, the journal or the report", async () => {
    const bench = await Bench.open();
    bench.write("a.csv", "no\na.csv\nb.journal\nb.journal.lock\nr.json\n");
    const flags = { out: "{{no}}", journal: "b.journal", report: "r.json" };
    const args = Object.entries(flags).flatMap(([name, file]) => [`--${name}`, bench.path(file)]);
    const { code, stderr } = await bench.bulk("a.csv", args);
    expect(code).toBe(2);
    expect(stderr.split("\n").slice(0, 4)).toEqual(
      ["data", "journal", "lock of the journal", "report"].map(
        (file, index) => `template-pdf: a.csv:${index + 2}: --out resolves to the path of the ${file}`,
      ),
    );
  });

  it("names every column whose value alone makes the path invalid, and otherwise none", async () => {
    const bench = await Bench.open();
    bench.write(
      "data.ndjson",
      '{"no":1,"of":{"year":".."}}\n{"no":"a/","of":{"year":"."}}\n{"no":"..","of":{"year":""}}\n{"no":".","of":{"year":"."}}\n',
    );
    const { stderr } = await bench.bulk("data.ndjson", ["--out", bench.path("out/{{of.year}}/{{no}}")]);
    const columns = stderr.split("\n").map((line) => /^template-pdf: (data.*?): (?:The|is) /.exec(line)?.[1]);
    expect(columns.slice(0, -2)).toEqual([
      "data.ndjson:1: of.year",
      "data.ndjson:2: of.year",
      "data.ndjson:2: no",
      "data.ndjson:3: of.year",
      "data.ndjson:4: of.year",
      "data.ndjson:4: no",
    ]);
    bench.write("data.csv", "no,year\n.,.\n");
    expect((await bench.bulk("data.csv", ["--out", bench.path("out/{{year}}{{no}}")])).stderr).toMatch(
      /^template-pdf: data\.csv:2: The document /,
    );
  });

  it("lists twenty problems, and counts the others", async () => {
    const bench = await Bench.open();
    bench.write("data.csv", `no,name\n${",x\n".repeat(30)}1,x\n`);
    const { stderr } = await bench.bulk("data.csv", ["--dry-run"]);
    expect(stderr.trimEnd().split("\n")).toHaveLength(21);
    expect(stderr).toMatch(
      /\ntemplate-pdf: 30 rows are wrong, 1 row is good\. 10 more problems are not shown\. Nothing was sent\.\n$/,
    );
  });

  it("reports a missing column once instead of for every row", async () => {
    const bench = await Bench.open();
    bench.write("data.csv", "invoice_no,name\n1,a\n2,b\n");
    expect(await bench.bulk("data.csv", ["--out", bench.path("{{invoce_no}}-{{zzz}}.pdf")])).toEqual({
      code: 2,
      printed: "",
      stderr: [
        'template-pdf: --out uses "invoce_no", but data.csv has no such column. Did you mean "invoice_no"?',
        'template-pdf: --out uses "zzz", but data.csv has no such column. Its columns are "invoice_no", "name".',
        "",
      ].join("\n"),
    });
  });

  it("lists only some of many columns and of many placeholders", async () => {
    const bench = await Bench.open();
    const columns = Array.from({ length: 50_000 }, (_, index) => `c${index}${"x".repeat(index % 100)}`);
    bench.write("data.csv", `${columns.join(",")}\n`);
    const placeholders = Array.from({ length: 300 }, (_, index) => `{{z${index}}}`).join("");
    const { code, stderr } = await bench.bulk("data.csv", ["--out", bench.path(`${placeholders}.pdf`)]);
    const lines = stderr.trimEnd().split("\n");
    expect(code).toBe(2);
    expect(lines).toHaveLength(21);
    expect(lines[0]).toMatch(/^template-pdf: --out uses "z0", .* "c49x{49}" and 49,950 more\.$/);
    expect(lines[20]).toBe("template-pdf: 280 more missing columns are not shown.");
  });

  it("finds a value that is too long in a path with 20,000 placeholders", async () => {
    const bench = await Bench.open();
    const names = Array.from({ length: 20_000 }, (_, index) => `z${index}`);
    const values = Object.fromEntries(names.map((name) => [name, name === "z3" ? "x".repeat(300) : "1"]));
    bench.write("data.ndjson", `${JSON.stringify(values)}\n`);
    const out = bench.path(`${names.map((name) => `{{${name}}}`).join("/")}.pdf`);
    const { stderr } = await bench.bulk("data.ndjson", ["--out", out, "--dry-run"]);
    expect(stderr).toMatch(
      /^template-pdf: data\.ndjson:1: z3: .* it contains a name of more than 255 bytes\n/,
    );
  });
});

describe("an invalid command line of bulk", () => {
  it.each<[args: readonly string[], message: RegExp]>([
    [["--out", "out/a.pdf"], /^The path "out\/a\.pdf" has no placeholder, but every document needs /],
    [["--concurrency", "0"], /^--concurrency must be a whole number, 1 or more, or auto, but got "0"\.$/],
    [
      ["--concurrency", "many"],
      /^--concurrency must be a whole number, 1 or more, or auto, but got "many"\.$/,
    ],
    [["--per-second", "-1"], /^--per-second must be a number greater than 0, but got "-1"\.$/],
    [["--per-second", "0"], /^--per-second must be a number greater than 0, but got "0"\.$/],
    [["--limit", "1.5"], /^--limit must be a whole number, 1 or more, but got "1\.5"\.$/],
    [["--stop-after", "0"], /^--stop-after must be a whole number, 1 or more, but got "0"\.$/],
    [["--timeout", "soon"], /^--timeout must be a duration from 1ms to 596h, but got "soon"\./],
    [["--format", "xml"], /^--format must be csv, ndjson or json, but got "xml"\.$/],
    [["--report", "a.txt"], /^--report must be a file name ending in \.json or \.csv, but got "a\.txt"\.$/],
    [["--journal", ""], /^--journal is empty\. Give it a path, or leave it out\.$/],
    [
      ["--journal", "a.csv", "--report", "./a.csv"],
      /^The report and the journal are the same file, \.\/a\.csv\. Give --report another name\.$/,
    ],
    [["--limit", "1", "--limit", "2"], /^--limit may be given only once\. See template-pdf bulk --help\.$/],
    [["--key", "SECRET"], /^The API key cannot be passed on the command line, [^"]*$/],
  ])("is refused in one line: %j", async (args, message) => {
    const bench = await Bench.withRows(1);
    const ending = await bench.bulk("data.csv", args);
    expect(ending).toEqual({ code: 2, printed: "", stderr: expect.stringMatching(/^template-pdf:.*\n$/) });
    expect(ending.stderr.slice("template-pdf: ".length, -1)).toMatch(message);
    expect(ending.stderr).not.toContain("SECRET");
    expect(bench.service.requests).toEqual([]);
    expect(bench.files(".")).toEqual(["data.csv"]);
  });

  it.each<[args: readonly string[], message: RegExp]>([
    [
      ["letter", "data.csv"],
      /^Required option '--out <pattern>' not specified\. See template-pdf bulk --help\.\n$/,
    ],
    [["letter", "--out", "{{no}}"], /^Missing required argument 'data'\. See template-pdf bulk --help\.\n$/],
    [["..", "data.csv", "--out", "{{no}}"], /^Expected a template uid from the dashboard, got "\.\."\.\n$/],
    [["letter", "/none.csv", "--out", "{{no}}"], /^Could not read \/none\.csv: there is no such file\./],
  ])("is refused in one line: bulk %j", async (args, message) => {
    const terminal = new FakeTerminal();
    terminal.env = { TEMPLATE_PDF_API_KEY: "k", TEMPLATE_PDF_BASE_URL: "http://127.0.0.1:1" };
    expect(await run(["bulk", ...args], terminal)).toBe(2);
    expect(terminal.stderr.text.replace(/^template-pdf: /, "")).toMatch(message);
  });
});
