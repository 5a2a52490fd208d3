/**
 * Checks that a body is a complete PDF, in constant memory and for any chunking.
 *
 * A PDF has `%PDF-` in its first 1,024 bytes and `%%EOF` in its last 1,024 (PDF Reference 1.7,
 * Appendix H, notes 13 and 18). Trailing NULs and white space do not count, because some producers pad documents.
 */

const window = 1024;
const header = [0x25, 0x50, 0x44, 0x46, 0x2d] as const; // %PDF-
const trailer = [0x25, 0x25, 0x45, 0x4f, 0x46] as const; // %%EOF

type Mark = typeof header | typeof trailer;

const markLength = 5;

/** Checks one body from its first byte to its last. It does not keep any part of a chunk, because chunks may change later. */
export class PdfCheck {
  /** Whether the header was found; `undefined` while it may still follow. */
  begins: boolean | undefined;

  /** The number of bytes so far. */
  #length = 0;
  /** How many bytes of the header the last bytes match. */
  #headerBytes = 0;
  /** How many bytes of an end marker the last bytes match. */
  #trailerBytes = 0;
  /** The position of the last end marker that can count. */
  #trailerAt = Number.NEGATIVE_INFINITY;
  /** The position at which the current padding begins. */
  #contentEnd = 0;

  /** Takes the next chunk. */
  update(chunk: Uint8Array): void {
    if (this.begins === undefined) this.#lookForHeader(chunk);
    const contentLength = lengthWithoutPadding(chunk);
    if (contentLength > 0) this.#contentEnd = this.#length + contentLength;
    this.#lookForTrailer(chunk, contentLength);
    this.#length += chunk.length;
  }

  /** Whether the body ends like a PDF. Valid after the last byte. */
  ends(): boolean {
    return this.#trailerAt >= this.#contentEnd - window;
  }

  #lookForHeader(chunk: Uint8Array): void {
    const end = Math.min(chunk.length, window - this.#length);
    for (let at = 0; at < end; at++) {
      this.#headerBytes = matchedAfter(header, this.#headerBytes, chunk[at]);
      if (this.#headerBytes < markLength) continue;
      this.begins = true;
      return;
    }
    if (this.#length + end === window) this.begins = false;
  }

  #lookForTrailer(chunk: Uint8Array, contentLength: number): void {
    // A marker that began in an earlier chunk ends in these bytes.
    const firstBytes = Math.min(chunk.length, markLength - 1);
    this.#followTrailer(chunk, 0, firstBytes);
    if (firstBytes === chunk.length) return;
    const at = lastTrailer(chunk, Math.max(0, contentLength - window), contentLength);
    if (at !== -1) this.#trailerAt = this.#length + at;
    this.#trailerBytes = 0;
    this.#followTrailer(chunk, chunk.length - firstBytes, chunk.length);
  }

  #followTrailer(chunk: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; at++) {
      this.#trailerBytes = matchedAfter(trailer, this.#trailerBytes, chunk[at]);
      if (this.#trailerBytes === markLength) this.#trailerAt = this.#length + at + 1 - markLength;
    }
  }
}

/** Returns how many bytes of a marker match after one more byte. */
function matchedAfter(mark: Mark, matched: number, byte: number | undefined): number {
  if (byte === mark[matched]) return matched + 1;
  // No marker repeats its start, except that another `%` may follow the `%%` of the end marker.
  if (byte !== mark[0]) return 0;
  return mark[1] === byte && matched === 2 ? 2 : 1;
}

/** Returns the position of the last end marker in `bytes[from, to)`, or -1. */
function lastTrailer(bytes: Uint8Array, from: number, to: number): number {
  let at = to - markLength;
  while (at >= from) {
    if (isTrailerAt(bytes, at)) return at;
    // A byte that does not occur in markers cannot be part of one, so the search skips the length of a marker.
    at -= (trailer as readonly (number | undefined)[]).includes(bytes[at]) ? 1 : markLength;
  }
  return -1;
}

function isTrailerAt(bytes: Uint8Array, at: number): boolean {
  for (let index = 0; index < markLength; index++) if (bytes[at + index] !== trailer[index]) return false;
  return true;
}

function lengthWithoutPadding(bytes: Uint8Array): number {
  let end = bytes.length;
  while (isPadding(bytes[end - 1])) end--;
  return end;
}

/** Whether a byte is white space as defined in ISO 32000-1, 7.2.2, table 1, which includes NUL. */
function isPadding(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0 || byte === 0x09 || byte === 0x0c;
}
