import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect } from "vitest";
import { csvRows, readHeader } from "../../../src/cli/bulk/data/csv-rows.ts";
import { decode } from "../../../src/cli/bulk/data/encodings.ts";
import { jsonRows, ndjsonRows } from "../../../src/cli/bulk/data/json-rows.ts";
import { openData } from "../../../src/cli/bulk/data/open-data.ts";
import { anyCharacter, orLongRun, property, slowProperty } from "../../support/fuzz.ts";
import { fileOf, readAll, valuesOf } from "./read-data.ts";

const utf8 = "utf-8";
const character = fc.constantFrom('"', ",", ";", "\t", "|", "\r", "\n", " ", "x", "é", "😀");
const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 6 }),
  fc.string({ unit: character, maxLength: 8 }),
);
/** Names that a reader can see, also in a header. */
const anyName = anyText
  .map((text) => text.replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, ""))
  .filter((text) => text !== "");
const hasText = (cells: readonly string[]) =>
  cells.some((cell) => /[^\s\p{Default_Ignorable_Code_Point}]/u.test(cell));

/** Rows with one cell for each column; the columns have unique names. No row is blank or repeats the header. */
const uniqueNames = { minLength: 1, maxLength: 5, selector: (name: string) => name.normalize() };
const table = fc.uniqueArray(anyName, uniqueNames).chain((columns) => {
  const cell = anyText.map((text) => text.replaceAll("\ufeff", ""));
  const row = fc
    .array(cell, { minLength: columns.length, maxLength: columns.length })
    .filter((cells) => hasText(cells) && cells.join() !== columns.join());
  return fc.record({ columns: fc.constant(columns), rows: fc.array(row, { maxLength: 6 }) });
});

/** The sizes of chunks; the last one repeats. */
const chunkSizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 });

async function* bytesOf(text: string, sizes: readonly number[]) {
  const bytes = Buffer.from(text);
  let at = 0;
  for (let index = 0; at < bytes.length; index += 1) {
    const size = sizes[Math.min(index, sizes.length - 1)] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

const chunksOf = (text: string, sizes: readonly number[]) => decode(bytesOf(text, sizes), utf8);

/** Writes CSV according to RFC 4180, with quotes around every cell or only around cells that need them. */
function csvOf(table: readonly string[][], between: string, end: string, isQuoted: boolean): string {
  const write = (cell: string, cells: readonly string[]) => {
    const needsQuotes = /["\r\n]/.test(cell) || cell.includes(between) || (cell === "" && cells.length === 1);
    return isQuoted || needsQuotes ? `"${cell.replaceAll('"', '""')}"` : cell;
  };
  return table.map((cells) => cells.map((cell) => write(cell, cells)).join(between)).join(end);
}

// Entries are compared, because the order of the properties matters.
const entriesOf = (rows: readonly object[]) => rows.map((row) => Object.entries(row));

const layout = fc.record({
  between: fc.constantFrom(",", ";", "\t", "|"),
  end: fc.constantFrom("\n", "\r\n", "\r"),
  isQuoted: fc.boolean(),
  endsInLine: fc.boolean(),
});

property("any table that was written as CSV is read back unchanged from chunks of any size", () =>
  fc.asyncProperty(table, layout, chunkSizes, async ({ columns, rows }, written, sizes) => {
    const { between, end, isQuoted, endsInLine } = written;
    const text = csvOf([columns, ...rows], between, end, isQuoted) + (endsInLine ? end : "");
    const dialect = { delimiter: between, namesDelimiter: false, encoding: utf8, trims: false };
    expect(await readHeader(chunksOf(text, sizes), dialect, "data.csv")).toEqual(columns);
    const read = valuesOf(await readAll(csvRows(chunksOf(text, sizes), dialect, columns)));
    expect(entriesOf(read)).toEqual(rows.map((cells) => columns.map((name, at) => [name, cells[at]])));
  }),
);

/** Text with everything that has a meaning in CSV, and that no person would write. */
const anyCsv = fc.array(fc.constantFrom('"', '"', ",", ",", "\r", "\n", " ", "a", "b", '""'), {
  maxLength: 30,
});

describe("CSV after a header", () => {
  property(
    "has the rows that csv-parse reads, or a problem where csv-parse has an error",
    (saw) =>
      fc.asyncProperty(anyCsv, chunkSizes, fc.boolean(), async (characters, sizes, trims) => {
        const text = `no,name\n${characters.join("")}`;
        const dialect = { delimiter: ",", namesDelimiter: false, encoding: utf8, trims };
        const columns = ["no", "name"];
        const read = await readAll(csvRows(chunksOf(text, sizes), dialect, columns));
        const expected = readIndependently(text, trims);
        if (expected === undefined) {
          saw("refused");
          expect(read.some((row) => "problem" in row)).toBe(true);
        } else if (read.every((row) => "values" in row)) {
          saw("read");
          expect(valuesOf(read).map((values) => columns.map((name) => values[name]))).toEqual(expected);
        } else {
          // This reader refuses more quotes, and rows that are too long or too short.
          saw("stricter");
          expect(text.includes('"') || expected.some((cells) => cells.length !== 2)).toBe(true);
        }
      }),
    { outcomes: ["refused", "read", "stricter"] },
  );
});

/** The rows after the header, without blank ones, as csv-parse reads them; `undefined` if it reports an error. */
function readIndependently(text: string, trim: boolean): string[][] | undefined {
  const options = {
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    relax_quotes: true,
    trim,
  };
  try {
    const rows = parse(text, options).slice(1).filter(hasText);
    // csv-parse does not trim what is within quotes.
    return trim ? rows.map((cells) => cells.map((cell) => cell.trim())) : rows;
  } catch {
    return undefined;
  }
}

/** Objects that JSON can represent. */
const objects = fc.array(
  fc
    .dictionary(anyText, fc.jsonValue(), { maxKeys: 3 })
    .map((value) => JSON.parse(JSON.stringify(value)) as object),
  { maxLength: 6 },
);

describe("any objects", () => {
  property("are read back unchanged from an array and from lines, in chunks of any size", () =>
    fc.asyncProperty(objects, fc.nat({ max: 3 }), chunkSizes, async (values, indent, sizes) => {
      const array = JSON.stringify(values, null, indent);
      const lines = values.map((value) => JSON.stringify(value)).join("\n");
      const fromArray = await readAll(jsonRows(chunksOf(array, sizes), utf8));
      expect(entriesOf(valuesOf(fromArray))).toEqual(entriesOf(values));
      const fromLines = await readAll(ndjsonRows(chunksOf(lines, sizes), utf8));
      expect(entriesOf(valuesOf(fromLines))).toEqual(entriesOf(values));
    }),
  );

  slowProperty("are read from a truncated array up to its end, without invented objects", () =>
    fc.asyncProperty(objects, fc.nat(), chunkSizes, async (values, cut, sizes) => {
      const text = JSON.stringify(values);
      const broken = text.slice(0, 1 + (cut % Math.max(1, text.length - 1)));
      const read = await readAll(jsonRows(chunksOf(broken, sizes), utf8));
      const complete = read.filter((row) => !("problem" in row));
      expect(entriesOf(valuesOf(complete))).toEqual(entriesOf(values.slice(0, complete.length)));
      expect(read).toHaveLength(complete.length + 1);
    }),
  );
});

slowProperty(
  "any bytes are read to their end, or refused with a Misuse",
  (saw) => {
    const anyBytes = fc.oneof(
      { weight: 5, arbitrary: fc.uint8Array({ maxLength: 200 }) },
      { weight: 1, arbitrary: orLongRun(fc.string()).map((text) => Buffer.from(`a,b\n1,${text}`)) },
    );
    const names = fc.constantFrom("data.csv", "data.ndjson", "data.json", "data");
    const encodings = fc.constantFrom(undefined, "windows-1252", "utf-16le", "shift_jis");
    return fc.asyncProperty(anyBytes, names, encodings, async (bytes, name, encoding) => {
      const options = { stdin: process.stdin, signal: new AbortController().signal, encoding };
      const data = await openData({ file: fileOf(name, bytes), ...options }).catch((error) => error);
      if (data instanceof Error) {
        expect(data.name).toBe("Misuse");
        return saw("refused");
      }
      saw("read");
      await readAll(data.rows());
      await data.close();
    });
  },
  { outcomes: ["refused", "read"] },
);
