import { Misuse } from "../../failure.ts";
import { countOf } from "../../output.ts";
import type { CsvDialect } from "./csv-dialect.ts";
import { badCharacter, notInEncoding } from "./encodings.ts";
import { type Found, maxRecordMiB, readRecords } from "./read-records.ts";
import { isBlank, type OnBlankLine, type RowOrProblem } from "./row.ts";

/** Reads the first CSV row: the unique names of the columns. */
export async function readHeader(
  chunks: AsyncIterable<string>,
  dialect: CsvDialect,
  name: string,
): Promise<readonly string[]> {
  for await (const records of recordsOf(chunks, dialect)) {
    const [record] = records;
    if (!record) continue;
    const { cells, line, fault } = record;
    if (fault) {
      const column = fault.cell === undefined ? "" : `column ${fault.cell + 1} of the header: `;
      throw new Misuse(`${name}:${fault.line}: ${column}${fault.message}.`);
    }
    checkNames(cells, `${name}:${line}`);
    return cells;
  }
  throw new Misuse(
    `${name}: there is no header. On the first line, give each column the name of its template placeholder.`,
  );
}

/** Characters that a reader cannot see, or cannot tell from a space. An ideographic space is wider. */
const unseen =
  /(?!\u200c|\u200d|\ufe0f)\p{Default_Ignorable_Code_Point}|(?![ \u3000])\p{Zs}|(?![\t\r\n])\p{Cc}/u;

/** Joiners that nobody needs: they are part of words only in some scripts, and of emoji. */
const needlessJoiner = /(?<![^\p{ASCII}\p{Script=Latin}])(?:\u200c|\u200d)|(?:\u200c|\u200d)$/u;

function checkNames(names: readonly string[], header: string): void {
  const places = new Map<string, number>();
  for (const [index, column] of names.entries()) {
    // The message does not quote names, because they are values if the header is missing.
    const place = `${header}: column ${index + 1} of the header`;
    if (isBlank(column)) {
      throw new Misuse(`${place} has no name. Give it the name of its placeholder, or remove it.`);
    }
    if (column !== column.trim()) {
      throw new Misuse(`${place} has white space around its name. Remove the white space, or add --trim.`);
    }
    const [character] = unseen.exec(column) ?? needlessJoiner.exec(column) ?? [];
    if (character !== undefined) {
      const code = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0");
      throw new Misuse(
        `${place} contains the character U+${code}, which is invisible or looks like a space. Type the name again.`,
      );
    }
    // Two normal forms of a name look the same.
    const before = places.get(column.normalize());
    if (before !== undefined) {
      throw new Misuse(`${place} has the same name as column ${before + 1}. Give each column a unique name.`);
    }
    places.set(column.normalize(), index);
  }
}

/** Reads the CSV rows. */
export async function* csvRows(
  chunks: AsyncIterable<string>,
  dialect: CsvDialect,
  columns: readonly string[],
  onBlankLine: OnBlankLine = () => {},
): AsyncGenerator<RowOrProblem, void, undefined> {
  // Each row copies this object, so that `__proto__` is an ordinary own property.
  const emptyRow = Object.fromEntries(columns.map((column) => [column, ""]));
  // The header is the first record.
  let number = -1;
  for await (const records of recordsOf(chunks, dialect, onBlankLine)) {
    for (const { cells, line, fault } of records) {
      number += 1;
      if (number === 0) continue;
      if (fault) {
        const column = fault.cell === undefined ? undefined : columns[fault.cell];
        yield { problem: { line: fault.line, column, message: fault.message, number } };
      } else if (cells.length !== columns.length) {
        const message = `${countOf(cells.length, "cell")}, but the header has ${countOf(columns.length, "column")}`;
        yield { problem: { line, message, number } };
      } else if (cells.length > 1 && cells.every((cell, index) => cell === columns[index])) {
        yield { problem: { line, message: repeatsHeader, number } };
      } else {
        const values = { ...emptyRow };
        for (const [index, column] of columns.entries()) values[column] = cells[index] as string;
        yield { number, line, values };
      }
    }
  }
}

/** Reads the records from the header on, without blank lines. Spreadsheets write a blank row as delimiters only. */
async function* recordsOf(
  chunks: AsyncIterable<string>,
  dialect: CsvDialect,
  onBlankLine: OnBlankLine = () => {},
): AsyncGenerator<readonly CsvRecord[], void, undefined> {
  const reader = new CsvReader(dialect);
  let isBeforeHeader = dialect.namesDelimiter;
  const read = (text: string, start: number, isLast: boolean) => reader.read(text, start, isLast);
  for await (const records of readRecords<CsvRecord>(chunks, read, () => reader.tooLong())) {
    yield records.filter(({ cells, fault }) => {
      if (!fault && cells.every(isBlank)) {
        onBlankLine();
        return false;
      }
      const isSkipped = isBeforeHeader;
      isBeforeHeader = false;
      return !isSkipped;
    });
  }
}

/** One CSV record, before it is compared with the header. */
interface CsvRecord {
  /** The cells; empty for an empty line. */
  readonly cells: readonly string[];
  /** The line on which the record begins, from 1. */
  readonly line: number;
  /** The problem in its text, and the index of the cell. */
  readonly fault?: { readonly message: string; readonly line: number; readonly cell?: number } | undefined;
}

const quote = '"';
const byteOrderMark = "\ufeff";
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

const goesOn = "there is text after the closing quote of this cell; to include a quote in a cell, double it";
const spaceBeforeQuote =
  "there is white space or an invisible character before the quote of this cell; remove it (--trim removes white space)";
const formulaOfText = 'this cell is a formula, ="…"; write only the text that the formula shows';
const markWithin =
  "there is a byte order mark within this cell; if the file consists of several files, join them without their marks";
const repeatsHeader = "this row repeats the header; remove it";
const neverClosed = "this quote is never closed";
const tooLong = `this row is longer than ${maxRecordMiB} MiB; a quote may be unclosed`;

class CsvReader {
  readonly #delimiterCode: number;
  readonly #encoding: string;
  readonly #trims: boolean;
  /** The line on which the next record begins. */
  #line = 1;

  constructor({ delimiter, encoding, trims }: CsvDialect) {
    this.#delimiterCode = delimiter.charCodeAt(0);
    this.#encoding = encoding;
    this.#trims = trims;
  }

  tooLong(): CsvRecord {
    return { cells: [], line: this.#line, fault: { message: tooLong, line: this.#line } };
  }

  /** Reads a record up to the first line break outside quotes. */
  read(text: string, start: number, isLast: boolean): Found<CsvRecord> | undefined {
    const delimiterCode = this.#delimiterCode;
    const cells: string[] = [];
    let line = this.#line;
    let fault: CsvRecord["fault"];
    let index = start;
    for (;;) {
      const from = index;
      const where = { line, cell: cells.length };
      let cell: string | undefined;
      if (this.#trims) while (this.#isSpace(text.charAt(index))) index += 1;
      if (text[index] === quote) {
        const close = closingQuoteOf(text, index);
        if (close === -1) {
          if (!isLast) return undefined;
          fault ??= { message: neverClosed, line };
          return { record: { cells, line: this.#line, fault }, end: text.length };
        }
        cell = text.slice(index + 1, close);
        index = close + 1;
        if (cell.includes(quote)) cell = cell.replaceAll('""', quote);
        line += lineEndsIn(cell);
      }
      const rest = index;
      let code = 0;
      for (; index < text.length; index += 1) {
        code = text.charCodeAt(index);
        if (code === delimiterCode || code === lineFeed || code === carriageReturn) break;
      }
      // The line feed of a CRLF may be in the next chunk.
      if (!isLast && (index === text.length || (code === carriageReturn && index + 1 === text.length)))
        return undefined;
      const hasRest = index > rest && !(this.#trims && text.slice(rest, index).trim() === "");
      if (cell !== undefined && hasRest) fault ??= { message: goesOn, ...where };
      const message = cell === undefined ? faultOfBareCell(text.slice(from, index)) : undefined;
      if (message !== undefined) fault ??= { message, ...where };
      cell ??= text.slice(from, index);
      const bad = cell.indexOf(badCharacter);
      if (bad !== -1) {
        const badLine = where.line + lineEndsIn(cell.slice(0, bad));
        fault ??= { message: notInEncoding(this.#encoding), ...where, line: badLine };
      }
      if (cell.includes(byteOrderMark)) fault ??= { message: markWithin, ...where };
      if (this.#trims) cell = cell.trim();
      const hasEnded = index === text.length;
      if (hasEnded || code !== delimiterCode) {
        const isEmptyLine = cells.length === 0 && index === start;
        if (!isEmptyLine) cells.push(cell);
        const record = { cells, line: this.#line, fault };
        this.#line = line + 1;
        const isPair = code === carriageReturn && text.charCodeAt(index + 1) === lineFeed;
        return { record, end: hasEnded ? index : index + (isPair ? 2 : 1) };
      }
      cells.push(cell);
      index += 1;
    }
  }

  /** Whether a character before a cell is ignored with `--trim`. */
  #isSpace(character: string): boolean {
    return /^[^\S\r\n]$/.test(character) && character.charCodeAt(0) !== this.#delimiterCode;
  }
}

/** Returns the message for a cell without quotes around it whose own quotes would become part of the value. */
function faultOfBareCell(cell: string): string | undefined {
  if (!cell.includes(quote)) return undefined;
  const [start, sign] = /^[\s\p{Default_Ignorable_Code_Point}]*(=?)"/u.exec(cell) ?? [];
  return start === undefined ? undefined : sign ? formulaOfText : spaceBeforeQuote;
}

/** Returns the index of the quote that closes a cell, or -1. */
function closingQuoteOf(text: string, open: number): number {
  let close = text.indexOf(quote, open + 1);
  while (close !== -1 && text[close + 1] === quote) close = text.indexOf(quote, close + 2);
  return close;
}

function lineEndsIn(cell: string): number {
  return cell.match(/\r\n|\r|\n/g)?.length ?? 0;
}
