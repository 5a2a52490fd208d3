import { type JobRecord, newRecord } from "../key-table/salted-hash.ts";
import { decodeLine, lineBytes, lineStart } from "./journal-line.ts";

/** What stands in a journal behind its header. */
export interface LinesRead {
  /** How many lines are damaged, as far as their bytes tell. */
  readonly damagedLines: number;
  /** Where the last line that has its newline ends, in bytes from the first line. */
  readonly wholeBytes: number;
}

/**
 * Reads lines from chunks of any size. A damaged line is left out: the next begins where one can be read again.
 *
 * A last line without its newline was not written to its end. It is no damage, and not read.
 *
 * @param take - is given every line's record, which is another's after the call
 */
export class LineReader {
  readonly #take: (record: JobRecord) => void;
  readonly #record = newRecord();
  #rest: Buffer = Buffer.alloc(0);
  /** Where `#rest` begins. */
  #restAt = 0;
  #wholeBytes = 0;
  #damagedLines = 0;
  #damagedFrom: number | undefined;

  constructor(take: (record: JobRecord) => void) {
    this.#take = take;
  }

  read(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    while (at + lineBytes <= bytes.length) {
      if (decodeLine(bytes, at, this.#record)) {
        this.#endDamage(this.#restAt + at);
        this.#take(this.#record);
        at += lineBytes;
        this.#wholeBytes = this.#restAt + at;
      } else {
        at = this.#skip(bytes, at);
      }
    }
    // Copied: a chunk is its reader's to use again.
    this.#rest = Buffer.from(bytes.subarray(at));
    this.#restAt += at;
  }

  end(): LinesRead {
    if (this.#rest.length > 0) this.#skipTo(this.#rest, 0, this.#rest.length);
    this.#endDamage(this.#wholeBytes);
    return { damagedLines: this.#damagedLines, wholeBytes: this.#wholeBytes };
  }

  /** Gives the place where the next line may begin. */
  #skip(bytes: Buffer, at: number): number {
    const next = bytes.indexOf(lineStart, at + 1, "latin1");
    // Its beginning may be in this chunk, and the rest in the next.
    return this.#skipTo(bytes, at, next === -1 ? bytes.length - lineStart.length + 1 : next);
  }

  #skipTo(bytes: Buffer, from: number, to: number): number {
    this.#damagedFrom ??= this.#restAt + from;
    const newline = bytes.subarray(from, to).lastIndexOf(10);
    if (newline !== -1) this.#wholeBytes = this.#restAt + from + newline + 1;
    return to;
  }

  #endDamage(at: number): void {
    if (this.#damagedFrom !== undefined && at > this.#damagedFrom) {
      this.#damagedLines += Math.max(1, Math.round((at - this.#damagedFrom) / lineBytes));
    }
    this.#damagedFrom = undefined;
  }
}
