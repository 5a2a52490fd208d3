import { describe, expect, it } from "vitest";
import { fileOf, open, problemsOf, readFileOf } from "./read-data.ts";

const latin1 = (text: string) => Buffer.from(text, "latin1");
const notUtf8 =
  "this is not UTF-8. Save it as UTF-8, or say how it is written, as in --encoding windows-1252";
const goesOn = "a cell in quotes goes on behind its closing quote; write a quote within it twice";

async function expectProblems(
  name: string,
  content: string | Buffer,
  problems: readonly string[],
  read: number,
): Promise<void> {
  const rows = await readFileOf(name, content);
  expect(problemsOf(rows)).toEqual(problems);
  expect(rows).toHaveLength(problems.length + read);
}

describe("what is wrong with a row", () => {
  it.each<[title: string, content: string | Buffer, problems: string[], read: number]>([
    ["too few cells", "a,b\n1\n2,3", ["2:: 1 cell where the header names 2 columns"], 1],
    ["too many cells", "a\n1,2,3\n2", ["2:: 3 cells where the header names 1 column"], 1],
    [
      "the line, behind a row of several",
      'a,b\n"1\n2",3\n4\n',
      ["4:: 1 cell where the header names 2 columns"],
      1,
    ],
    [
      "a quote that is not closed",
      'a,b\n1,2\n3,"x\n4,5\n',
      ["3:: a quote is opened here and never closed"],
      1,
    ],
    ["a quoted cell that goes on", 'a,b\n1,"x" y\n2,3', [`2:b: ${goesOn}`], 1],
    ["bytes that are not UTF-8", latin1("a,b\n1,2\n3,\xfc\n4,5"), [`3:b: ${notUtf8}`], 2],
    ["a character that breaks off", latin1("a\n\xc3\n\xc3\xbc\n"), [`2:a: ${notUtf8}`], 1],
  ])("of CSV is told with its line and column, and reading goes on: %s", (_title, content, problems, read) =>
    expectProblems("data.csv", content, problems, read),
  );

  it.each<[title: string, content: string | Buffer, problems: string[], read: number]>([
    [
      "no JSON",
      '{"a":1}\n{"b":tru}\n{"c":1}',
      ["2:6: this is no JSON; outside of double quotes stand only numbers, true, false and null"],
      2,
    ],
    [
      "an object over several lines",
      '{\n"a":1}\n',
      [
        "1:2: an object is not closed; } should stand here. Each line has to be an object of its own",
        "2:4: the JSON has ended already. Each line has to be an object of its own",
      ],
      0,
    ],
    [
      "two objects on a line",
      '{"a":1} {"b":1}\n{}',
      ["1:9: the JSON has ended already. Each line has to be an object of its own"],
      1,
    ],
    [
      "no object",
      ' 1\n[{}]\nnull\n"x"\n{}',
      [1, 2, 3, 4].map(
        (line) =>
          `${line}:${line === 1 ? 2 : 1}: this is ${["a number", "an array", "null", "a string"][line - 1]}; make it an object, a member for each placeholder`,
      ),
      1,
    ],
    ["bytes that are not UTF-8", latin1('{}\n{"a":"\xfc"}\n{}'), [`2:7: ${notUtf8}`], 2],
    [
      "deeper than a document needs",
      `{"a":${"[".repeat(600)}${"]".repeat(600)}}`,
      ["1:1: this is nested deeper than 500 levels"],
      0,
    ],
  ])(
    "of NDJSON is told with its line and column, and reading goes on: %s",
    (_title, content, problems, read) => expectProblems("data.ndjson", content, problems, read),
  );

  it.each<[title: string, content: string | Buffer, problems: string[], read: number]>([
    [
      "no JSON",
      '[{"é😀":1},{"b":tru},\n{"c":1},\n  {"d":}]',
      [
        "1:17: this is no JSON; outside of double quotes stand only numbers, true, false and null",
        "3:8: a value should stand here",
      ],
      2,
    ],
    ["over several lines", '[{\n"a":1,\n"b":1,\n},{}]', ["4:1: nothing follows the comma before this"], 1],
    [
      "no object",
      "[{},1,\n null,[]]",
      [
        "1:5: this is a number; make it an object, a member for each placeholder",
        "2:2: this is null; make it an object, a member for each placeholder",
        "2:7: this is an array; make it an object, a member for each placeholder",
      ],
      1,
    ],
    ["no comma", '[{"a":1}\n{"b":1},{}]', ["2:1: a comma should stand here"], 1],
    ["nothing between commas", "[{},,{}]", ["1:5: a value should stand here"], 2],
    ["nothing behind the last comma", "[{},\n]", ["2:1: nothing follows the comma before this"], 1],
    ["a text that is not closed", '[{"a":"x\n},{}]', ["1:7: this text is not closed on its line"], 1],
    ["no end", '[{},{"a":1}', ["1:12: an array is not closed; ] should stand here"], 2],
    ["something behind it", "[{}]\n[{}]", ["2:1: the JSON has ended already"], 1],
    ["bytes that are not UTF-8", latin1('[{},\n{"a":\n"\xfc"},{}]'), [`3:2: ${notUtf8}`], 2],
  ])(
    "of a JSON array is told with its line and column, and reading goes on: %s",
    (_title, content, problems, read) => expectProblems("data.json", content, problems, read),
  );

  it("is told of bytes that are not of the encoding that was given", async () => {
    const encoding = "shift_jis";
    const message =
      "this is not shift_jis. Save it as UTF-8, or say how it is written, as in --encoding windows-1252";
    const csv = latin1("a,b\n1,\xff\n2,3");
    expect(problemsOf(await readFileOf("data.csv", csv, { encoding }))).toEqual([`2:b: ${message}`]);
    const ndjson = latin1('{}\n{"a":"\xff"}');
    expect(problemsOf(await readFileOf("data.ndjson", ndjson, { encoding }))).toEqual([`2:7: ${message}`]);
    const brokenOff = latin1("a,b\n1,\x93");
    expect(problemsOf(await readFileOf("data.csv", brokenOff, { encoding }))).toEqual([`2:b: ${message}`]);
    const json = latin1('[{},\n{"a":"\xff"}]');
    expect(problemsOf(await readFileOf("data.json", json, { encoding }))).toEqual([`2:7: ${message}`]);
  });

  it("counts as a record", async () => {
    for (const [name, content] of [
      ["data.csv", "a,b\n1,2\n3\n4,5"],
      ["data.ndjson", "{}\n{\n{}"],
      ["data.json", "[{},1,{}]"],
    ] as const) {
      const numbers = (await readFileOf(name, content)).map(
        (row) => ("problem" in row ? row.problem : row).number,
      );
      expect(numbers, name).toEqual([1, 2, 3]);
    }
  });

  it("is told without what stands in it", async () => {
    const secret = "tiger-7";
    for (const [name, content] of [
      ["data.csv", `a,b\n${secret}\n"${secret}"x,1\n${secret},${secret},${secret}\n1,"${secret}`],
      ["data.ndjson", `{"a":${secret}}\n"${secret}"\n{"a":"${secret}"\n{"${secret}":\n${secret}`],
      ["data.json", `[{"a":${secret}},"${secret}",${secret},{"${secret}"},{"a":"${secret}"`],
    ] as const) {
      const problems = problemsOf(await readFileOf(name, content));
      expect(problems.length, name).toBeGreaterThan(3);
      expect(problems.join("\n"), name).not.toContain(secret);
    }
  });
});

describe("what is wrong with a file as a whole", () => {
  it.each<[title: string, name: string, content: string | Buffer, message: string]>([
    ["an empty CSV", "a.csv", "", ": it is empty. Give a file of rows, a document for each."],
    ["an empty NDJSON", "a.ndjson", "\n \n", ": it is empty. Give a file of rows, a document for each."],
    [
      "a byte order mark and nothing else",
      "a.json",
      "\ufeff",
      ": it is empty. Give a file of rows, a document for each.",
    ],
    [
      "a column without a name",
      "a.csv",
      "a, ,b\n1,2,3",
      ":1: column 2 of the header has no name. Name it as its placeholder, or take it away.",
    ],
    [
      "two columns of one name",
      "a.csv",
      "\na,b,a\n1,2,3",
      ":2: column 3 of the header has the same name as column 1. Give each a name of its own.",
    ],
    ["a header that is not closed", "a.csv", '"a,b\n1,2', ":1: a quote is opened here and never closed."],
    ["a header that is no UTF-8", "a.csv", latin1("a,\xfc\n1,2"), `:1: ${notUtf8}.`],
    [
      "no header behind the line that names the delimiter",
      "a.csv",
      "sep=,\n",
      ": there is no header. Name the columns on the first line, as the placeholders.",
    ],
    [
      "one object",
      "a.json",
      '{"a":1}',
      ": this is no JSON array; put its objects into one, or, where one stands on each line, say --format ndjson.",
    ],
    ["a number", "a.json", "1", ": this is no JSON array; put an object for each document into one."],
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
      ": this is compressed by gzip. Unpack it, as in gunzip -c data.csv.gz | template-pdf bulk … -.",
    ],
    [
      "UTF-16 without a mark",
      "a.csv",
      Buffer.from("a,b\n", "utf16le"),
      ": this is not UTF-8. If it is UTF-16, say so: --encoding utf-16le.",
    ],
  ])("is told before any row is read: %s", async (_title, name, content, message) => {
    const file = fileOf(name, content);
    await expect(open(file)).rejects.toMatchObject({ name: "Misuse", message: file + message });
  });

  it.each([
    [
      { encoding: "utf-9" },
      /^--encoding: there is no encoding of that name\. Some that there are: utf-8, .*windows-1252/,
    ],
    [{ delimiter: "" }, /^--delimiter takes one character/],
    [{ delimiter: "ab" }, /^--delimiter takes one character/],
    [{ delimiter: '"' }, /^--delimiter takes one character/],
  ])("may be an option: %j", async (options, message) => {
    await expect(open(fileOf("a.csv", "a\n1"), options)).rejects.toMatchObject({
      name: "Misuse",
      message: expect.stringMatching(message),
    });
  });
});
