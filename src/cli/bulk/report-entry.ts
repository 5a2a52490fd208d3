import { extname } from "node:path";
import { kindOfFailure } from "../../bulk/failure-groups.ts";
import type { BulkResult } from "../../bulk/index.ts";
import { Misuse } from "../failure.ts";
import { lineOf } from "../report.ts";
import type { RowJob } from "./plan.ts";

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

const statuses = { fulfilled: "made", skipped: "made before", rejected: "failed" } as const;

/**
 * Tells what became of a row.
 *
 * @param path - where its document is, or would be
 */
export function entryOf(result: BulkResult<RowJob>, path: string | undefined): ReportEntry {
  const { line, number: row } = result.job;
  const entry = { line, row, path, status: statuses[result.status] };
  if (result.status === "skipped") return entry;
  const { attempts, error } = result;
  if (result.status === "fulfilled") return { ...entry, attempts };
  return { ...entry, attempts, code: kindOfFailure(error).code, message: lineOf(error) };
}

/** @throws {Misuse} when the name of the report does not tell how to write it */
export function reportFormatOf(path: string): ReportFormat {
  const extension = extname(path).toLowerCase();
  if (extension === ".json") return "json";
  if (extension === ".csv") return "csv";
  throw new Misuse(`--report takes a file that ends in .json or .csv, and got ${JSON.stringify(path)}.`);
}

function cellOf(value: string | number | undefined, column: (typeof columns)[number]): string {
  const text = String(value ?? "");
  const safe = withoutFormulas(text, column === "path");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** What a formula begins with; some programs take the wide characters of East Asian keyboards for the narrow ones. */
const formulaSigns = new Set("=+-@\uff1d\uff0b\uff0d\uff20");

/** Where a program may see the start of a cell: it may take another delimiter than the comma, and ignore quotes. */
const delimiters = new Set(",;|\t\r\n\v\f\u0085\u2028\u2029");

/** What a program may leave out at the start of a cell. */
const skipped = /[\s"'\p{Cc}\p{Cf}]/u;

/**
 * Keeps spreadsheets from taking a text, which may come from a row or from the service, for a formula: an apostrophe is put before
 * the sign that would begin one, wherever a program may see the start of a cell. Every such sign gets one, so that taking one
 * away from each gives the text again. A path that begins so gets `./`, which leads to the same file.
 */
function withoutFormulas(text: string, isPath: boolean): string {
  const needsFolder = isPath && formulaSigns.has(text.trimStart().charAt(0));
  let safe = needsFolder ? "./" : "";
  let mayStart = !needsFolder;
  for (const character of text) {
    if (mayStart && formulaSigns.has(character)) {
      safe += "'";
      mayStart = false;
    } else if (delimiters.has(character)) {
      mayStart = true;
    } else if (!skipped.test(character)) {
      mayStart = false;
    }
    safe += character;
  }
  return safe;
}
