import { Misuse } from "../../failure.ts";
import { countOf } from "../../output.ts";
import type { CsvDialect } from "./csv-dialect.ts";
import { type CsvRecord, readCsvRecord } from "./csv-record.ts";
import { maxRecordMiB, readRecords } from "./read-records.ts";
import type { RowOrProblem } from "./row.ts";

/**
 * Reads the first row of CSV: the names of the columns.
 *
 * @param name - what to call the file
 * @throws {Misuse} when it names no columns, or one of them twice
 */
export async function readHeader(
  chunks: AsyncIterable<string>,
  dialect: CsvDialect,
  name: string,
): Promise<readonly string[]> {
  for await (const records of recordsOf(chunks, dialect)) {
    const [record] = records;
    if (!record) continue;
    const { cells, line, fault } = record;
    if (fault) throw new Misuse(`${name}:${line + fault.lineOffset}: ${fault.message}.`);
    checkNames(cells, `${name}:${line}`);
    return cells;
  }
  throw new Misuse(`${name}: there is no header. Name the columns on the first line, as the placeholders.`);
}

function checkNames(names: readonly string[], header: string): void {
  const places = new Map<string, number>();
  for (const [index, column] of names.entries()) {
    // Not by their names: where the header was forgotten, they are values.
    const place = `${header}: column ${index + 1} of the header`;
    if (column.trim() === "") {
      throw new Misuse(`${place} has no name. Name it as its placeholder, or take it away.`);
    }
    const before = places.get(column);
    if (before !== undefined) {
      throw new Misuse(`${place} has the same name as column ${before + 1}. Give each a name of its own.`);
    }
    places.set(column, index);
  }
}

/** Reads the rows of CSV. */
export async function* csvRows(
  chunks: AsyncIterable<string>,
  dialect: CsvDialect,
  columns: readonly string[],
): AsyncGenerator<RowOrProblem, void, undefined> {
  // Copied for each row: of an own property, `__proto__` is a name like any other.
  const emptyRow = Object.fromEntries(columns.map((column) => [column, ""]));
  // The header is the first record.
  let number = -1;
  for await (const records of recordsOf(chunks, dialect)) {
    for (const { cells, line, fault } of records) {
      number += 1;
      if (number === 0) continue;
      if (fault) {
        const column = fault.cell === undefined ? undefined : columns[fault.cell];
        yield { problem: { line: line + fault.lineOffset, column, message: fault.message, number } };
      } else if (cells.length !== columns.length) {
        const message = `${countOf(cells.length, "cell")} where the header names ${countOf(columns.length, "column")}`;
        yield { problem: { line, message, number } };
      } else {
        const values = { ...emptyRow };
        for (const [index, column] of columns.entries()) values[column] = cells[index] as string;
        yield { number, line, values };
      }
    }
  }
}

const tooLong = `this row is longer than ${maxRecordMiB} MiB: a quote may be left open in it`;

/** Reads the records, from the header on, without empty lines. */
async function* recordsOf(
  chunks: AsyncIterable<string>,
  dialect: CsvDialect,
): AsyncGenerator<readonly CsvRecord[], void, undefined> {
  let line = 1;
  let isBeforeHeader = dialect.namesDelimiter;
  const read = (text: string, start: number, isLast: boolean) => readCsvRecord(text, start, isLast, dialect);
  const broken = { cells: [], line: 0, lineCount: 1, fault: { message: tooLong, lineOffset: 0 } };
  for await (const records of readRecords<CsvRecord>(chunks, read, broken)) {
    yield records.filter((record) => {
      record.line = line;
      line += record.lineCount;
      if (record.cells.length === 0 && !record.fault) return false;
      const isSkipped = isBeforeHeader;
      isBeforeHeader = false;
      return !isSkipped;
    });
  }
}
