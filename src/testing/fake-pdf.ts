import type { Bytes } from "../runtime/platform-types.ts";
import { Fonts } from "./pdf/fonts.ts";
import { streamOf, writePdf } from "./pdf/write-pdf.ts";

/** What a fake document is to be like. */
export interface FakePdfOptions {
  /** Stands on its pages, one row for each line; any characters. Default: none. */
  readonly text?: string | undefined;
  /** How many pages it has at least: more, where the text needs more. Default: 1. */
  readonly pages?: number | undefined;
  /** How many bytes it has, exactly. Default: as few as it can. */
  readonly bytes?: number | undefined;
}

const mostPages = 100_000;
const rowsOfPage = 55;
/** In points, as all that follows. */
const margin = 40;
const height = 842;
const leading = 14;
const usualSize = 12;
const width = 595;
/** Of every character, for a size of 1. */
const advance = 0.6;

/**
 * Makes a PDF that every reader opens, with the text, pages and length that are asked for.
 *
 * Latin letters are drawn as they are; for other characters there are boxes to be seen, and the characters themselves
 * to be read, copied and searched for. A line that is too long for the page is drawn smaller.
 * It is padded with comments of which no two are alike, so that bytes in the wrong order or place show.
 *
 * @param options - text, pages and length in bytes; by default one empty page, as short as can be
 * @throws {TypeError} when an option does not exist or is of the wrong type
 * @throws {RangeError} when `pages` is no whole number from 1 to 100,000, or `bytes` no whole number, or less than
 * this text and these pages need
 *
 * @example
 * ```ts
 * import { assertWholePdf, fakePdf, pdfText } from "template-pdf/testing";
 *
 * const pdf = fakePdf({ text: "Invoice 2026-0118\nΑθηνά Α.Ε.", pages: 2, bytes: 50_000 });
 * assertWholePdf(pdf);
 * console.log(pdf.length, await pdfText(pdf));
 * ```
 */
export function fakePdf(options: FakePdfOptions = {}): Bytes {
  const { text: given, pages, bytes } = checked(options);
  const text = given.replace(/\r\n?/g, "\n").replace(/\p{Surrogate}/gu, "\ufffd");
  const lines = text === "" ? [] : text.split("\n");
  const fonts = new Fonts();
  const objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""];
  const kids: string[] = [];
  const count = Math.max(pages, Math.ceil(lines.length / rowsOfPage));
  for (let page = 0; page < count; page++) {
    const rows = lines
      .slice(page * rowsOfPage, (page + 1) * rowsOfPage)
      .map((line) => `${fonts.show(line, sizeOf(line))}T*`);
    const start = `BT ${leading} TL ${margin} ${height - margin - usualSize} Td`;
    const contents =
      rows.length === 0 ? "" : ` /Contents ${objects.push(streamOf([start, ...rows, "ET"].join("\n")))} 0 R`;
    kids.push(`${objects.push(`<< /Type /Page /Parent 2 0 R${contents} >>`)} 0 R`);
  }
  // Every page inherits its size and its fonts.
  objects[1] = `<< /Type /Pages /Count ${count} /Kids [${kids.join(" ")}] /MediaBox [0 0 ${width} ${height}] /Resources << ${fonts.addTo(objects)} >> >>`;
  return writePdf(objects, String(new URLSearchParams({ pages: String(pages), text })), bytes);
}

/** The size at which a line fits the page, rounded down. */
function sizeOf(line: string): number {
  const largest = (width - 2 * margin) / (line.length * advance);
  return Math.min(usualSize, Math.max(1, Math.floor(largest * 1e4)) / 1e4);
}

function checked(options: FakePdfOptions): { text: string; pages: number; bytes: number | undefined } {
  checkType("the options of fakePdf()", options, "object");
  const unknown = Object.keys(options).find((name) => !["text", "pages", "bytes"].includes(name));
  if (unknown !== undefined) {
    throw new TypeError(`Unknown option \`${unknown}\` of fakePdf(). Known options: text, pages, bytes.`);
  }
  const { text = "", pages = 1, bytes } = options;
  checkType("`text`", text, "string");
  checkType("`pages`", pages, "number");
  if (!(Number.isInteger(pages) && pages >= 1 && pages <= mostPages)) {
    throw new RangeError(`Expected \`pages\` to be a whole number from 1 to ${mostPages}, got ${pages}.`);
  }
  if (bytes !== undefined) checkType("`bytes`", bytes, "number");
  if (bytes !== undefined && !(Number.isSafeInteger(bytes) && bytes >= 0)) {
    throw new RangeError(`Expected \`bytes\` to be a whole number of bytes, got ${bytes}.`);
  }
  return { text, pages, bytes };
}

function checkType(name: string, value: unknown, type: string): void {
  const found = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  if (found !== type) throw new TypeError(`Expected ${name} to be of type ${type}, got ${found}.`);
}
