/**
 * Checks the end of a PDF: `%%EOF` in its last 1,024 bytes (PDF Reference 1.7, Appendix H, note 18). Trailing NULs and white
 * space do not count, because some producers pad documents.
 *
 * A PDF may contain further end markers: character maps end with one, and so do the first part of a linearized document and each
 * version of an updated one. A document that was truncated shortly after such a marker is recognised by the word before the marker,
 * and by what follows.
 */

const window = 1024;
const marker = [0x25, 0x25, 0x45, 0x4f, 0x46] as const; // %%EOF

/** How much of the text after a marker is kept. This is more than the longest start of an object that a PDF can contain. */
const maxTextAfter = 24;

/** The start of the comment before a marker that ends a character map or another resource: `%%EndResource`. */
const endOfPart = [0x25, 0x25, 0x45, 0x6e, 0x64] as const; // %%End

/** What is known of a word: one of these, or how many of its first bytes match `endOfPart`. */
type Word = number;
const zero: Word = -1;
const other: Word = -2;

/** Checks the bytes up to the last one. It does not keep any part of a chunk, because chunks may change later. */
export class PdfEnd {
  /** The number of bytes so far. */
  #length = 0;
  /** The position at which the current padding begins. */
  #contentEnd = 0;
  /** How many bytes of a marker the last bytes match. */
  #matchedBytes = 0;

  /** The position of the last marker that can count. */
  #markerAt = Number.NEGATIVE_INFINITY;
  /** The word before that marker. */
  #wordBefore = other;
  /** The beginning of the text after that marker, without comments before it. White space is one space. */
  #textAfter = "";
  /** Whether the last byte belongs to a comment after that marker. */
  #isInComment = false;

  /** The last word that white space follows. */
  #lastWord = other;
  /** The word that the last byte belongs to. */
  #openWord: Word | undefined;

  update(chunk: Uint8Array): void {
    const contentLength = lengthWithoutPadding(chunk);
    if (contentLength > 0) this.#contentEnd = this.#length + contentLength;
    const markerEnd = this.#lookForMarker(chunk, contentLength);
    if (this.#markerAt >= this.#contentEnd - window) this.#readAfter(chunk, markerEnd);
    this.#endWord(chunk);
    this.#length += chunk.length;
  }

  /** Whether the body ends like a PDF. Valid after the last byte. */
  ends(isLinearized: boolean): boolean {
    if (this.#markerAt < this.#contentEnd - window) return false;
    if (this.#wordBefore === endOfPart.length) return false;
    // The first part of a linearized document ends with this offset.
    if (this.#wordBefore === zero && isLinearized) return false;
    return this.#textAfter === "" || !continues(this.#textAfter);
  }

  /** Returns the position after the last marker that ends in this chunk; 0 if there is none. */
  #lookForMarker(chunk: Uint8Array, contentLength: number): number {
    // A marker that began in an earlier chunk ends in these bytes.
    const firstBytes = Math.min(chunk.length, marker.length - 1);
    let end = this.#followMarker(chunk, 0, firstBytes);
    if (firstBytes === chunk.length) return end;
    const at = lastMarker(chunk, Math.max(0, contentLength - window), contentLength);
    if (at !== -1) {
      end = at + marker.length;
      this.#foundMarker(chunk, end);
    }
    this.#matchedBytes = 0;
    return Math.max(end, this.#followMarker(chunk, chunk.length - firstBytes, chunk.length));
  }

  #followMarker(chunk: Uint8Array, from: number, to: number): number {
    let end = 0;
    for (let at = from; at < to; at++) {
      this.#matchedBytes = matchedAfter(this.#matchedBytes, chunk[at]);
      if (this.#matchedBytes < marker.length) continue;
      end = at + 1;
      this.#foundMarker(chunk, end);
    }
    return end;
  }

  #foundMarker(chunk: Uint8Array, end: number): void {
    this.#markerAt = this.#length + end - marker.length;
    this.#wordBefore = this.#wordThatEndsBefore(chunk, startOfWord(chunk, end));
    this.#textAfter = "";
    this.#isInComment = false;
  }

  #readAfter(chunk: Uint8Array, from: number): void {
    for (let at = from; at < chunk.length && this.#textAfter.length < maxTextAfter; at++) {
      const byte = chunk[at] as number;
      if (this.#isInComment) {
        this.#isInComment = byte !== 0x0a && byte !== 0x0d;
      } else if (isPadding(byte)) {
        if (this.#textAfter !== "" && !this.#textAfter.endsWith(" ")) this.#textAfter += " ";
      } else if (this.#textAfter === "" && byte === marker[0]) {
        this.#isInComment = true;
      } else {
        this.#textAfter += String.fromCharCode(byte);
      }
    }
  }

  /** Notes the last words of a chunk, because the next one may begin with a marker. */
  #endWord(chunk: Uint8Array): void {
    const start = startOfWord(chunk, chunk.length);
    this.#lastWord = this.#wordThatEndsBefore(chunk, start);
    this.#openWord = start === chunk.length ? undefined : this.#wordAt(chunk, start, chunk.length);
  }

  /** Returns the last word before a position that is the start of the chunk, or that white space precedes. */
  #wordThatEndsBefore(chunk: Uint8Array, position: number): Word {
    let end = position;
    while (end > 0 && isPadding(chunk[end - 1])) end--;
    if (position === 0 || (end === 0 && this.#openWord === undefined)) return this.#lastWord;
    return this.#wordAt(chunk, startOfWord(chunk, end), end);
  }

  /** Returns a word of this chunk, which may have begun in an earlier chunk. */
  #wordAt(chunk: Uint8Array, start: number, end: number): Word {
    let word = (start === 0 ? this.#openWord : undefined) ?? 0;
    for (let at = start; at < end && word !== other; at++) word = wordAfter(word, chunk[at]);
    return word;
  }
}

/** Returns what is known of a word after one more byte. */
function wordAfter(word: Word, byte: number | undefined): Word {
  if (word === endOfPart.length) return word;
  if (byte === 0x30 && (word === 0 || word === zero)) return zero;
  return byte === endOfPart[word] ? word + 1 : other;
}

/** Whether a text continues a PDF: with an object, a cross-reference table or the end of a stream, or with the start of one. */
function continues(text: string): boolean {
  if (/^(?:\d+ \d+ obj|xref|endstream)/.test(text)) return true;
  return /^\d+(?: (?:\d+(?: (?:ob?)?)?)?)?$/.test(text) || isStartOfWord(text);
}

/** A single letter proves nothing. */
function isStartOfWord(text: string): boolean {
  return text.length > 1 && ("xref".startsWith(text) || "endstream".startsWith(text));
}

/** Returns how many bytes of a marker match after one more byte. */
function matchedAfter(matched: number, byte: number | undefined): number {
  if (byte === marker[matched]) return matched + 1;
  // Another `%` may follow the `%%` of a marker.
  if (byte !== marker[0]) return 0;
  return matched === 2 ? 2 : 1;
}

/** Returns the position of the last marker in `bytes[from, to)`, or -1. */
function lastMarker(bytes: Uint8Array, from: number, to: number): number {
  let at = to - marker.length;
  while (at >= from) {
    if (isMarkerAt(bytes, at)) return at;
    // A byte that does not occur in markers cannot be part of one, so the search skips the length of a marker.
    at -= (marker as readonly (number | undefined)[]).includes(bytes[at]) ? 1 : marker.length;
  }
  return -1;
}

function isMarkerAt(bytes: Uint8Array, at: number): boolean {
  for (let index = 0; index < marker.length; index++) if (bytes[at + index] !== marker[index]) return false;
  return true;
}

/** Returns the start of the word that ends at a position; the position itself if white space precedes it. */
function startOfWord(bytes: Uint8Array, end: number): number {
  let start = end;
  while (start > 0 && !isPadding(bytes[start - 1])) start--;
  return start;
}

function lengthWithoutPadding(bytes: Uint8Array): number {
  let end = bytes.length;
  while (isPadding(bytes[end - 1])) end--;
  return end;
}

/** Whether a byte is white space as defined in ISO 32000-1, 7.2.2, table 1, which includes NUL. */
function isPadding(byte = 0xff): boolean {
  // The first comparison decides for most bytes.
  if (byte > 0x20) return false;
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0 || byte === 0x09 || byte === 0x0c;
}
