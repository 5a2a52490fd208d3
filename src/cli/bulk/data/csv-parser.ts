import { isUtf8 } from "node:buffer";
import { type CsvError, type Options, Parser } from "csv-parse";
import { parse } from "csv-parse/sync";
import { lineAndColumn } from "../../../json/json-text.ts";
import { placeOfBadByte } from "../../decode-utf8.ts";
import { ByteWindow } from "./byte-window.ts";
import { notInEncoding, replacement } from "./encodings.ts";

/** One record of CSV, as it stands. */
export interface CsvRecord {
  readonly cells: readonly string[];
  /** The line on which it begins, from 1. */
  readonly line: number;
  /** What is wrong with its text, and where. */
  readonly fault?: CsvFault | undefined;
}

/** What makes a text no record. */
export interface CsvFault {
  readonly message: string;
  readonly line: number;
  /** Which cell it is, from 0. */
  readonly cell?: number | undefined;
}

/** How CSV is written. */
export interface CsvDialect {
  readonly delimiter: string;
  /** Whether the first line is none of the table, but names the delimiter: `sep=;`. */
  readonly namesDelimiter: boolean;
  /** Whether the bytes are the file's own, not those of a text that was made of them. */
  readonly isRaw: boolean;
  /** The name of the encoding, for messages. */
  readonly encoding: string;
}

const maxRecordMiB = 64;
const maxRecordBytes = maxRecordMiB * 1024 * 1024;

const base: Options = {
  // Else the first line end would be taken for the only kind.
  record_delimiter: ["\r\n", "\n", "\r"],
  // A quote within a cell that is not quoted is a character like any other; within one that is, see #quoteFault.
  relax_quotes: true,
  relax_column_count: true,
  skip_empty_lines: true,
};

/** Cuts CSV in UTF-8 into its records, and holds what is not cut yet. */
export class CsvParser {
  readonly #dialect: CsvDialect;
  readonly #parser: Parser;
  readonly #window = new ByteWindow();
  #records: CsvRecord[] = [];
  /** Where the next record begins, or an empty line before it. */
  #next = 0;
  #isOver = false;

  constructor(dialect: CsvDialect) {
    this.#dialect = dialect;
    const { delimiter } = dialect;
    this.#parser = new DirectParser({ ...base, delimiter }, (cells) => this.#take(cells));
    // Told by whoever is waiting for its end.
    this.#parser.on("error", () => {});
  }

  /** Whether no record follows, however much is pushed. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Gives the records that end in this chunk. */
  async push(chunk: Uint8Array): Promise<readonly CsvRecord[]> {
    this.#window.append(chunk);
    await new Promise<void>((resolve) => void this.#parser.write(chunk, () => resolve()));
    this.#window.forgetBefore(this.#next);
    const records = this.#records;
    this.#records = [];
    if (this.#window.end - this.#next <= maxRecordBytes) return records;
    return [
      ...records,
      this.#broken(`this row is longer than ${maxRecordMiB} MiB: a quote may be left open in it`),
    ];
  }

  /** Gives the last record, where no end of a line follows it. */
  async end(): Promise<readonly CsvRecord[]> {
    const isClosed = await new Promise<boolean>((resolve) => {
      this.#parser.once("finish", () => resolve(true));
      this.#parser.once("error", () => resolve(false));
      this.#parser.end();
    });
    if (isClosed) return this.#records;
    return [...this.#records, this.#broken("a quote is opened here and never closed")];
  }

  #take(cells: readonly string[]): void {
    const start = this.#window.afterLineEnds(this.#next);
    const end = this.#parser.info.bytes;
    const line = this.#window.lineAt(start);
    this.#next = end;
    this.#records.push({ cells, line, fault: this.#faultOf(cells, start, end, line) });
  }

  /** Gives what stands for the record that never ended. */
  #broken(message: string): CsvRecord {
    this.#isOver = true;
    const start = this.#window.afterLineEnds(this.#next);
    const line = this.#window.lineAt(start);
    // The end of the last cell before it, where there is one in its row.
    const at = Math.max(start, this.#parser.info.bytes);
    return { cells: [], line, fault: { message, line: this.#window.lineAt(at) } };
  }

  #faultOf(cells: readonly string[], start: number, end: number, line: number): CsvFault | undefined {
    // Once for the whole record, however many of its cells are suspect.
    const lost = cells.findIndex((cell) => cell.includes(replacement));
    const hasQuote = cells.some((cell) => cell.startsWith('"'));
    if (lost === -1 && !hasQuote) return undefined;
    const bytes = this.#window.between(start, end);
    const fault = lost === -1 ? undefined : this.#encodingFault(bytes, line, lost);
    return fault ?? (hasQuote ? quoteFault(bytes, this.#dialect, line) : undefined);
  }

  #encodingFault(bytes: Buffer, line: number, cell: number): CsvFault | undefined {
    const { isRaw, encoding } = this.#dialect;
    const lost = bytes.indexOf(replacement);
    if (isRaw ? isUtf8(bytes) : lost === -1) return undefined;
    const place = isRaw ? placeOfBadByte(bytes) : lineAndColumn(bytes.toString("utf8", 0, lost));
    return { message: notInEncoding(encoding), line: line + Number.parseInt(place, 10) - 1, cell };
  }
}

/** Finds a quoted cell that goes on behind its end, of which nobody can say what was meant. */
function quoteFault(bytes: Buffer, { delimiter }: CsvDialect, line: number): CsvFault | undefined {
  let found: CsvError | undefined;
  parse(bytes, {
    ...base,
    delimiter,
    relax_quotes: false,
    skip_records_with_error: true,
    on_skip(error) {
      if (error?.code === "CSV_INVALID_CLOSING_QUOTE") found ??= error;
      return undefined;
    },
  });
  const message = "a cell in quotes goes on behind its closing quote; write a quote within it twice";
  return found && { message, line, cell: Number(found["column"]) };
}

/** Hands each record on where it is read, as a reader of the stream could not: the parser knows its place then. */
class DirectParser extends Parser {
  readonly #take: (cells: readonly string[]) => void;

  constructor(options: Options, take: (cells: readonly string[]) => void) {
    super(options);
    this.#take = take;
  }

  override push(cells: readonly string[] | null): boolean {
    if (cells === null) return super.push(null);
    this.#take(cells);
    return true;
  }
}
