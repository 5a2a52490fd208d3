import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { csvRows } from "../../src/cli/bulk/data/csv-rows.ts";
import { decode } from "../../src/cli/bulk/data/encodings.ts";
import { jsonRows, ndjsonRows } from "../../src/cli/bulk/data/json-rows.ts";
import type { RowOrProblem } from "../../src/cli/bulk/data/open-data.ts";
import { problemsOf, readAll } from "../cli/bulk/read-data.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const mebibyte = 1024 * 1024;
const utf8 = "utf-8";
const dialect = { delimiter: ",", namesDelimiter: false, encoding: "utf-8" };

type Read = (open: () => AsyncIterable<string>) => AsyncIterable<RowOrProblem>;

const readCsv: Read = (open) => csvRows(open(), dialect, ["number", "name", "note"]);
const readNdjson: Read = (open) => ndjsonRows(open(), utf8);
const readJson: Read = (open) => jsonRows(open(), utf8);

const note = "a note that is long enough to be missed ".repeat(4);

/** Texts, each of so many copies of a piece that it is about 64 KiB long. */
function chunked(start: string, piece: string, end: string, bytes: number): () => AsyncIterable<string> {
  const block = Buffer.from(piece.repeat(Math.ceil((64 * 1024) / piece.length)));
  const chunks = async function* () {
    yield Buffer.from(start);
    for (let given = 0; given < bytes; given += block.length) yield Buffer.from(block);
    yield Buffer.from(end);
  };
  return () => decode(chunks(), "utf-8");
}

const object = JSON.stringify({ number: 7, name: "Ada", note });
const csv = chunked("number,name,note\n", `7,"Ada",${note}\n`, "", 60 * mebibyte);
const ndjson = chunked("", `${object}\n`, "", 120 * mebibyte);
const json = chunked("[", `${object},\n`, "{}]", 120 * mebibyte);

function heldBytes(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

describe("rows that are read one at a time", () => {
  it.each<[format: string, read: Read, open: () => AsyncIterable<string>]>([
    ["CSV", readCsv, csv],
    ["NDJSON", readNdjson, ndjson],
    ["a JSON array", readJson, json],
  ])("take no more memory when they are many: %s", async (_format, read, open) => {
    const before = heldBytes();
    let most = 0;
    let count = 0;
    for await (const row of read(open)) {
      if ("values" in row) count += 1;
      if (count % 50_000 === 0) most = Math.max(most, heldBytes());
    }
    expect(count).toBeGreaterThan(300_000);
    expect(most - before).toBeLessThan(4 * mebibyte);
  });
});

describe("what never ends", () => {
  it.each<[what: string, read: Read, open: () => AsyncIterable<string>, problems: string[], rows: number]>([
    [
      "a line",
      readNdjson,
      chunked('{}\n{"a":"', "x", '"}\n{}\n1', 66 * mebibyte),
      ["2:1: this line is longer than 64 MiB; put one object on each line"],
      2,
    ],
    [
      "an element",
      readJson,
      chunked('[{},\n{"a":"', "x", '"},{}]', 66 * mebibyte),
      ["1:5: this is longer than 64 MiB; a bracket or a comma may be missing"],
      2,
    ],
    [
      "a quoted cell",
      readCsv,
      chunked('number,name,note\n1,2,3\n4,"', "xxxx\n", "", 66 * mebibyte),
      ["3:: this row is longer than 64 MiB: a quote may be left open in it"],
      2,
    ],
  ])("is a problem, and nothing behind it is read: %s", async (_what, read, open, problems, rows) => {
    const found = await readAll(read(open));
    expect(problemsOf(found)).toEqual(problems);
    expect(found).toHaveLength(rows);
  });
});
