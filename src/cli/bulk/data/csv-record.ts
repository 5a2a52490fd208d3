import type { CsvDialect } from "./csv-dialect.ts";
import { badCharacter, notInEncoding } from "./encodings.ts";
import type { Found } from "./read-records.ts";

/** One record of CSV, as it stands. */
export interface CsvRecord {
  /** None where the line is empty. */
  readonly cells: readonly string[];
  /** The line on which it begins, from 1, once it is known. */
  line: number;
  /** How many lines it takes. */
  readonly lineCount: number;
  /** What is wrong with its text. */
  readonly fault?: CsvFault | undefined;
}

interface CsvFault {
  readonly message: string;
  /** How many lines below the first one of the record. */
  readonly lineOffset: number;
  /** Which cell it is, from 0. */
  readonly cell?: number;
}

const quote = '"';
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

const goesOn = "a cell in quotes goes on behind its closing quote; write a quote within it twice";
const neverClosed = "a quote is opened here and never closed";

/** Reads a record of CSV: up to the end of its line, outside of quotes. */
export function readCsvRecord(
  text: string,
  start: number,
  isLast: boolean,
  dialect: CsvDialect,
): Found<CsvRecord> | undefined {
  const delimiterCode = dialect.delimiter.charCodeAt(0);
  const cells: string[] = [];
  let lineOffset = 0;
  let fault: CsvFault | undefined;
  let index = start;
  for (;;) {
    const from = index;
    let cell: string | undefined;
    const cellLine = lineOffset;
    if (text[index] === quote) {
      const close = closingQuoteOf(text, index);
      if (close === -1) {
        if (!isLast) return undefined;
        fault ??= { message: neverClosed, lineOffset };
        return { record: { cells, line: 0, lineCount: lineOffset + 1, fault }, end: text.length };
      }
      cell = text.slice(index + 1, close);
      index = close + 1;
      if (cell.includes(quote)) cell = cell.replaceAll('""', quote);
      lineOffset += lineEndsIn(cell);
    }
    const rest = index;
    let code = 0;
    for (; index < text.length; index += 1) {
      code = text.charCodeAt(index);
      if (code === delimiterCode || code === lineFeed || code === carriageReturn) break;
    }
    // The second half of a line end may be in the next chunk.
    if (!isLast && (index === text.length || (code === carriageReturn && index + 1 === text.length)))
      return undefined;
    const where = { lineOffset: cellLine, cell: cells.length };
    if (cell !== undefined && index > rest) fault ??= { message: goesOn, ...where };
    cell ??= text.slice(from, index);
    const bad = cell.indexOf(badCharacter);
    if (bad !== -1) {
      const badLine = cellLine + lineEndsIn(cell.slice(0, bad));
      fault ??= { message: notInEncoding(dialect.encoding), ...where, lineOffset: badLine };
    }
    const isBlank = cells.length === 0 && index === start;
    const hasEnded = index === text.length;
    if (hasEnded || code !== delimiterCode) {
      const isPair = code === carriageReturn && text.charCodeAt(index + 1) === lineFeed;
      const end = hasEnded ? index : index + (isPair ? 2 : 1);
      if (!isBlank) cells.push(cell);
      return { record: { cells, line: 0, lineCount: lineOffset + 1, fault }, end };
    }
    cells.push(cell);
    index += 1;
  }
}

/** Where the quote stands that closes a cell; -1 where there is none. */
function closingQuoteOf(text: string, open: number): number {
  let close = text.indexOf(quote, open + 1);
  while (close !== -1 && text[close + 1] === quote) close = text.indexOf(quote, close + 2);
  return close;
}

function lineEndsIn(cell: string): number {
  return cell.match(/\r\n|\r|\n/g)?.length ?? 0;
}
