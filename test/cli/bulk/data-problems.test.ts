import { describe, expect, it } from "vitest";
import { fileOf, open, problemsOf, readFileOf } from "./read-data.ts";

const latin1 = (text: string) => Buffer.from(text, "latin1");
const notUtf8 =
  "this is not UTF-8. Save it as UTF-8, or name its encoding, for example --encoding windows-1252";
const goesOn = "there is text after the closing quote of this cell; to include a quote in a cell, double it";

const noJson = "this is not JSON; only numbers, true, false and null can be outside double quotes";
const notClosed = "this quote is never closed";
const itsOwn = "Each line must be one complete object";
const ended = "expected the end of the JSON";
const isNot = (what: string) => `this is ${what}; use an object with a property for each placeholder`;

/** The number of rows that are read despite the problems, and the problems. */
type Case = [title: string, content: string | Buffer, good: number, ...problems: string[]];

const csv: Case[] = [
  ["too many cells", "a\n1,2,3\n2", 1, "2:: 3 cells, but the header has 1 column"],
  [
    "too few cells after a row of several lines",
    'a,b\n"1\n2",3\n4\n',
    1,
    "4:: 1 cell, but the header has 2 columns",
  ],
  ["an unclosed quote", 'a,b\n1,2\n3,"x\n4,5\n', 1, `3:: ${notClosed}`],
  ["text after a closing quote", 'a,b\n1,"x" y\n2,3', 1, `2:b: ${goesOn}`],
  ["bytes that are not UTF-8", latin1("a,b\n1,2\n3,\xfc\n4,5"), 2, `3:b: ${notUtf8}`],
];

const ndjson: Case[] = [
  ["invalid JSON", '{"a":1}\n{"b":tru}\n{"c":1}', 2, `2:6: ${noJson}`],
  [
    "an object over several lines",
    '{\n"a":1}\n',
    0,
    `1:2: expected } at the end of an object. ${itsOwn}`,
    `2:4: ${ended}. ${itsOwn}`,
  ],
  ["two objects on a line", '{"a":1} {"b":1}\n{}', 1, `1:9: ${ended}. ${itsOwn}`],
  [
    "values that are not objects",
    ' 1\n[{}]\nnull\n"x"\n{}',
    1,
    `1:2: ${isNot("a number")}`,
    `2:1: ${isNot("an array")}`,
    `3:1: ${isNot("null")}`,
    `4:1: ${isNot("a string")}`,
  ],
  ["bytes that are not UTF-8", latin1('{}\n{"a":"\xfc"}\n{}'), 2, `2:7: ${notUtf8}`],
  [
    "nesting that is too deep",
    `{"a":${"[".repeat(600)}${"]".repeat(600)}}`,
    0,
    "1:1: this is nested deeper than 500 levels",
  ],
];

const json: Case[] = [
  [
    "invalid JSON",
    '[{"é😀":1},{"b":tru},\n{"c":1},\n  {"d":}]',
    2,
    `1:17: ${noJson}`,
    "3:8: expected a value",
  ],
  ["a missing comma", '[{"a":1}\n{"b":1},{}]', 1, "2:1: expected a comma"],
  ["a missing element between commas", "[{},,{}]", 2, "1:5: expected a value"],
  ["an unclosed string", '[{"a":"x\n},{}]', 1, "1:7: this string does not end on its line"],
  ["an unclosed array", '[{},{"a":1}', 2, "1:12: expected ] at the end of an array"],
  ["text after the array", "[{}]\n[{}]", 1, `2:1: ${ended}`],
  ["bytes that are not UTF-8", latin1('[{},\n{"a":\n"\xfc"},{}]'), 2, `3:2: ${notUtf8}`],
];

describe("a problem in a row", () => {
  for (const [format, cases] of Object.entries({ csv, ndjson, json })) {
    it.each<Case>(cases)(
      `of ${format} is reported with its line and column, and reading continues: %s`,
      async (_title, content, good, ...problems) => {
        const rows = await readFileOf(`data.${format}`, content);
        expect(problemsOf(rows)).toEqual(problems);
        expect(rows).toHaveLength(problems.length + good);
      },
    );
  }

  it.each([
    ["csv", "a,b\n1,\xff\n2,3", "2:b"],
    ["json", '[{},\n{"a":"\xff"}]', "2:7"],
  ])("is reported for bytes that are invalid in the given encoding of %s", async (format, text, place) => {
    const rows = await readFileOf(`data.${format}`, latin1(text), { encoding: "shift_jis" });
    expect(problemsOf(rows)).toEqual([`${place}: ${notUtf8.replace("UTF-8", "shift_jis")}`]);
  });

  const secret = "tiger-7";
  it.each([
    ["csv", `a,b\n${secret}\n"${secret}"x,1\n${secret},${secret},${secret}\n1,"${secret}`],
    ["ndjson", `{"a":${secret}}\n"${secret}"\n{"a":"${secret}"\n{"${secret}":\n${secret}`],
    ["json", `[{"a":${secret}},"${secret}",${secret},{"${secret}"},{"a":"${secret}"`],
  ])("is reported without the content of the row in %s", async (format, content) => {
    const problems = problemsOf(await readFileOf(`data.${format}`, content));
    expect(problems.length).toBeGreaterThan(3);
    expect(problems.join("\n")).not.toContain(secret);
  });
});

describe("a problem with a whole file", () => {
  const empty = ": this is empty. Add a row for each document.";
  it.each<[title: string, name: string, content: string | Buffer, message: string]>([
    ["an empty NDJSON", "a.ndjson", "\n \n", empty],
    [
      "a column without a name",
      "a.csv",
      "a, ,b\n1,2,3",
      ":1: column 2 of the header has no name. Give it the name of its placeholder, or remove it.",
    ],
    [
      "two columns with the same name",
      "a.csv",
      "\na,b,a\n1,2,3",
      ":2: column 3 of the header has the same name as column 1. Give each column a unique name.",
    ],
    ["an unclosed quote in the header", "a.csv", '"a,b\n1,2', `:1: ${notClosed}.`],
    ["a header that is not UTF-8", "a.csv", latin1("a,\xfc\n1,2"), `:1: ${notUtf8}.`],
    [
      "no header after the line that names the delimiter",
      "a.csv",
      "sep=,\n",
      ": there is no header. On the first line, give each column the name of its template placeholder.",
    ],
    [
      "a single object",
      "a.json",
      '{"a":1}',
      ": this is not a JSON array; wrap the objects in a JSON array, or add --format ndjson if each line is an object.",
    ],
    [
      "an Excel workbook",
      "a.xlsx",
      "PK\x03\x04…",
      ": this is an Excel workbook or another zip archive. Save its sheet as CSV UTF-8.",
    ],
    [
      "a compressed file",
      "a.csv",
      latin1("\x1f\x8b\x08\x00"),
      ": this is compressed with gzip. Decompress it, for example gunzip -c data.csv.gz | template-pdf bulk … -.",
    ],
    [
      "UTF-16 without a byte order mark",
      "a.csv",
      Buffer.from("a,b\n", "utf16le"),
      ": this is not UTF-8. If it is UTF-16, add --encoding utf-16le.",
    ],
  ])("is reported before any row is read: %s", async (_title, name, content, message) => {
    const file = fileOf(name, content);
    await expect(open(file)).rejects.toMatchObject({ name: "Misuse", message: file + message });
  });

  it.each([
    [{ encoding: "utf-9" }, /^The --encoding value is not a known encoding.*utf-8, .*windows-1252/],
    [{ delimiter: "ab" }, /^--delimiter takes one character/],
    [{ delimiter: '"' }, /^--delimiter takes one character/],
  ])("can be an invalid option: %j", async (options, message) => {
    const opened = open(fileOf("a.csv", "a\n1"), options);
    await expect(opened).rejects.toMatchObject({
      name: "Misuse",
      message: expect.stringMatching(message),
    });
  });
});
