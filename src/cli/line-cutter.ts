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
  /** Whether that line is too long: the rest of it is left out. */
  #isSkipping = false;
  /** How many lines are behind. */
  #line = 0;

  /** Gives the lines that end in this chunk, and the one that has become too long; the chunk is used up when it has given the last. */
  *push(chunk: Uint8Array): Generator<Line, void, undefined> {
    let rest = chunk;
    const first = rest.indexOf(newline);
    const isWithinLine = this.#pieceBytes > 0 || this.#isSkipping;
    if (isWithinLine && first !== -1) {
      yield* this.#keep(rest.subarray(0, first));
      yield* this.end();
      rest = rest.subarray(first + 1);
    }
    const last = rest.lastIndexOf(newline);
    if (last !== -1) yield* this.#cut(rest.subarray(0, last));
    if (last + 1 < rest.length) yield* this.#keep(rest.subarray(last + 1));
  }

  /** Gives the line that no line feed ends. */
  *end(): Generator<Line, void, undefined> {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#pieceBytes = 0;
    if (this.#isSkipping) this.#line += 1;
    else yield* this.#cut(Buffer.concat(pieces));
    this.#isSkipping = false;
  }

  *#keep(piece: Uint8Array): Generator<Line, void, undefined> {
    if (this.#isSkipping) return;
    this.#pieceBytes += piece.length;
    if (this.#pieceBytes <= maxLineBytes) {
      this.#pieces.push(Buffer.from(piece));
      return;
    }
    this.#isSkipping = true;
    this.#pieces = [];
    yield { number: this.#line + 1, text: undefined };
  }

  *#cut(block: Uint8Array): Generator<Line, void, undefined> {
    if (!isUtf8(block)) return yield* this.#cutBytes(block);
    const text = Buffer.from(block.buffer, block.byteOffset, block.length).toString();
    for (let start = 0; start <= text.length; ) {
      const end = text.indexOf("\n", start);
      const next = end === -1 ? text.length : end;
      this.#line += 1;
      yield { number: this.#line, text: text.slice(start, next) };
      start = next + 1;
    }
  }

  /** The same where one of the lines is no UTF-8. */
  *#cutBytes(block: Uint8Array): Generator<Line, void, undefined> {
    for (let start = 0; start <= block.length; ) {
      const end = block.indexOf(newline, start);
      const next = end === -1 ? block.length : end;
      const bytes = block.subarray(start, next);
      this.#line += 1;
      if (isUtf8(bytes)) yield { number: this.#line, text: Buffer.from(bytes).toString() };
      else yield { number: this.#line, text: undefined, badBytes: bytes };
      start = next + 1;
    }
  }
}
