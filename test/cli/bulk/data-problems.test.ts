import { describe, expect, it } from "vitest";
import { fileOf, open, problemsOf, readFileOf } from "./read-data.ts";

const latin1 = (text: string) => Buffer.from(text, "latin1");
const notUtf8 =
  "this is not UTF-8. Save it as UTF-8, or name its encoding, for example --encoding windows-1252";
const goesOn = "there is text after the closing quote of this cell; to include a quote in a cell, double it";
const noJson = "this is not JSON; only numbers, true, false and null can be outside double quotes";
const spaced =
  "there is white space or an invisible character before the quote of this cell; remove it (--trim removes white space)";
const marked =
  "there is a byte order mark within this cell; if the file consists of several files, join them without their marks";
const formula = 'this cell is a formula, ="…"; write only the text that the formula shows';
const notClosed = "this quote is never closed";
const itsOwn = "Each line must be one complete object";
const ended = "expected the end of the JSON";
const isNot = (what: string) => `this is ${what}; use an object with a property for each placeholder`;
const nested = `{"a":${"[".repeat(600)}${"]".repeat(600)}}`;

describe("a problem in a row", () => {
  it.each<
    [
      title: string,
      format: string,
      file: { readonly content: string; readonly goodRows: number; readonly problems: readonly string[] },
    ]
  >([
    [
      "too many cells",
      "csv",
      { content: "a\n1,2,3\n2", goodRows: 1, problems: ["2:: 3 cells, but the header has 1 column"] },
    ],
    [
      "too few cells",
      "csv",
      { content: 'a,b\n"1\n2",3\n4\n', goodRows: 1, problems: ["4:: 1 cell, but the header has 2 columns"] },
    ],
    [
      "an unclosed quote",
      "csv",
      { content: 'a,b\n1,2\n3,"x\n4,5\n', goodRows: 1, problems: [`3:: ${notClosed}`] },
    ],
    [
      "text after a closing quote",
      "csv",
      { content: 'a,b\n1,"x" y\n2,3', goodRows: 1, problems: [`2:b: ${goesOn}`] },
    ],
    [
      "white space before a quote",
      "csv",
      {
        content: 'a,b\n1, "x"\n2,\t"x, y"\n',
        goodRows: 0,
        problems: [`2:b: ${spaced}`, `3:b: ${spaced}`],
      },
    ],
    [
      "a formula that shows a text",
      "csv",
      { content: 'a,b\n1,="007"\n2,=1+1', goodRows: 1, problems: [`2:b: ${formula}`] },
    ],
    [
      "a second header",
      "csv",
      {
        content: "a,b\n1,2\na,b\n3,4",
        goodRows: 2,
        problems: ["3:: this row repeats the header; remove it"],
      },
    ],
    [
      "bytes that are not UTF-8",
      "csv",
      { content: "a,b\n1,2\n3,\xfc\n4,5", goodRows: 2, problems: [`3:b: ${notUtf8}`] },
    ],
    [
      "invalid JSON",
      "ndjson",
      { content: '{"a":1}\n{"b":tru}\n{"c":1}', goodRows: 2, problems: [`2:6: ${noJson}`] },
    ],
    [
      "two objects on one line",
      "ndjson",
      { content: '{"a":1} {"b":1}\n{}', goodRows: 1, problems: [`1:9: ${ended}. ${itsOwn}`] },
    ],
    [
      "non-objects",
      "ndjson",
      {
        content: ' [{}]\n"x"\n',
        goodRows: 0,
        problems: [`1:2: ${isNot("an array")}`, `2:1: ${isNot("a string")}`],
      },
    ],
    [
      "bytes that are not UTF-8",
      "ndjson",
      { content: '{}\n{"a":"\xfc"}\n{}', goodRows: 2, problems: [`2:7: ${notUtf8}`] },
    ],
    [
      "nesting that is too deep",
      "ndjson",
      { content: nested, goodRows: 0, problems: ["1:1: this is nested deeper than 500 levels"] },
    ],
    [
      "invalid JSON",
      "json",
      { content: '[{"a":1},{"b":tru},\n  {"d":1}]', goodRows: 2, problems: [`1:15: ${noJson}`] },
    ],
    [
      "a missing comma",
      "json",
      { content: '[{"a":1}\n{"b":1},{}]', goodRows: 1, problems: ["2:1: expected a comma"] },
    ],
    [
      "a missing element between commas",
      "json",
      { content: "[{},,{}]", goodRows: 2, problems: ["1:5: expected a value"] },
    ],
    [
      "an unclosed string",
      "json",
      {
        content: '[{"a":"x\n},{}]',
        goodRows: 1,
        problems: ["1:7: this string is not closed before the end of the line"],
      },
    ],
    [
      "an unclosed array",
      "json",
      { content: '[{},{"a":1}', goodRows: 2, problems: ["1:12: expected ] at the end of an array"] },
    ],
    ["text after the array", "json", { content: "[{}]\n[{}]", goodRows: 1, problems: [`2:1: ${ended}`] }],
    [
      "bytes that are not UTF-8",
      "json",
      { content: '[{},\n{"a":\n"\xfc"},{}]', goodRows: 2, problems: [`3:2: ${notUtf8}`] },
    ],
  ])("is reported, and the reader continues (%s, .%s)", async (_, format, file) => {
    const { content, goodRows, problems } = file;
    const rows = await readFileOf(`data.${format}`, latin1(content));
    expect(problemsOf(rows)).toEqual(problems);
    expect(rows).toHaveLength(problems.length + goodRows);
  });

  it.each([
    ["an invisible character before a quote", 'a,b\n1,\u200b"x"\n', `2:b: ${spaced}`],
    ["a byte order mark between joined files", "a,b\n1,2\n\ufeffa,b\n", `3:a: ${marked}`],
    ["a byte order mark between joined files", 'a,b\n1,2\n\ufeff"a",b\n', `3:a: ${spaced}`],
  ])("is reported if a cell has %s: %j", async (_title, content, problem) => {
    for (const trims of [false, true]) {
      const problems = problemsOf(await readFileOf("data.csv", content, { trims }));
      expect(problems).toHaveLength(1);
      if (!trims) expect(problems).toEqual([problem]);
    }
  });

  it("is reported with line and column if a JSON object has a property twice", async () => {
    const twice = "this object already has a property with this name; remove one of them";
    const object = '{"a":1,"b":{"c":[{"d":1,\n "\\u0064":2}]}}';
    const [first, ...others] = problemsOf(await readFileOf("data.json", `[{"a":1},\n${object},{}]`));
    expect({ first, others }).toEqual({ first: `3:2: ${twice}`, others: [] });
    const lines = await readFileOf("data.jsonl", '{"a":1}\n{"a":1, "a":1}\n{"__proto__":1,"__proto__":2}\n');
    expect(problemsOf(lines)).toEqual([`2:9: ${twice}`, `3:16: ${twice}`]);
  });

  it("is reported if bytes are invalid in the specified encoding", async () => {
    const rows = await readFileOf("data.csv", latin1("a,b\n1,\xff\n2,3"), { encoding: "shift_jis" });
    expect(problemsOf(rows)).toEqual([`2:b: ${notUtf8.replace("UTF-8", "shift_jis")}`]);
  });

  const secret = "tiger-7";
  it.each([
    ["csv", `a,b\n${secret}\n"${secret}"x,1\n${secret},${secret},${secret}\n1,"${secret}`],
    ["ndjson", `{"a":${secret}}\n"${secret}"\n{"a":"${secret}"\n{"${secret}":\n${secret}`],
    ["json", `[{"a":${secret}},"${secret}",${secret},{"${secret}"},{"a":"${secret}"`],
  ])("is reported without revealing the row's content: data.%s", async (format, content) => {
    const problems = problemsOf(await readFileOf(`data.${format}`, content));
    expect(problems.length).toBeGreaterThan(3);
    expect(problems.join("\n")).not.toContain(secret);
  });
});

describe("a problem that affects the whole file", () => {
  const noHeader =
    "there is no header. On the first line, give each column the name of its template placeholder";
  it.each<[title: string, name: string, row: { readonly content: string; readonly message: string }]>([
    ["no rows", "a.ndjson", { content: "\n \n", message: ": this is empty." }],
    [
      "a column without a name",
      "a.csv",
      { content: "a, ,b\n1,2,3", message: ":1: column 2 of the header has no name." },
    ],
    [
      "duplicate columns",
      "a.csv",
      { content: "\na,b,a\n", message: ":2: column 3 of the header has the same name as column 1." },
    ],
    [
      "white space around a column name",
      "a.csv",
      {
        content: 'id, name\n1, "Ford"',
        message:
          ":1: column 2 of the header has white space around its name. Remove the white space, or add --trim.",
      },
    ],
    [
      "a no-break space in a column name",
      "a.csv",
      {
        content: "a,net\xc2\xa0pay\n1,2",
        message: ":1: column 2 of the header contains the character U+00A0,",
      },
    ],
    [
      "a zero-width space in a column name",
      "a.csv",
      {
        content: "a\xe2\x80\x8b,b\n1,2",
        message: ":1: column 1 of the header contains the character U+200B,",
      },
    ],
    [
      "a zero-width joiner in a Latin column name",
      "a.csv",
      {
        content: "a,b\xe2\x80\x8dc\n1,2",
        message: ":1: column 2 of the header contains the character U+200D,",
      },
    ],
    [
      "two byte order marks",
      "a.csv",
      {
        content: "\xef\xbb\xbf\xef\xbb\xbfa,b\n1,2",
        message: ":1: column 1 of the header: there is a byte order mark within this cell;",
      },
    ],
    [
      "column names that only differ in their Unicode normal form",
      "a.csv",
      {
        content: "\xc3\xa9,e\xcc\x81\n1,2",
        message: ":1: column 2 of the header has the same name as column 1.",
      },
    ],
    ["an unclosed quote in the header", "a.csv", { content: '"a,b\n1,2', message: `:1: ${notClosed}` }],
    [
      "a header that is not UTF-8",
      "a.csv",
      { content: "a,\xfc\n1,2", message: `:1: column 2 of the header: ${notUtf8}` },
    ],
    ["no header after the delimiter line", "a.csv", { content: "sep=,\n", message: `: ${noHeader}` }],
    ["a single object", "a.json", { content: '{"a":1}', message: ": this is not a JSON array;" }],
    [
      "an Excel workbook",
      "a.xlsx",
      { content: "PK\x03\x04…", message: ": this is an Excel workbook or another zip archive." },
    ],
    [
      "a compressed file",
      "a.csv",
      { content: "\x1f\x8b\x08\x00", message: ": this is compressed with gzip." },
    ],
    [
      "UTF-16 that begins with letters that are not Latin",
      "a.csv",
      {
        content: Buffer.from("но,имя\n1,2\n", "utf16le").toString("latin1"),
        message: ": this is not UTF-8. If it is UTF-16, add --encoding utf-16le",
      },
    ],
    [
      "UTF-16",
      "a.csv",
      { content: "a\0,\0b\0\n\0", message: ": this is not UTF-8. If it is UTF-16, add --encoding utf-16le" },
    ],
  ])("is reported before any row is read (%s, file: %s)", async (_title, name, { content, message }) => {
    const file = fileOf(name, latin1(content));
    const error = await open(file).catch((reason) => reason);
    expect({ name: error.name, message: error.message.slice(0, (file + message).length) }).toEqual({
      name: "Misuse",
      message: file + message,
    });
  });

  it.each([
    [{ encoding: "utf-9" }, /^The --encoding value is not a known encoding.*utf-8, .*windows-1252/],
    [{ delimiter: "ab" }, /^--delimiter takes one character/],
    [{ delimiter: '"' }, /^--delimiter takes one character/],
  ])("can be caused by an invalid option: %j", async (options, message) => {
    const error = await open(fileOf("a.csv", "a\n1"), options).catch((reason) => reason);
    expect(error).toMatchObject({ name: "Misuse", message: expect.stringMatching(message) });
  });
});
