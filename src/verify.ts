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
  /** The newest chunk, not folded into the window yet: most bodies end inside one large chunk. */
  #last: Uint8Array | undefined;
  /** The last bytes before `#last` that count, `%%EOF` being looked for in their last 1,024. */
  #window: Uint8Array = nothing;
  /** How many padding bytes followed the window, as far as the window reaches. */
  #padding = 0;

  /** Takes the next chunk; it is kept until the following one and never changed. */
  update(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    if (this.begins === undefined) this.#lookForHeader(chunk);
    if (chunk.length >= window && !isPadding(chunk[chunk.length - 1])) {
      // All that can matter of what came before has left the window.
      this.#window = nothing;
      this.#padding = 0;
    } else if (this.#last !== undefined) {
      this.#fold(this.#last);
    }
    this.#last = chunk;
  }

  /** Whether the body, at its end, ended as a PDF ends. */
  ends(): boolean {
    const last = this.#last ?? nothing;
    const end = countedLength(last);
    // Nearly always the mark stands in the newest chunk; else what came before has to be looked at, too.
    if (lastIndexOf(trailer, last, Math.max(0, end - window), end) !== -1) return true;
    this.#fold(last);
    this.#last = undefined;
    return lastIndexOf(trailer, this.#window, 0, this.#window.length) !== -1;
  }

  #lookForHeader(chunk: Uint8Array): void {
    const seen = this.#head.length === 0 ? chunk : join(this.#head, chunk.subarray(0, window));
    const reach = Math.min(seen.length, window);
    if (lastIndexOf(header, seen, 0, reach) !== -1) this.begins = true;
    else if (seen.length >= window) this.begins = false;
    this.#head = this.begins === undefined ? seen : nothing;
  }

  #fold(chunk: Uint8Array): void {
    const end = countedLength(chunk);
    if (end === 0) {
      this.#padding = Math.min(window, this.#padding + chunk.length);
      return;
    }
    const counted = chunk.subarray(Math.max(0, end - window), end);
    const before = window - counted.length;
    const padded = join(this.#window, new Uint8Array(this.#padding));
    this.#window = join(padded.subarray(Math.max(0, padded.length - before)), counted);
    this.#padding = Math.min(window, chunk.length - end);
  }
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
