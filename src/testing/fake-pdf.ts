import type { Bytes } from "../runtime/platform-types.ts";
import { OtherFonts } from "./pdf/other-fonts.ts";
import { PdfObjects } from "./pdf/pdf-objects.ts";
import { leading, mostCharacters, type Row, rowsOf, usualWidth } from "./pdf/rows.ts";
import { StandardFont } from "./pdf/standard-font.ts";
import { writePdf } from "./pdf/write-pdf.ts";

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
const margin = 40;
const height = 842;

/**
 * Makes a PDF that every reader opens, with the text, pages and length that are asked for.
 *
 * Latin letters are drawn as they are; for other characters there are boxes to be seen, and the characters themselves
 * to be read, copied and searched for. A line that is too long for the page is drawn smaller, then on a wider page.
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
  const { text, pages, bytes } = checked(options);
  const objects = new PdfObjects();
  const catalogue = objects.add("<< /Type /Catalog /Pages 2 0 R >>");
  const tree = objects.add("");
  const fonts = { standard: new StandardFont(), others: new OtherFonts() };
  const sheets = sheetsOf(rowsOf(text, fonts));
  const standardFont = fonts.standard.write(objects);
  const otherFonts = fonts.others.write(objects, standardFont);
  const kids: string[] = [];
  for (let page = 0; page < Math.max(pages, sheets.length); page++) {
    const sheet = sheets[page] ?? [];
    const width = Math.ceil(Math.max(usualWidth, ...sheet.map((row) => row.width))) + 2 * margin;
    const content = sheet.length === 0 ? "" : ` /Contents ${objects.addStream(contentOf(sheet))} 0 R`;
    const named = [...new Set(sheet.flatMap((row) => row.fonts))].flatMap((font) =>
      ["R", "S", "T", "U"].map((name) => `/${name}${font} ${otherFonts[font]} 0 R`),
    );
    if (standardFont !== undefined && sheet.length > 0) named.unshift(`/F ${standardFont} 0 R`);
    const resources =
      named.length === 0 ? "/Resources << >>" : `/Resources << /Font << ${named.join(" ")} >> >>`;
    kids.push(
      `${objects.add(`<< /Type /Page /Parent ${tree} 0 R /MediaBox [0 0 ${width} ${height}] ${resources}${content} >>`)} 0 R`,
    );
  }
  objects.set(catalogue, `<< /Type /Catalog /Pages ${tree} 0 R >>`);
  objects.set(tree, `<< /Type /Pages /Count ${kids.length} /Kids [${kids.join(" ")}] >>`);
  return writePdf(objects.texts, bytes);
}

function checked(options: FakePdfOptions): { text: string; pages: number; bytes: number | undefined } {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new TypeError(`Expected the options of fakePdf() to be an object, got ${typeNameOf(options)}.`);
  }
  for (const name of Object.keys(options)) {
    if (!["text", "pages", "bytes"].includes(name)) {
      throw new TypeError(`Unknown option \`${name}\` of fakePdf(). Known options: text, pages, bytes.`);
    }
  }
  const { text = "", pages = 1, bytes } = options;
  if (typeof text !== "string")
    throw new TypeError(`Expected \`text\` to be a string, got ${typeNameOf(text)}.`);
  checkNumber("pages", pages, 1, mostPages);
  if (bytes !== undefined) checkNumber("bytes", bytes, 0, Number.MAX_SAFE_INTEGER);
  return { text, pages, bytes };
}

function checkNumber(name: string, value: unknown, least: number, most: number): void {
  if (typeof value !== "number")
    throw new TypeError(`Expected \`${name}\` to be a number, got ${typeNameOf(value)}.`);
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new RangeError(
    `Expected \`${name}\` to be a whole number ${name === "pages" ? `from ${least} to ${most}` : "of bytes"}, got ${value}.`,
  );
}

function typeNameOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value;
}

/** Lays rows out on pages. */
function sheetsOf(rows: Iterable<Row>): Row[][] {
  const sheets: Row[][] = [];
  let characters = 0;
  for (const row of rows) {
    const sheet = sheets.at(-1);
    characters += row.characters;
    if (sheet && sheet.length < rowsOfPage && characters <= mostCharacters) {
      sheet.push(row);
      continue;
    }
    sheets.push([row]);
    characters = row.characters;
  }
  return sheets;
}

function contentOf(sheet: readonly Row[]): string {
  const rows = sheet.map(({ operators }) => operators).join("\n");
  return `BT ${leading} TL ${margin} ${height - 52} Td\n${rows}\nET`;
}
