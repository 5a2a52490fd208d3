import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { csvRows } from "../../src/cli/bulk/data/csv-rows.ts";
import { decode } from "../../src/cli/bulk/data/encodings.ts";
import { jsonRows, ndjsonRows } from "../../src/cli/bulk/data/json-rows.ts";
import { problemsOf, readAll } from "../cli/bulk/read-data.ts";
import { endingOf, main, start } from "../cli/command.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Tests the command with big data. */

const values = (row: number) => ({ no: `${row}`, name: `of no other row: ${row} `.repeat(6) });
const asCsv = (row: number) => `${Object.values(values(row)).join(",")}\n`;
const asNdjson = (row: number) => `${JSON.stringify(values(row))}\n`;
const asJson = (row: number) => `${row > 1 ? "," : ""}${asNdjson(row)}`;
const bulk = ["bulk", "letter", "--out", "o/{{no}}.pdf", "--dry-run"];
const checked = /: 150,000 rows are valid\. Nothing was sent\.\n$/;

it.each<[string[], string, string, (row: number) => string, string, RegExp]>([
  [bulk, "csv", "no,name\n", asCsv, "", checked],
  [bulk, "ndjson", "", asNdjson, "", checked],
  [bulk, "json", "[", asJson, "]", checked],
  [["types", "--output", "-"], "ndjson", "", asNdjson, "", /name: string;/],
])(
  "`template-pdf` needs at most 30 MB of heap for 150,000 rows (arguments: %j, format: %s)",
  async (args, format, begin, rowOf, end, printed) => {
    const cwd = temporaryFolder();
    const rows = Array.from({ length: 150_000 }, (_, index) => rowOf(index + 1));
    writeFileSync(join(cwd, `big.${format}`), begin + rows.join("") + end);
    const env = { TEMPLATE_PDF_API_KEY: "k", TEMPLATE_PDF_BASE_URL: "http://127.0.0.1:9" };
    const command = ["--max-old-space-size=30", main, ...args, `big.${format}`];
    const { code, stdout, stderr } = await endingOf(start(process.execPath, command, { cwd, env }));
    expect({ code, stdout: stdout.toString() }, stderr).toEqual({
      code: 0,
      stdout: expect.stringMatching(printed),
    });
  },
);

/** An endless text in chunks. */
function endless(begin: string, piece: string): AsyncIterable<string> {
  const chunk = Buffer.from(piece.repeat((64 * 1024) / piece.length));
  const chunks = async function* () {
    yield Buffer.from(begin);
    for (let bytes = 0; bytes < 66 * 1024 * 1024; bytes += chunk.length) yield Buffer.from(chunk);
  };
  return decode(chunks(), "utf-8");
}

const dialect = { delimiter: ",", namesDelimiter: false, encoding: "utf-8", trims: false };
const columns = ["number", "name", "note"];

it.each([
  [
    "an NDJSON line",
    () => ndjsonRows(endless('{}\n{"a":"', "x"), "utf-8"),
    "2:1: this line is longer than 64 MiB; put one object on each line",
  ],
  [
    "a JSON array element",
    () => jsonRows(endless('[{},\n{"a":"', "x"), "utf-8"),
    "1:5: this element is longer than 64 MiB; a bracket or a comma may be missing",
  ],
  [
    "a quoted CSV cell",
    () => csvRows(endless('number,name,note\n1,2,3\n4,"', "xxxx\n"), dialect, columns),
    "3:: this row is longer than 64 MiB; a quote may be unclosed",
  ],
])("reading stops with an error if %s never ends", async (_what, read, problem) => {
  const found = await readAll(read());
  expect(problemsOf(found)).toEqual([problem]);
  expect(found).toHaveLength(2);
});
