import type { Data, DataFormat, RowProblem } from "./data/row.ts";

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
export function problemText({ line, number, column, message }: RowProblem, data: Described): string {
  const isCell = data.format === "csv";
  const where =
    isCell || column === undefined
      ? formatRowLocation({ line, number }, data)
      : `${data.name}:${line}:${column}`;
  return isCell && column ? `${where}: ${column}: ${message}` : `${where}: ${message}`;
}
