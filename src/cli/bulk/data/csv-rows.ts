import { Misuse } from "../../failure.ts";
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
  const makeValues = columns.includes("__proto__") ? definedValues : assignedValues;
  // The header is the first record.
  let number = -1;
  for await (const records of recordsOf(chunks, dialect)) {
    for (const { cells, line, fault } of records) {
      if (!fault && isBlank(cells, columns)) continue;
      number += 1;
      if (number === 0) continue;
      if (fault) {
        const column = fault.cell === undefined ? undefined : columns[fault.cell];
        yield { problem: { line: line + fault.lineOffset, column, message: fault.message, number } };
      } else if (cells.length !== columns.length) {
        yield { problem: { line, message: countMessage(cells.length, columns.length), number } };
      } else {
        yield { number, line, values: makeValues(columns, cells) };
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

/** Whether it is a line of white space, and not the one cell of a row. */
function isBlank(cells: readonly string[], columns: readonly string[]): boolean {
  const [first = ""] = cells;
  return cells.length === 1 && columns.length > 1 && first !== "" && first.trim() === "";
}

function countMessage(found: number, expected: number): string {
  const cells = found === 1 ? "1 cell" : `${found} cells`;
  const columns = expected === 1 ? "1 column" : `${expected} columns`;
  return `${cells} where the header names ${columns}`;
}

function assignedValues(columns: readonly string[], cells: readonly string[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (let index = 0; index < columns.length; index += 1)
    values[columns[index] as string] = cells[index] as string;
  return values;
}

/** Slower, and `__proto__` is a name like any other. */
function definedValues(columns: readonly string[], cells: readonly string[]): Record<string, string> {
  return Object.fromEntries(columns.map((column, index) => [column, cells[index] as string]));
}
