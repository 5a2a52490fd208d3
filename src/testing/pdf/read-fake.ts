import { fakePdf } from "../fake-pdf.ts";
import { fakeEnd, head } from "./write-pdf.ts";

/**
 * Returns the text of a fake document.
 *
 * The text is in a comment. The document is generated from it again, to check that the pages show that text and that no byte has
 * changed.
 *
 * @param bytes - the document; padding at its end is ignored
 * @returns the text, or `undefined` if `fakePdf()` did not create it, or another program has saved it
 * @throws {Error} if it was changed
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
    // The comment cannot be parsed.
  }
  throw new Error(
    "This fake PDF is damaged: it begins and ends correctly, but its content has changed. Check that it was handled as bytes and never as text, and that this version of template-pdf created it.",
  );
}

function isPadding(byte: number | undefined): boolean {
  return byte === 0 || (byte !== undefined && /\s/.test(String.fromCharCode(byte)));
}

function firstLine(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0x0a)));
}
