import type { Readable } from "node:stream";

/** The format of the data. */
export type DataFormat = "csv" | "ndjson" | "json";

/** The values of one document. */
export interface Row {
  /** The number of the record in the data, from 1, including records with problems. */
  readonly number: number;
  /** The line of the file on which the record begins, from 1. */
  readonly line: number;
  readonly values: Record<string, unknown>;
}

/** A problem with one record. It never contains a value. */
export interface RowProblem {
  /** The line of the file, from 1. */
  readonly line: number;
  /** In CSV, the name of the column; in JSON and NDJSON, the position on that line, from 1, as decimal digits. */
  readonly column?: string | undefined;
  /** The message, without a final period. */
  readonly message: string;
  /** The number of the record in the data, from 1, if the problem belongs to a record. */
  readonly number?: number;
}

/** A row, or the problem with a record that cannot be read. */
export type RowOrProblem = Row | { readonly problem: RowProblem };

/** The source of the data, and its format if that is known. */
export interface DataOptions {
  /** A path, or `-` for standard input. */
  readonly file: string;
  /** By default, the format is detected from the file name or the first characters. */
  readonly format?: DataFormat | undefined;
  /** A label of the Encoding Standard, such as `windows-1252`. The default is UTF-8, or UTF-16 if there is a byte order mark. */
  readonly encoding?: string | undefined;
  /** The CSV delimiter. By default, it is a tab in `.tsv`, and otherwise detected from the header. */
  readonly delimiter?: string | undefined;
  /** Whether white space around the names and cells of CSV is removed. */
  readonly trims?: boolean | undefined;
  readonly stdin: Readable;
  readonly signal: AbortSignal;
}

/** Called for each blank line. */
export type OnBlankLine = () => void;

/** Whether a reader cannot see anything in a text. */
export function isBlank(text: string): boolean {
  return /^[\s\p{Default_Ignorable_Code_Point}]*$/u.test(text);
}

/** Rows that can be read more than once, with the same result every time. */
export interface Data {
  /** The path as it was passed, or `standard input`. */
  readonly name: string;
  readonly format: DataFormat;
  /** The CSV column names. */
  readonly columns: readonly string[] | undefined;
  /** Reads all rows from the beginning, and keeps one chunk of the file in memory at a time. */
  rows(onBlankLine?: OnBlankLine): AsyncIterable<RowOrProblem>;
  close(): Promise<void>;
}

/** Reads at most `limit` records from the beginning. Problems after them are ignored. */
export async function* rowsUpTo(
  limit: number,
  data: Data,
  onBlankLine?: OnBlankLine,
): AsyncGenerator<RowOrProblem, void, undefined> {
  let last = 0;
  for await (const each of data.rows(onBlankLine)) {
    // A problem after the last record has no number.
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

/** The properties of the data that messages mention. */
type Described = Pick<Data, "name" | "format">;

/** The unit in which rows are counted. JSON uses rows, because an array can be on one line. */
export function unitOf(format: DataFormat): "line" | "row" {
  return format === "json" ? "row" : "line";
}

/** The number that identifies a row in the data. */
export function ordinalOf({ number, line }: RowLocation, format: DataFormat): number {
  return format === "json" ? (number ?? line) : line;
}

/** Formats the location of a row for messages: `data.csv:12`, or `data.json:1, row 12` if a line can contain several rows. */
export function formatRowLocation(location: RowLocation, { name, format }: Described): string {
  const row = format === "json" && location.number !== undefined ? `, row ${location.number}` : "";
  return `${name}:${location.line}${row}`;
}

/** Formats a problem: `data.csv:12: total: …`, or `data.ndjson:12:5: …` if the column is a position on the line. */
export function problemText(problem: RowProblem, data: Described): string {
  const { column, message } = problem;
  const about = data.format === "csv" && column ? `${column}: ` : "";
  return `${placeOfProblem(problem, data)}: ${about}${message}`;
}

/** Formats the location of a record that cannot be read. */
export function placeOfProblem({ line, number, column }: RowProblem, data: Described): string {
  return data.format === "csv" || column === undefined
    ? formatRowLocation({ line, number }, data)
    : `${data.name}:${line}:${column}`;
}
