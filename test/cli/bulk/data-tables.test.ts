import { describe, expect, it } from "vitest";
import { fileOf, open, readAll, readFileOf, valuesOf } from "./read-data.ts";

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le");
/** Returns the number of each row, and the line on which it begins. */
const placesOf = async (name: string, content: string) =>
  (await readFileOf(name, content)).map((row) => "line" in row && `${row.number}:${row.line}`).join(" ");

describe("a CSV file", () => {
  it.each([
    ["semicolons as delimiters", "a;b\n1;2\n3;4\n"],
    ["mixed line breaks and no final line break", "a,b\r\n1,2\n3,4"],
    ["a byte order mark", "\ufeffa,b\n1,2\n3,4\n"],
    ["empty lines", "\n\na,b\n\n1,2\n\r\n\n3,4\n\n"],
    ["unnecessary quotes", '"a","b"\n"1","2"\n"3","4"\n'],
    ["rows of empty cells before, between and after its rows", ',\n\na,b\n,\n1,2\n" ",""\n,,,\n3,4\n,\n'],
    ["carriage returns as line breaks", "a,b\r1,2\r,\r3,4\r"],
    ["a line that names the delimiter", "sep=;\r\na;b\r\n1;2\r\n3;4\r\n"],
    ["UTF-16 encoding", utf16("a,b\n1,2\n3,4\n")],
    ["big-endian UTF-16 encoding", utf16("a,b\n1,2\n3,4\n").swap16()],
  ])("is read correctly if it has %s", async (_title, content) => {
    const read = valuesOf(await readFileOf("data.csv", content));
    expect(read).toEqual(["12", "34"].map(([a, b]) => ({ a, b })));
  });

  it.each([
    ["doubled quotes", 'a,b\n"a ""b""",x', 'a "b"'],
    ["a quote in unquoted text", 'a,b\n5" pipe,x', '5" pipe'],
    ["white space around the text", "a,b\n  1 ,x", "  1 "],
    ["a Unicode replacement character", "a,b\n\ufffd,x", "\ufffd"],
    ["more text than fits in a chunk", `a,b\n${"é".repeat(100_000)},x`, "é".repeat(100_000)],
  ])("can contain a cell with %s", async (_title, content, cell) => {
    expect(valuesOf(await readFileOf("data.csv", content))).toEqual([{ a: cell, b: "x" }]);
  });

  it("is read with the most frequent delimiter in its header", async () => {
    const columnsOf = async (content: string) => (await open(fileOf("data.csv", content))).columns;
    expect(await columnsOf('"a;;;;;;",b,c;d\n1,2,3')).toEqual(["a;;;;;;", "b", "c;d"]);
    expect(await columnsOf('a,b,"x\n;;;;"\n1,2,3')).toEqual(["a", "b", "x\n;;;;"]);
  });

  it.each([
    ["^", "a,b^c\n1^2"],
    ["tab", "a,b\tc\n1\t2"],
    ["\\t", "a,b\tc\n1\t2"],
  ])("is read with the delimiter that the user specifies: %s", async (delimiter, content) => {
    expect(valuesOf(await readFileOf("data.csv", content, { delimiter }))).toEqual([{ "a,b": "1", c: "2" }]);
  });

  it.each<[title: string, name: string, content: string, blankLines: number]>([
    ["rows of empty cells", "data.csv", "a,b\n,\n1,2\n\u00a0,\u200b\n", 2],
    ["empty lines", "data.csv", "a,b\n\n1,2\r\n\r\n", 2],
    ["empty lines", "data.ndjson", '{"a":1}\n\n \n', 2],
    ["nothing else", "data.tsv", "a\tb\n1\t2\n", 0],
  ])("counts the blank lines that it skips: %s (%s)", async (_title, name, content, blankLines) => {
    let count = 0;
    const data = await open(fileOf(name, content));
    expect(valuesOf(await readAll(data.rows(() => count++)))).toHaveLength(1);
    expect(count).toBe(blankLines);
  });

  it.each([
    ["data.tsv", 'a,b;c|d,e\tf\n"1"\t2,3\n', { "a,b;c|d,e": "1", f: "2,3" }],
    ["data.TSV", "sep=,\na,b\tf\n1\t2\n", { "a,b": "1", f: "2" }],
    ["data.tsv", "a,b\n1,2\n", { "a,b": "1,2" }],
  ])(
    "is separated by tabs if its name ends in .tsv, whatever its header contains: %s, %j",
    async (...given) => {
      const [name, content, values] = given;
      expect(valuesOf(await readFileOf(name, content))).toEqual([values]);
    },
  );

  it("is separated by the delimiter that the user specifies even if its name ends in .tsv", async () => {
    const read = await readFileOf("data.tsv", "a,b\n1,2\n", { delimiter: "," });
    expect(valuesOf(read)).toEqual([{ a: "1", b: "2" }]);
  });

  it.each([
    ["after a delimiter", 'a, b\n1, "x, y"\n'],
    ["around each cell", '\u00a0a\t,  "b"  \n\t"1"\u00a0, "x, y" \n'],
    ["within quotes", '" a","b "\n" 1 ","\nx, y "\n'],
  ])("is read without the white space %s with `trims`", async (_title, content) => {
    const read = await readFileOf("data.csv", content, { trims: true });
    expect(valuesOf(read)).toEqual([{ a: "1", b: "x, y" }]);
  });

  it("keeps empty cells between tabs with `trims`", async () => {
    const read = await readFileOf("data.tsv", "a\tb\tc\n1\t\t 2\n", { trims: true });
    expect(valuesOf(read)).toEqual([{ a: "1", b: "", c: "2" }]);
  });

  it("can have names in any language", async () => {
    const names = [
      "net pay",
      "Prénom",
      "氏\u3000名",
      "می\u200cخواهم",
      "❤\ufe0f",
      "👨\u200d👩",
      "N° (€)",
      "two\nlines",
    ];
    const content = [names, names.map((_, index) => index)]
      .map((cells) => `"${cells.join('","')}"`)
      .join("\n");
    expect((await open(fileOf("data.csv", content))).columns).toEqual(names);
  });

  it("provides its column names and the line number of each row", async () => {
    const content = 'a,b\r\n\r\n1,2\r\n"x\r\ny\rz",4\n\n5,6';
    expect(await open(fileOf("data.csv", content))).toMatchObject({ format: "csv", columns: ["a", "b"] });
    expect(await placesOf("data.csv", content)).toBe("1:3 2:4 3:8");
  });

  it("can have columns named after built-in properties", async () => {
    const [values] = valuesOf(await readFileOf("data.csv", "__proto__,constructor,toString\n1,2,3"));
    expect(JSON.stringify(values)).toBe('{"__proto__":"1","constructor":"2","toString":"3"}');
    expect(await readFileOf("data.csv", "a,b\n")).toEqual([]);
  });
});

describe("the specified encoding", () => {
  it.each([
    ["windows-1252", Buffer.from([0x80, 0x9f, 0xfc, 0x81]), "€Ÿü\x81"],
    ["shift_jis", Buffer.from([0x93, 0xfa, 0x96, 0x7b]), "日本"],
    ["utf-16le", Buffer.from("日本😀", "utf16le"), "日本😀"],
  ])("is used to decode the file: %s", async (encoding, bytes, text) => {
    const ascii = (content: string) => Buffer.from(content, encoding === "utf-16le" ? "utf16le" : "latin1");
    const csv = Buffer.concat([ascii("a\n"), bytes, ascii("\n")]);
    expect(valuesOf(await readFileOf("data.csv", csv, { encoding }))).toEqual([{ a: text }]);
    const json = Buffer.concat([ascii('[{"a":"'), bytes, ascii('"}]')]);
    expect(valuesOf(await readFileOf("data.json", json, { encoding }))).toEqual([{ a: text }]);
  });

  it("is overridden by a byte order mark", async () => {
    const read = await readFileOf("data.csv", "\ufeffa\nü\n", { encoding: "windows-1252" });
    expect(valuesOf(read)).toEqual([{ a: "ü" }]);
  });
});

it.each([
  ["data.CSV", "{}\n1\n", "csv"],
  ["data.tsv", "a\n1\n", "csv"],
  ["data.ndjson", "{}", "ndjson"],
  ["data.jsonl", "{}", "ndjson"],
  ["data.json", "[]", "json"],
  ["data.txt", " \n[{}]", "json"],
  ["data.txt", "\ufeff{}\n{}", "ndjson"],
  ["data", "a,b", "csv"],
] as const)("the format of %s with the content %j is %s", async (name, content, format) => {
  expect((await open(fileOf(name, content))).format).toBe(format);
});

describe("a JSON file", () => {
  it.each([
    ["an array with extra white space", "data.json", ' [\r\n{"a":1}\t,\n\n {"b":[{"c":"],}\\""}]} ] \n'],
    ["lines with extra white space", "data.ndjson", '\ufeff{"a":1}\r\n\r\n  \n {"b":[{"c":"],}\\""}]} \n\n'],
  ])("can consist of %s", async (_title, name, content) => {
    expect(valuesOf(await readFileOf(name, content))).toEqual([{ a: 1 }, { b: [{ c: '],}"' }] }]);
  });

  it("provides the line number of each row", async () => {
    expect(await placesOf("data.json", '[\n\n{"a":1},{\n"b":1},\r\n{"c":1}]')).toBe("1:3 2:3 3:5");
    expect(await placesOf("data.ndjson", '\n{"a":1}\n\n{"b":1}')).toBe("1:2 2:4");
  });
});
