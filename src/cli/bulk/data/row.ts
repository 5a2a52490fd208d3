import type { Readable } from "node:stream";

/** How data is written. */
export type DataFormat = "csv" | "ndjson" | "json";

/** The values of one document. */
export interface Row {
  /** The nth record of the data, from 1; those with a problem count. */
  readonly number: number;
  /** The line of the file on which it begins, from 1. */
  readonly line: number;
  readonly values: Record<string, unknown>;
}

/** What is wrong with one record; no value is in it. */
export interface RowProblem {
  /** The line of the file, from 1. */
  readonly line: number;
  /** Of CSV the name of the column; of JSON and NDJSON the place on that line, counted from 1, as decimal digits. */
  readonly column?: string | undefined;
  /** Without a period at its end. */
  readonly message: string;
  /** The nth record of the data, from 1, where there is one. */
  readonly number?: number;
}

/** What comes of the data, one at a time. */
export type RowOrProblem = Row | { readonly problem: RowProblem };

/** Where the data comes from, and what is known of it. */
export interface DataOptions {
  /** A path, or `-` for standard input. */
  readonly file: string;
  /** Else the file's name tells, or what it begins with. */
  readonly format?: DataFormat | undefined;
  /** A label of the Encoding Standard, such as `windows-1252`; else UTF-8, or UTF-16 where a byte order mark says so. */
  readonly encoding?: string | undefined;
  /** What stands between the cells of CSV; else the header tells. */
  readonly delimiter?: string | undefined;
  readonly stdin: Readable;
  readonly signal: AbortSignal;
}

/** Rows that can be read more than once, the same every time. */
export interface Data {
  /** The path as it was given, or `standard input`. */
  readonly name: string;
  readonly format: DataFormat;
  /** The names of the columns, of CSV. */
  readonly columns: readonly string[] | undefined;
  /** Reads all rows from the beginning, and holds one piece of the file at a time. */
  rows(): AsyncIterable<RowOrProblem>;
  close(): Promise<void>;
}

/** Reads the first records of the data, so many; what is wrong beyond them is nothing to anybody. */
export async function* rowsUpTo(limit: number, data: Data): AsyncGenerator<RowOrProblem, void, undefined> {
  let last = 0;
  for await (const each of data.rows()) {
    // What is wrong behind the last record is of none.
    last = ("problem" in each ? each.problem.number : each.number) ?? last + 1;
    if (last > limit) return;
    yield each;
  }
}

/** The position of a row in the data. */
interface RowLocation {
  readonly number?: number | undefined;
  readonly line: number;
}

/** What messages tell of the data. */
type Described = Pick<Data, "name" | "format">;

/** What rows are counted by: a JSON array may stand on one line. */
export function unitOf(format: DataFormat): "line" | "row" {
  return format === "json" ? "row" : "line";
}

/** The number that tells a row of the data from all others. */
export function ordinalOf({ number, line }: RowLocation, format: DataFormat): number {
  return format === "json" ? (number ?? line) : line;
}

/** Names a row in messages: `data.csv:12`, and `data.json:1, row 12` where many may stand on a line. */
export function formatRowLocation(location: RowLocation, { name, format }: Described): string {
  const row = format === "json" && location.number !== undefined ? `, row ${location.number}` : "";
  return `${name}:${location.line}${row}`;
}

/** Says what is wrong with a record: `data.csv:12: total: …`, and `data.ndjson:12:5: …` where the column is a place on the line. */
export function problemText(problem: RowProblem, data: Described): string {
  const { column, message } = problem;
  const about = data.format === "csv" && column ? `${column}: ` : "";
  return `${placeOfProblem(problem, data)}: ${about}${message}`;
}

/** Names the place of a record that cannot be read. */
export function placeOfProblem({ line, number, column }: RowProblem, data: Described): string {
  return data.format === "csv" || column === undefined
    ? formatRowLocation({ line, number }, data)
    : `${data.name}:${line}:${column}`;
}
