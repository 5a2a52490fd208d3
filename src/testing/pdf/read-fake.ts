import { fakePdf } from "../fake-pdf.ts";
import { fakeEnd, head } from "./write-pdf.ts";

/**
 * Gives the text back that a fake document was made of.
 *
 * The text stands in a comment. The document is made again of it, which proves that its pages show that text, and that
 * no byte was changed on the way.
 *
 * @param bytes - the document; padding at its end does not count
 * @returns `undefined` if `fakePdf()` did not make it, or another program has saved it since
 * @throws {Error} when it was changed on the way
 */
export function readFake(bytes: Uint8Array): string | undefined {
  let end = bytes.length;
  while (isPadding(bytes[end - 1])) end -= 1;
  if (!fakeEnd.test(String.fromCharCode(...bytes.subarray(Math.max(0, end - 100), end)))) return undefined;
  try {
    const source = new URLSearchParams(firstLine(bytes.subarray(head.length, end)));
    const text = source.get("text") ?? "";
    const made = fakePdf({ text, pages: Number(source.get("pages")), bytes: end + 1 });
    if (made.subarray(0, end).every((byte, at) => byte === bytes[at])) return text;
  } catch {
    // Nothing can be made of what stands there now.
  }
  throw new Error(
    "This fake PDF is damaged: it begins and ends as one, but not all is in its place between. Check that it was handled as bytes and never as text, and that this version of template-pdf made it.",
  );
}

function isPadding(byte: number | undefined): boolean {
  return byte === 0 || (byte !== undefined && /\s/.test(String.fromCharCode(byte)));
}

function firstLine(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0x0a)));
}
