import type { Bytes } from "../../runtime/platform-types.ts";

const head = "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n";

/** Stands in what comes last, so that a document that another program saved again does not have it there any more. */
export const fakeMark = "%fake of template-pdf";

/**
 * Writes a document of these objects, of which number 1 is the catalogue. What it is too short by is filled with
 * comments of which no two are alike.
 *
 * @param length - how many bytes it has; `undefined` for as few as it needs
 * @throws {RangeError} when `length` is less than the document needs, or more than can be held
 */
export function writePdf(objects: readonly string[], length: number | undefined): Bytes {
  let tableAt = head.length;
  const offsets = objects.map((object, index) => {
    const offset = tableAt;
    tableAt += `${index + 1} 0 obj\n\nendobj\n`.length + object.length;
    return offset;
  });
  const shortest = tableAt + tail(offsets, tableAt).length;
  const missing = length === undefined ? 0 : length - shortest;
  if (missing < 0) {
    throw new RangeError(
      `Expected \`bytes\` to be at least ${shortest} for this text and these pages, got ${length}.`,
    );
  }
  // The offset of the table is a number in the document, and its digits count, too.
  let padding = missing;
  while (padding + tail(offsets, tableAt + padding).length > missing + shortest - tableAt) padding -= 1;
  const end = tail(offsets, tableAt + padding);
  const spare = missing + shortest - tableAt - padding - end.length;

  const bytes = allocate(tableAt + padding + end.length + spare);
  let at = put(bytes, head, 0);
  for (const [index, object] of objects.entries()) {
    at = put(bytes, `${index + 1} 0 obj\n`, at);
    at = put(bytes, object, at);
    at = put(bytes, "\nendobj\n", at);
  }
  at = pad(bytes, at, at + padding);
  at = put(bytes, end, at);
  bytes.fill(newline, at);
  return bytes;
}

const newline = 0x0a;

function tail(offsets: readonly number[], tableAt: number): string {
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = offsets.length + 1;
  return `xref\n0 ${size}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${size} /Root 1 0 R >>\n${fakeMark}\nstartxref\n${tableAt}\n%%EOF\n`;
}

function allocate(length: number): Bytes {
  try {
    return new Uint8Array(length);
  } catch {
    throw new RangeError(
      `Expected \`bytes\` to be no more than this runtime can hold at once, got ${length}.`,
    );
  }
}

function put(bytes: Bytes, text: string, at: number): number {
  for (let index = 0; index < text.length; index++) bytes[at + index] = text.charCodeAt(index);
  return at + text.length;
}

/** Lines of 64 bytes that each begin with their own place, and a shorter last one. */
function pad(bytes: Bytes, from: number, to: number): number {
  bytes.fill(0x2e, from, to);
  for (let at = from; at < to; at += 64) {
    const end = Math.min(at + 64, to);
    const start = `%${(at - from).toString(36)} `;
    put(bytes, start.slice(0, end - at - 1), at);
    bytes[end - 1] = newline;
  }
  return to;
}
