import { Misuse } from "../../failure.ts";
import { type CsvDialect, CsvParser, type CsvRecord } from "./csv-parser.ts";
import type { RowOrProblem } from "./row.ts";

/** Opens the file from its beginning, as UTF-8. */
export type OpenChunks = () => AsyncIterable<Uint8Array>;

/**
 * Reads the first row of CSV: the names of the columns.
 *
 * @param name - what to call the file
 * @throws {Misuse} when it names no columns, or one of them twice
 */
export async function readHeader(
  open: OpenChunks,
  dialect: CsvDialect,
  name: string,
): Promise<readonly string[]> {
  for await (const { cells, line, fault } of recordsOf(open, dialect)) {
    if (fault) throw new Misuse(`${name}:${fault.line}: ${fault.message}.`);
    const places = new Map<string, number>();
    for (const [index, column] of cells.entries()) {
      // Not by their names: where the header was forgotten, they are values.
      const place = `${name}:${line}: column ${index + 1} of the header`;
      if (column.trim() === "") {
        throw new Misuse(`${place} has no name. Name it as its placeholder, or take it away.`);
      }
      const before = places.get(column);
      if (before !== undefined) {
        throw new Misuse(`${place} has the same name as column ${before + 1}. Give each a name of its own.`);
      }
      places.set(column, index);
    }
    return cells;
  }
  throw new Misuse(`${name}: there is no header. Name the columns on the first line, as the placeholders.`);
}

/** Reads the rows of CSV. */
export async function* csvRows(
  open: OpenChunks,
  dialect: CsvDialect,
  columns: readonly string[],
): AsyncGenerator<RowOrProblem, void, undefined> {
  const makeValues = columns.includes("__proto__") ? definedValues : assignedValues;
  // The header is the first record.
  let number = -1;
  for await (const { cells, line, fault } of recordsOf(open, dialect)) {
    if (!fault && isBlank(cells, columns)) continue;
    number += 1;
    if (number === 0) continue;
    if (fault) {
      const column = fault.cell === undefined ? undefined : columns[fault.cell];
      yield { problem: { line: fault.line, column, message: fault.message, number } };
    } else if (cells.length !== columns.length) {
      yield { problem: { line, message: countMessage(cells.length, columns.length), number } };
    } else {
      yield { number, line, values: makeValues(columns, cells) };
    }
  }
}

async function* recordsOf(open: OpenChunks, dialect: CsvDialect): AsyncGenerator<CsvRecord, void, undefined> {
  const parser = new CsvParser(dialect);
  let isBeforeHeader = dialect.namesDelimiter;
  const rowsOf = (records: readonly CsvRecord[]) => {
    if (!isBeforeHeader || records.length === 0) return records;
    isBeforeHeader = false;
    return records.slice(1);
  };
  for await (const chunk of open()) {
    yield* rowsOf(await parser.push(chunk));
    if (parser.isOver) return;
  }
  yield* rowsOf(await parser.end());
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
