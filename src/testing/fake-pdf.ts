import { ownOptions } from "../runtime/own-options.ts";
import type { Bytes } from "../runtime/platform-types.ts";
import { Fonts } from "./pdf/fonts.ts";
import { streamOf, writePdf } from "./pdf/write-pdf.ts";

/** Options for `fakePdf`. */
export interface FakePdfOptions {
  /** The text of the document, with any characters and line breaks. Default: none. */
  readonly text?: string | undefined;
  /** The minimum number of pages. The document has more pages if the text needs them. Default: 1. */
  readonly pages?: number | undefined;
  /** The exact size in bytes. Default: as small as possible. */
  readonly bytes?: number | undefined;
}

const optionNames: readonly (keyof FakePdfOptions)[] = ["text", "pages", "bytes"];

const mostPages = 100_000;
const rowsOfPage = 55;
/** In points, like all sizes below. */
const margin = 40;
const height = 842;
const leading = 14;
const usualSize = 12;
const width = 595;
/** The width of every character, for a size of 1. */
const advance = 0.6;

/**
 * Creates a valid PDF with the given text, page count and size. Every PDF reader can open it.
 *
 * Latin letters are drawn. Other characters appear as boxes, but can be copied and searched. Long lines are
 * drawn smaller. If `bytes` requires padding, the padding consists of unique comments, so that tests detect
 * misplaced bytes.
 *
 * @param options - text, pages and size in bytes; by default one empty page of minimum size
 * @throws {TypeError} if an option is unknown or has the wrong type
 * @throws {RangeError} if `pages` is not an integer from 1 to 100,000, or `bytes` is not an integer or too small for the text and
 * pages
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
  // All pages inherit their size and fonts.
  objects[1] = `<< /Type /Pages /Count ${count} /Kids [${kids.join(" ")}] /MediaBox [0 0 ${width} ${height}] /Resources << ${fonts.addTo(objects)} >> >>`;
  return writePdf(objects, String(new URLSearchParams({ pages: String(pages), text })), bytes);
}

/** The size at which a line fits the page, rounded down. */
function sizeOf(line: string): number {
  const largest = (width - 2 * margin) / (line.length * advance);
  return Math.min(usualSize, Math.max(1, Math.floor(largest * 1e4)) / 1e4);
}

function checked(options: FakePdfOptions): { text: string; pages: number; bytes: number | undefined } {
  checkType("the fakePdf() options", options, "object");
  const unknown = Object.keys(options).find((name) => !(optionNames as readonly string[]).includes(name));
  if (unknown !== undefined) {
    throw new TypeError(`Unknown fakePdf() option \`${unknown}\`. Known options: text, pages, bytes.`);
  }
  const { text = "", pages = 1, bytes } = ownOptions(options, optionNames);
  checkType("`text`", text, "string");
  checkType("`pages`", pages, "number");
  if (!(Number.isInteger(pages) && pages >= 1 && pages <= mostPages)) {
    throw new RangeError(`Expected \`pages\` to be an integer from 1 to ${mostPages}, got ${pages}.`);
  }
  if (bytes !== undefined) checkType("`bytes`", bytes, "number");
  if (bytes !== undefined && !(Number.isSafeInteger(bytes) && bytes >= 0)) {
    throw new RangeError(`Expected \`bytes\` to be an integer, got ${bytes}.`);
  }
  return { text, pages, bytes };
}

function checkType(name: string, value: unknown, type: string): void {
  const found = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  if (found !== type) throw new TypeError(`Expected ${name} to be of type ${type}, got ${found}.`);
}
