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

/** The characters of the comment that LibreOffice writes as UTF-8. */
const commentOfLibreOffice = "äüöß";
/** The minimum number of bytes above 127 in the comment of the second line (ISO 32000-1, 7.5.2). */
const commentBytes = 4;

/** Whether the first byte above 127 does not begin a character, as in most documents. Then `DecodedText` need not search. */
export function isObviouslyBinary(chunk: Uint8Array): boolean {
  const end = Math.min(chunk.length, window) - 1;
  let at = 0;
  while (at < end && (chunk[at] as number) < 0x80) at++;
  return at < end && !isContinuation(chunk[at + 1] as number);
}

/** Searches the first bytes of a body, in constant memory and for any chunking. */
export class DecodedText {
  #length = 0;
  /** Whether all bytes so far are UTF-8. */
  #isUtf8 = true;
  /** Whether a character shows that the bytes were decoded as text. */
  #hasSign = false;
  /** How many bytes of the current character are missing. */
  #missingBytes = 0;
  #codePoint = 0;
  #lastCharacter = 0;
  /** The characters directly after a `%`, if they can come from a decoder. */
  #comment: string | undefined;

  /** Whether the bytes so far look decoded. Further bytes may show that they are intact, unless `isFinal`. */
  get isLikely(): boolean {
    return this.#isUtf8 && this.#hasSign;
  }

  /** Whether further bytes do not matter. */
  get isFinal(): boolean {
    return !this.#isUtf8 || this.#length >= window;
  }

  update(chunk: Uint8Array): void {
    const end = Math.min(chunk.length, window - this.#length);
    for (let at = 0; at < end && this.#isUtf8; at++) this.#readByte(chunk[at] as number, this.#length + at);
    this.#length += chunk.length;
  }

  #readByte(byte: number, at: number): void {
    if (this.#missingBytes > 0) {
      this.#isUtf8 = isContinuation(byte);
      this.#codePoint = this.#codePoint * 64 + (byte & 0x3f);
      this.#missingBytes -= 1;
      if (this.#missingBytes === 0) this.#readCharacter(this.#codePoint, at);
    } else if (byte < 0x80) {
      this.#readCharacter(byte, at);
    } else {
      this.#isUtf8 = byte >= 0xc2 && byte <= 0xf4;
      this.#missingBytes = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
      this.#codePoint = byte & (0x3f >> this.#missingBytes);
    }
  }

  /** @param at - the position of the last byte of the character */
  #readCharacter(character: number, at: number): void {
    if (character === 0x25) {
      // A JSON string, or bytes in the notation of Python.
      const isQuoted = this.#lastCharacter === 0x22 || this.#lastCharacter === 0x27;
      if (isQuoted && at <= 2) this.#hasSign = true;
      this.#comment = "";
    } else if (this.#comment !== undefined) {
      this.#readComment(character, this.#comment);
    }
    // Text has no control characters above 127. The bytes 80 to 9F, which are common in streams, become such characters.
    if (character === 0xfffd || (character >= 0x80 && character <= 0x9f)) this.#hasSign = true;
    this.#lastCharacter = character;
  }

  #readComment(character: number, before: string): void {
    if (isReplacement(character)) {
      this.#comment = before + String.fromCharCode(character);
      return;
    }
    this.#comment = undefined;
    if (before.length >= commentBytes && before !== commentOfLibreOffice) this.#hasSign = true;
  }
}

function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte <= 0xbf;
}

/** Whether a program may put this character in the place of a byte above 127. */
function isReplacement(character: number): boolean {
  const isQuestionMark = character === 0x3f;
  const isLatin1 = character >= 0xa0 && character <= 0xff;
  // From Œ to the small tilde, and from dashes to the trade mark sign.
  const isWindows1252 =
    (character >= 0x152 && character <= 0x2dc) || (character >= 0x2010 && character <= 0x2122);
  return isQuestionMark || isLatin1 || isWindows1252;
}
