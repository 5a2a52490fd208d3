import { dirname, extname } from "node:path";
import { kindOfFailure } from "../../bulk/failure-groups.ts";
import type { BulkResult } from "../../bulk/index.ts";
import { makeFolders } from "../../files/make-folders.ts";
import { type Failure, Misuse } from "../failure.ts";
import { describeFailure, OutputFile } from "../output-file.ts";
import { lineOf } from "../report.ts";
import { type CheckedRow, textOfFault } from "./check-data.ts";
import type { Row } from "./data/row.ts";
import type { RowJob } from "./plan.ts";

/** The format of a report. */
export type ReportFormat = "json" | "csv";

/** The outcome of one row. */
export interface ReportEntry {
  readonly line: number;
  readonly row: number;
  /** The path of the document, even if it was not generated. */
  readonly path: string | undefined;
  readonly status: "made" | "made before" | "failed" | "invalid" | "left";
  /** The number of requests. */
  readonly attempts?: number | undefined;
  /** The error for a failed row. For an invalid row, `message` lists the problems with their columns. */
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  /** The names of columns that are empty in this row, but not in most rows. */
  readonly empty?: string | undefined;
}

/** The text around and between the entries. */
interface ReportLayout {
  readonly begin: string;
  readonly end: string;
  /** Formats one entry; `isFirst` means that no entry precedes it. */
  write(entry: ReportEntry, isFirst: boolean): string;
}

const columns = ["line", "row", "path", "status", "attempts", "code", "message", "empty"] as const;

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

/** Returns the entry of a row that was processed. */
export function entryOf(result: BulkResult<RowJob>, path: string | undefined): ReportEntry {
  const { line, number: row } = result.job;
  const entry = { line, row, path, status: statuses[result.status] };
  if (result.status === "skipped") return entry;
  const { attempts, error } = result;
  if (result.status === "fulfilled") return { ...entry, attempts };
  return { ...entry, attempts, code: kindOfFailure(error).code, message: lineOf(error) };
}

/** Returns the entry of a row that was skipped because it is invalid. */
export function invalidEntryOf({ line, number, faults }: CheckedRow): ReportEntry {
  const message = faults.map(textOfFault).join("; ");
  return { line, row: number ?? 0, path: undefined, status: "invalid", code: "invalid_row", message };
}

/** Returns the entry of a row that was not reached. */
export function leftEntryOf({ line, number: row }: Row, path: string): ReportEntry {
  return { line, row, path, status: "left" };
}

/** @throws {Misuse} if the name of the report does not end in `.json` or `.csv` */
export function reportFormatOf(path: string): ReportFormat {
  const extension = extname(path).toLowerCase();
  if (extension === ".json") return "json";
  if (extension === ".csv") return "csv";
  throw new Misuse(`--report must be a file name ending in .json or .csv, but got ${JSON.stringify(path)}.`);
}

function cellOf(value: string | number | undefined, column: (typeof columns)[number]): string {
  const text = String(value ?? "");
  const safe = withoutFormulas(text, column === "path");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Signs that start a formula. Some programs also accept the full-width signs of East Asian keyboards. */
const formulaSigns = new Set("=+-@\uff1d\uff0b\uff0d\uff20");

/** Characters after which a cell may start, in programs that use a delimiter other than the comma or that ignore quotes. */
const delimiters = new Set(",;|\t\r\n\v\f\u0085\u2028\u2029");

/** Characters that a program may ignore at the start of a cell. */
const skipped = /[\s"'\p{Cc}\p{Cf}]/u;

/**
 * Prevents spreadsheets from interpreting text from a row or from the service as a formula. Adds an apostrophe before each sign
 * that could start a formula, wherever a program may see the start of a cell. Removing those apostrophes restores the text. A
 * path that starts with such a sign gets the prefix `./` instead, which leads to the same file.
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

/** The minimum length of a write. */
const pieceLength = 64 * 1024;

/** A report that is written during a run and saved completely or not at all. */
export class ReportFile {
  readonly #layout: ReportLayout;
  readonly #file: OutputFile;
  #waiting: string;
  #isFirst = true;
  #writing = Promise.resolve();
  #failure: Failure | undefined;

  private constructor(layout: ReportLayout, file: OutputFile) {
    this.#layout = layout;
    this.#file = file;
    this.#waiting = layout.begin;
  }

  /** Starts a report, and creates its folder if it is missing. A new report is private, because it contains values of the rows. */
  static async open(path: string, format: ReportFormat): Promise<ReportFile> {
    await makeFolders(dirname(path)).catch((error) => {
      throw new Misuse(describeFailure(path, error), { cause: error });
    });
    return new ReportFile(reportLayouts[format], await OutputFile.open(path, true));
  }

  /** The path as it was passed. */
  get path(): string {
    return this.#file.path;
  }

  /** @throws {Failure} if an earlier entry could not be written */
  add(entry: ReportEntry): void {
    if (this.#failure) throw this.#failure;
    this.#waiting += this.#layout.write(entry, this.#isFirst);
    this.#isFirst = false;
    if (this.#waiting.length >= pieceLength) this.#write();
  }

  /** Resolves when everything so far has been written. Wait for it before the next row. */
  room(): Promise<void> {
    return this.#writing;
  }

  /** Saves the report under its name. Throws if it could not be written, and keeps the existing file. */
  async finish(): Promise<void> {
    this.#waiting += this.#layout.end;
    this.#write();
    await this.#writing;
    if (this.#failure) throw this.#failure;
    await this.#file.finish();
  }

  /** Removes the unfinished report. */
  async discard(): Promise<void> {
    await this.#writing;
    await this.#file.discard();
  }

  #write(): void {
    const piece = this.#waiting;
    this.#waiting = "";
    this.#writing = this.#writing
      .then(() => this.#file.append(piece))
      .catch((error) => {
        this.#failure ??= error as Failure;
      });
  }
}
