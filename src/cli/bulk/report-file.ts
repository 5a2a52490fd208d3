import { mkdir } from "node:fs/promises";
import { dirname, extname } from "node:path";
import { kindOfFailure } from "../../bulk/failure-groups.ts";
import type { BulkResult } from "../../bulk/index.ts";
import { type Failure, Misuse } from "../failure.ts";
import { describeFailure, OutputFile } from "../output-file.ts";
import { lineOf } from "../report.ts";
import { type CheckedRow, textOfFault } from "./check-data.ts";
import type { Row } from "./data/row.ts";
import type { RowJob } from "./plan.ts";

/** How a report is written. */
export type ReportFormat = "json" | "csv";

/** What became of one row. */
export interface ReportEntry {
  readonly line: number;
  readonly row: number;
  /** Where its document is, or would be. */
  readonly path: string | undefined;
  readonly status: "made" | "made before" | "failed" | "invalid" | "left";
  /** The number of requests. */
  readonly attempts?: number | undefined;
  /** What it failed with; of an invalid row, each fault behind its column. */
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}

/** What stands around the entries, and between them. */
interface ReportLayout {
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

/** Tells what became of a row, and where its document is, or would be. */
export function entryOf(result: BulkResult<RowJob>, path: string | undefined): ReportEntry {
  const { line, number: row } = result.job;
  const entry = { line, row, path, status: statuses[result.status] };
  if (result.status === "skipped") return entry;
  const { attempts, error } = result;
  if (result.status === "fulfilled") return { ...entry, attempts };
  return { ...entry, attempts, code: kindOfFailure(error).code, message: lineOf(error) };
}

/** Says what is wrong with a row that was left out. */
export function invalidEntryOf({ line, number, faults }: CheckedRow): ReportEntry {
  const message = faults.map(textOfFault).join("; ");
  return { line, row: number ?? 0, path: undefined, status: "invalid", code: "invalid_row", message };
}

/** Lists a row that was not reached. */
export function leftEntryOf({ line, number: row }: Row, path: string): ReportEntry {
  return { line, row, path, status: "left" };
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
 * away from each returns the text again. A path that begins so gets `./`, which leads to the same file.
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

/** How much is written at once. */
const pieceLength = 64 * 1024;

/** A report that is written while a run goes on: the whole of it or nothing. */
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

  /** Begins a report; makes its folder where it is missing. */
  static async open(path: string, format: ReportFormat): Promise<ReportFile> {
    await mkdir(dirname(path), { recursive: true }).catch((error) => {
      throw new Misuse(describeFailure(path, error), { cause: error });
    });
    return new ReportFile(reportLayouts[format], await OutputFile.open(path));
  }

  /** Where it goes, as it was given. */
  get path(): string {
    return this.#file.path;
  }

  /** @throws {Failure} when what came before could not be written */
  add(entry: ReportEntry): void {
    if (this.#failure) throw this.#failure;
    this.#waiting += this.#layout.write(entry, this.#isFirst);
    this.#isFirst = false;
    if (this.#waiting.length >= pieceLength) this.#write();
  }

  /** Resolves when every piece is written: no more rows are to be begun before. */
  room(): Promise<void> {
    return this.#writing;
  }

  /** Gives the report its name. If it could not be written, this throws, and the one that stood there before is left. */
  async finish(): Promise<void> {
    this.#waiting += this.#layout.end;
    this.#write();
    await this.#writing;
    if (this.#failure) throw this.#failure;
    await this.#file.finish();
  }

  /** Leaves nothing of it. */
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
