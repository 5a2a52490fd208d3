import { extname } from "node:path";
import { Misuse } from "../failure.ts";

/** How a report is written. */
export type ReportFormat = "json" | "csv";

/** What became of one row. */
export interface ReportEntry {
  readonly line: number;
  readonly row: number;
  /** Where its document is, or would be. */
  readonly path: string | undefined;
  readonly status: "made" | "made before" | "failed";
  /** How many times it was asked for. */
  readonly attempts?: number | undefined;
  /** What it failed with. */
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}

/** What stands around the entries, and between them. */
export interface ReportLayout {
  readonly begin: string;
  readonly end: string;
  /** Writes one entry; `isFirst`: nothing stands before it. */
  write(entry: ReportEntry, isFirst: boolean): string;
}

const columns = ["line", "row", "path", "status", "attempts", "code", "message"] as const;

export const reportLayouts: Readonly<Record<ReportFormat, ReportLayout>> = {
  json: {
    begin: "[",
    end: "\n]\n",
    write: (entry, isFirst) => `${isFirst ? "" : ","}\n${JSON.stringify(entry, [...columns])}`,
  },
  csv: {
    begin: `${columns.join(",")}\r\n`,
    end: "",
    write: (entry) => `${columns.map((column) => cellOf(entry[column], column)).join(",")}\r\n`,
  },
};

/** @throws {Misuse} when the name of the report does not tell how to write it */
export function reportFormatOf(path: string): ReportFormat {
  const extension = extname(path).toLowerCase();
  if (extension === ".json") return "json";
  if (extension === ".csv") return "csv";
  throw new Misuse(`--report takes a file that ends in .json or .csv, and got ${JSON.stringify(path)}.`);
}

function cellOf(value: string | number | undefined, column: (typeof columns)[number]): string {
  const text = String(value ?? "");
  // A table would take such a path, which may come from a row, for a formula.
  const safe = column === "path" && /^[=+\-@\t\r]/.test(text) ? `./${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
