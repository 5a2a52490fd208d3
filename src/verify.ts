import { concatenate } from "./concatenate.ts";

/**
 * Is it a whole PDF? Judged while the bytes pass by, in constant memory, under any chunking.
 *
 * A PDF has `%PDF-` in its first 1,024 bytes and `%%EOF` in its last 1,024 (PDF Reference 1.7,
 * Appendix H, notes 13 and 18). Trailing NULs and white space are not counted: real producers pad.
 */

const window = 1024;
const header = [0x25, 0x50, 0x44, 0x46, 0x2d] as const; // %PDF-
const trailer = [0x25, 0x25, 0x45, 0x4f, 0x46] as const; // %%EOF

const nothing = new Uint8Array(0);

/** White space of ISO 32000-1, 7.2.2, table 1, which includes NUL. */
function isPadding(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0 || byte === 0x09 || byte === 0x0c;
}

/** The length of `bytes` without the padding at their end. */
function countedLength(bytes: Uint8Array): number {
  let end = bytes.length;
  while (end > 0 && isPadding(bytes[end - 1])) end--;
  return end;
}

/** Finds `mark` in `bytes[from, to)`, backwards; -1 where it does not stand whole. */
function lastIndexOf(mark: readonly number[], bytes: Uint8Array, from: number, to: number): number {
  for (let at = to - mark.length; at >= from; at--) {
    let matched = 0;
    while (matched < mark.length && bytes[at + matched] === mark[matched]) matched++;
    if (matched === mark.length) return at;
  }
  return -1;
}

/** Watches one body from its first byte to its last. */
export class Verifier {
  /** Whether the header was found; `undefined` while it may still come. */
  begins: boolean | undefined;

  /** The first bytes, kept only until the header is found or can no longer come. */
  #head: Uint8Array = nothing;
  /** The last bytes that count: `%%EOF` is looked for in them. A copy, because chunks are handed on. */
  #window: Uint8Array = nothing;
  /** How many padding bytes followed the window, as far as the window reaches. */
  #padding = 0;

  /** Takes the next chunk; nothing of it is kept. */
  update(chunk: Uint8Array): void {
    if (this.begins === undefined) this.#lookForHeader(chunk);
    const end = countedLength(chunk);
    if (end >= window) {
      // Not `slice`: that of a Node Buffer copies nothing.
      this.#window = new Uint8Array(chunk.subarray(end - window, end));
      this.#padding = 0;
    } else if (end > 0) {
      const before = concatenate([this.#window, new Uint8Array(this.#padding)]).subarray(end - window);
      this.#window = concatenate([before, chunk.subarray(0, end)]);
      this.#padding = 0;
    }
    this.#padding = Math.min(window, this.#padding + chunk.length - end);
  }

  /** Whether the body, at its end, ended as a PDF ends. */
  ends(): boolean {
    return lastIndexOf(trailer, this.#window, 0, this.#window.length) !== -1;
  }

  #lookForHeader(chunk: Uint8Array): void {
    const start = chunk.subarray(0, window - this.#head.length);
    const seen = this.#head.length === 0 ? start : concatenate([this.#head, start]);
    if (lastIndexOf(header, seen, 0, seen.length) !== -1) this.begins = true;
    else if (seen.length >= window) this.begins = false;
    this.#head = this.begins === undefined ? new Uint8Array(seen) : nothing;
  }
}
