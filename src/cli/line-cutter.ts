import { isUtf8 } from "node:buffer";

export const maxLineMiB = 64;
const maxLineBytes = maxLineMiB * 1024 * 1024;

const newline = 0x0a;

/** One line, without its line feed. */
export interface Line {
  /** Counted from 1. */
  readonly number: number;
  /** Nothing where the line is too long, or no UTF-8. */
  readonly text: string | undefined;
  /** What is no UTF-8. */
  readonly badBytes?: Uint8Array;
}

/** Cuts UTF-8 into lines, and holds of it no more than a line, or a chunk. */
export class LineCutter {
  /** The pieces of a line of which the end has not come yet. */
  #pieces: Uint8Array[] = [];
  #pieceBytes = 0;
  /** How many lines are behind. */
  #line = 0;

  /** Gives the lines that end in this chunk, and the one that has become too long; the chunk is used up when it has given the last. */
  *push(chunk: Uint8Array): Generator<Line, void, undefined> {
    let rest = chunk;
    const last = chunk.lastIndexOf(newline);
    if (last !== -1) {
      const block = Buffer.concat([...this.#pieces, chunk.subarray(0, last)]);
      this.#pieces = [];
      this.#pieceBytes = 0;
      rest = chunk.subarray(last + 1);
      yield* this.#cut(block);
    }
    this.#pieces.push(Buffer.from(rest));
    this.#pieceBytes += rest.length;
    if (this.#pieceBytes > maxLineBytes) yield { number: this.#line + 1, text: undefined };
  }

  /** Gives the line that no line feed ends. */
  *end(): Generator<Line, void, undefined> {
    yield* this.#cut(Buffer.concat(this.#pieces));
  }

  *#cut(block: Buffer): Generator<Line, void, undefined> {
    const isText = isUtf8(block);
    for (let start = 0; start <= block.length; ) {
      const end = block.indexOf(newline, start);
      const bytes = block.subarray(start, end === -1 ? block.length : end);
      this.#line += 1;
      if (isText || isUtf8(bytes)) yield { number: this.#line, text: bytes.toString() };
      else yield { number: this.#line, text: undefined, badBytes: bytes };
      start += bytes.length + 1;
    }
  }
}
