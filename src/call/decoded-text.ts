/**
 * Recognises a PDF that was decoded as text on its way, for example by an API gateway or by `response.text()`.
 *
 * A PDF has bytes above 127, in the comment of its second line and in its streams. These bytes are not UTF-8. If a program decodes
 * them as text and encodes the text again, they become UTF-8: U+FFFD, question marks, or characters of Latin-1 or Windows-1252. An
 * intact PDF may contain such characters, too, but soon also bytes that are not UTF-8.
 */

/** What happened to such a PDF, for error messages. */
export const wasDecodedAsText =
  "was decoded as text on its way, usually by an API Gateway without binary types, by `response.text()` or by a mock that returns a string";

/** The text with which `%PDF-` begins in other encodings. */
const encodings: readonly (readonly [RegExp, string])[] = [
  [/JVBERi0/, "in base64"],
  [/255044462d/i, "in hexadecimal"],
  [/37, ?80, ?68, ?70, ?45/, "as a list of numbers"],
  [/%\0P\0D\0F\0-/, "in UTF-16"],
];

/** Returns how a text that is not a PDF contains one, for error messages. */
export function encodingOfPdf(text: string): string | undefined {
  return encodings.find(([start]) => start.test(text.slice(0, 1024)))?.[1];
}

/** How many bytes are searched. This is enough for the first stream of most documents. */
const window = 4096;

/**
 * What a decoder leaves, and text does not contain: replacement characters and control characters above 127; at least four
 * characters of Latin-1 or Windows-1252 or question marks in a comment, except those that LibreOffice writes as UTF-8; a header in
 * quotation marks, as in JSON.
 */
const sign = /[\ufffd\x80-\x9f]|%(?!äüöß)[?\xa0-\xff\u0152-\u02dc\u2010-\u2122]{4}|^b?["']%PDF-/;

/** More than the length of a sign. */
const overlap = 10;

/** Whether the first byte above 127 does not begin a character, as in most documents. Then `DecodedText` need not search. */
export function isObviouslyBinary(chunk: Uint8Array): boolean {
  const end = Math.min(chunk.length, window) - 1;
  let at = 0;
  while (at < end && (chunk[at] as number) < 0x80) at++;
  return at < end && !isContinuation(chunk[at + 1] as number);
}

/** Searches the first bytes of a body, in constant memory and for any chunking. Jest's jsdom has no `TextDecoder`. */
export class DecodedText {
  #leftBytes = window;
  /** Whether all bytes so far are UTF-8. */
  #isUtf8 = true;
  #hasSign = false;
  #text = "";
  /** How many bytes of the current character are missing, and its code point so far. */
  #missingBytes = 0;
  #codePoint = 0;

  /** Whether the bytes so far look decoded. Further bytes may show that they are intact, unless `isFinal`. */
  get isLikely(): boolean {
    return this.#hasSign && this.#isUtf8;
  }

  /** Whether further bytes do not matter. */
  get isFinal(): boolean {
    return this.#leftBytes === 0 || !this.#isUtf8;
  }

  update(chunk: Uint8Array): void {
    if (this.isFinal) return;
    const bytes = chunk.subarray(0, this.#leftBytes);
    const from = this.#text.length - overlap;
    for (let at = 0; at < bytes.length; at++) {
      const first = at;
      if (this.#missingBytes === 0 && this.#text.length >= overlap) at = endOfPlainText(bytes, at);
      // One space stands for any text that cannot be part of a sign.
      if (at > first) this.#text += " ";
      if (at < bytes.length) this.#decode(bytes[at] as number);
    }
    // Only the start of a body can be a quotation mark before its header.
    this.#hasSign ||= sign.test(from > 0 ? ` ${this.#text.slice(from)}` : this.#text);
    this.#leftBytes -= bytes.length;
  }

  #decode(byte: number): void {
    if (this.#missingBytes > 0) {
      this.#isUtf8 &&= isContinuation(byte);
      this.#codePoint = this.#codePoint * 64 + (byte & 0x3f);
      this.#missingBytes -= 1;
    } else {
      this.#isUtf8 &&= byte < 0x80 || (byte >= 0xc2 && byte <= 0xf4);
      this.#missingBytes = byte < 0xc2 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
      this.#codePoint = byte & (this.#missingBytes > 0 ? 0x3f >> this.#missingBytes : 0xff);
    }
    // All characters beyond the first 65,535 are equal here.
    if (this.#missingBytes === 0) this.#text += String.fromCharCode(Math.min(this.#codePoint, 0xffff));
  }
}

/** Returns where the ASCII text that begins at a position ends. `%` and `?` do not belong to it, because they begin signs. */
function endOfPlainText(bytes: Uint8Array, from: number): number {
  let at = from;
  for (; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte >= 0x80 || byte === 0x25 || byte === 0x3f) break;
  }
  return at;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
