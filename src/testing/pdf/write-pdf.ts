import type { Bytes } from "../../runtime/platform-types.ts";

/** The start of the comment from which `pdfText()` reads the source of the document. */
export const head = "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n%";

/** The end without the last line break. Documents saved by another program end differently. */
export const fakeEnd = /%fake of template-pdf\s+startxref\s+\d+\s+%%EOF$/;

/**
 * Writes a document with these objects. Object 1 is the catalogue. Unique comments pad it to its length.
 *
 * @param source - the source of the document, in ASCII
 * @param length - the size in bytes; `undefined` for the minimum
 * @throws {RangeError} if `length` is too small for the document, or too large for memory
 */
export function writePdf(objects: readonly string[], source: string, length: number | undefined): Bytes {
  let document = `${head}${source}\n`;
  const offsets: number[] = [];
  for (const [index, object] of objects.entries()) {
    offsets.push(document.length);
    document += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const shortest = document.length + tail(offsets, 0).length;
  const size = length ?? shortest;
  if (size < shortest) {
    throw new RangeError(
      `Expected \`bytes\` to be at least ${shortest} for this text and these pages, got ${size}.`,
    );
  }
  const bytes = new Uint8Array(size);
  const tableAt = document.length + size - shortest;
  put(bytes, document, 0);
  pad(bytes, document.length, tableAt);
  put(bytes, tail(offsets, tableAt), tableAt);
  return bytes;
}

/** Returns a stream object with this content. Each character is one byte. */
export function streamOf(content: string): string {
  return `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;
}

/** Returns the end of the document, whose length does not depend on its position. */
function tail(offsets: readonly number[], tableAt: number): string {
  const entries = offsets.map((offset) => `${tenDigits(offset)} 00000 n \n`).join("");
  const size = offsets.length + 1;
  return `xref\n0 ${size}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${size} /Root 1 0 R >>\n%fake of template-pdf\nstartxref\n${tenDigits(tableAt)}\n%%EOF\n`;
}

function tenDigits(offset: number): string {
  return String(offset).padStart(10, "0");
}

function put(bytes: Bytes, text: string, at: number): void {
  for (let index = 0; index < text.length; index++) bytes[at + index] = text.charCodeAt(index);
}

/** Returns lines of 64 bytes that begin with their position, and a shorter last one. */
function pad(bytes: Bytes, from: number, to: number): void {
  bytes.fill(0x2e, from, to);
  for (let at = from; at < to; at += 64) {
    const end = Math.min(at + 64, to);
    const start = `%${(at - from).toString(36)} `;
    put(bytes, start.slice(0, end - at - 1), at);
    bytes[end - 1] = 0x0a;
  }
}
