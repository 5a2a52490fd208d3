import type { Bytes } from "../platform-types.ts";

/** What a fake document is to be like. */
export interface FakePdfOptions {
  /** Stands on its first page; characters beyond Latin-1 become question marks. Default: none. */
  readonly text?: string | undefined;
  /** How many pages it has. Default: 1. */
  readonly pages?: number | undefined;
  /** How long it is, exactly. Default: as short as it can be. */
  readonly bytes?: number | undefined;
}

/**
 * Makes a small PDF that every reader opens: with a cross-reference table, fonts and pages, and padded with
 * comments of which no two are alike, so that bytes in the wrong order or place show.
 *
 * @throws {RangeError} when `bytes` is less than such a document needs
 */
export function fakePdf({ text = "", pages = 1, bytes }: FakePdfOptions = {}): Bytes {
  const objects = objectsOf(text, pages);
  if (bytes === undefined) return encode(assemble(objects, 0));
  // The offset of the table is a number in the document: its digits count, too.
  let padding = 0;
  for (let round = 0; round < 4; round++) {
    const missing = bytes - assemble(objects, padding).length;
    if (missing === 0) return encode(assemble(objects, padding));
    padding += missing;
    if (padding < 0) break;
  }
  throw new RangeError(`Expected \`bytes\` to be at least ${assemble(objects, 0).length}, got ${bytes}.`);
}

/** Number 1 is the catalogue, 2 the tree of pages, 3 the font; then come each page and what stands on it. */
function objectsOf(text: string, pages: number): string[] {
  const kids: string[] = [];
  const sheets: string[] = [];
  for (let page = 0; page < pages; page++) {
    const number = 4 + 2 * page;
    const drawn = `BT /F1 12 Tf 40 780 Td 14 TL ${page === 0 ? linesOf(text) : ""} ET`;
    kids.push(`${number} 0 R`);
    sheets.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${number + 1} 0 R >>`,
      `<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`,
    );
  }
  return [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages} /Kids [${kids.join(" ")}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ...sheets,
  ];
}

function linesOf(text: string): string {
  const shown = (line: string) =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what is no Latin-1 cannot be shown in this font.
    line.replace(/[\\()]/g, "\\$&").replace(/[^\x00-\xff]/gu, "?");
  return text === ""
    ? ""
    : text
        .split(/\r\n?|\n/)
        .map((line) => `(${shown(line)}) Tj T*`)
        .join(" ");
}

function assemble(objects: readonly string[], padding: number): string {
  let text = "%PDF-1.7\n";
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  text += comments(padding);
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  return `${text}xref\n0 ${size}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
}

/** Lines of 64 bytes that each begin with their own place, and a shorter last one. */
function comments(length: number): string {
  let text = "";
  for (let at = 0; at < length; at += 64) {
    const width = Math.min(64, length - at);
    text += width === 1 ? "\n" : `${`%${at.toString(36)} `.padEnd(63, ".").slice(0, width - 1)}\n`;
  }
  return text;
}

function encode(text: string): Bytes {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
