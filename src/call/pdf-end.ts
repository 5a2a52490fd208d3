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

/** How many bytes before a marker are read: `%%EndResource` ends a character map, and `0` the first part of a linearized document. */
const maxBytesBefore = 24;
/** How much of the text after a marker is kept. This is more than the longest start of an object that a PDF can contain. */
const maxTextAfter = 24;
/** How many bytes of a chunk the next one needs. */
const tailLength = maxBytesBefore + marker.length - 1;

/** Checks the bytes up to the last one. It copies the little that it keeps of a chunk, because chunks may change later. */
export class PdfEnd {
  /** The number of bytes so far. */
  #length = 0;
  /** The position at which the current padding begins. */
  #contentEnd = 0;
  /** The last bytes. */
  #tail: Uint8Array | undefined;

  /** The position of the last marker that can count. */
  #markerAt = Number.NEGATIVE_INFINITY;
  /** The word before that marker. */
  #wordBefore = "";
  /** The beginning of the text after that marker, without comments before it. White space is one space. */
  #textAfter = "";
  /** Whether the last byte belongs to a comment after that marker. */
  #isInComment = false;

  update(chunk: Uint8Array): void {
    const contentLength = lengthWithoutPadding(chunk);
    if (contentLength > 0) this.#contentEnd = this.#length + contentLength;
    const from = this.#lookForMarker(chunk, contentLength);
    if (this.#markerAt >= this.#contentEnd - window) this.#readAfter(chunk, from);
    this.#tail = copyOfEnd(chunk.length < tailLength ? joined(this.#tail, chunk) : chunk);
    this.#length += chunk.length;
  }

  /** Whether the body ends like a PDF. Valid after the last byte. */
  ends(isLinearized: boolean): boolean {
    if (this.#markerAt < this.#contentEnd - window) return false;
    if (this.#wordBefore.startsWith("%%End") || (isLinearized && this.#wordBefore === "0")) return false;
    return this.#textAfter === "" || !continues(this.#textAfter);
  }

  /** Returns the position after the last marker that ends in this chunk; 0 if there is none. */
  #lookForMarker(chunk: Uint8Array, contentLength: number): number {
    let bytes = chunk;
    let at = lastMarker(chunk, Math.max(0, contentLength - window), contentLength);
    let earlierBytes = 0;
    if (this.#tail && at < maxBytesBefore) {
      // The marker, or the word before it, may have begun in an earlier chunk.
      bytes = joined(this.#tail, chunk.subarray(0, tailLength + 1));
      earlierBytes = this.#tail.length;
      at = lastMarker(bytes, 0, at === -1 ? earlierBytes + marker.length - 1 : bytes.length);
    }
    const end = at + marker.length - earlierBytes;
    if (at === -1 || end <= 0) return 0;
    this.#markerAt = this.#length + end - marker.length;
    this.#wordBefore = wordBefore(bytes, at);
    this.#textAfter = "";
    this.#isInComment = false;
    return end;
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
}

/** Returns the last word before a marker. White space may follow it. */
function wordBefore(bytes: Uint8Array, at: number): string {
  const start = Math.max(0, at - maxBytesBefore);
  let end = at;
  while (end > start && isPadding(bytes[end - 1])) end--;
  let word = "";
  for (; end > start && !isPadding(bytes[end - 1]); end--) {
    word = String.fromCharCode(bytes[end - 1] as number) + word;
  }
  return word;
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

function joined(first: Uint8Array | undefined, second: Uint8Array): Uint8Array {
  if (!first) return second;
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** Not `slice()`, which returns a view for a Buffer. */
function copyOfEnd(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.subarray(-tailLength));
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
