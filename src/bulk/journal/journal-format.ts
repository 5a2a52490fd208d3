import { crc32 } from "node:zlib";
import { bytesOf, hashWords, type JobRecord } from "./key-table.ts";

const format = "template-pdf bulk journal";
const version = 2;
/** How every journal begins, of whatever version. */
export const journalOpening = `{"format":${JSON.stringify(format)},`;
const sumOf = (summed: string) => `,"sum":"${crc32(summed).toString(16).padStart(8, "0")}"}\n`;
const sumLength = sumOf("").length;

/** The first line of a journal. */
export interface JournalHeader {
  /** What all hashes of this journal are salted with. */
  readonly salt: string;
  /** What run the journal belongs to. */
  readonly run: Readonly<Record<string, string>>;
}

/** What a file begins with. */
export type Beginning =
  | { readonly kind: "header"; readonly header: JournalHeader; readonly bytes: number }
  /** Nothing, or a header that was not written to its end: no line can have followed. */
  | { readonly kind: "nothing" }
  | { readonly kind: "damaged" | "otherVersion" | "foreign" };

/** The first line of a journal, which its own checksum ends. */
export function encodeHeader({ salt, run }: JournalHeader): Buffer {
  const summed = JSON.stringify({ format, version, salt, run }).slice(0, -1);
  return Buffer.from(summed + sumOf(summed));
}

/** @param bytes - all of a file, or so much that the first line of a journal would end within */
export function readBeginning(bytes: Buffer): Beginning {
  const length = Math.min(bytes.length, journalOpening.length);
  if (bytes.toString("latin1", 0, length) !== journalOpening.slice(0, length)) return { kind: "foreign" };
  const newline = bytes.indexOf("\n");
  if (newline === -1) return { kind: "nothing" };
  const line = bytes.toString("utf8", 0, newline + 1);
  const summed = line.slice(0, -sumLength);
  if (line !== summed + sumOf(summed)) return { kind: "damaged" };
  const header: JournalHeader & { readonly version: number } = JSON.parse(`${summed}}`);
  if (header.version !== version) return { kind: "otherVersion" };
  const { salt, run } = header;
  return { kind: "header", header: { salt, run }, bytes: newline + 1 };
}

/** A line as words and as bytes, in the same memory: a record and its CRC-32. */
const words = new Uint32Array(2 * hashWords + 1);
const record: JobRecord = words.subarray(0, 2 * hashWords);
const recordBytes = bytesOf(record);
const allBytes = bytesOf(words);

/** How long every line of a finished job is, in base64url and with its newline. */
export const lineBytes = Math.ceil((allBytes.length * 4) / 3) + 1;
const newline = 10;

/** The line of a finished job. */
export function encodeLine(finished: JobRecord): string {
  record.set(finished);
  words[2 * hashWords] = crc32(recordBytes);
  return `${allBytes.toString("base64url")}\n`;
}

/** What stands in a journal behind its header. */
export interface LinesRead {
  /** How many lines are damaged, as far as their bytes tell. */
  readonly damagedLines: number;
  /** Where the last line that has its newline ends, in bytes from the first line. */
  readonly wholeBytes: number;
}

/**
 * Reads lines from chunks of any size. Leaves out damaged lines: each newline begins another.
 *
 * A last line without its newline was not written to its end. It is not damage, and is not read.
 */
export class LineReader {
  readonly #take: (record: JobRecord) => void;
  #rest: Buffer = Buffer.alloc(0);
  #wholeBytes = 0;
  #damagedLines = 0;

  /** @param take - receives the record of every line, which is another's after the call */
  constructor(take: (record: JobRecord) => void) {
    this.#take = take;
  }

  read(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    for (;;) {
      if (this.#readLine(bytes, at)) {
        at += lineBytes;
        continue;
      }
      const end = bytes.indexOf(newline, at) + 1;
      if (end === 0) break;
      this.#readDamaged(bytes, at, end);
      at = end;
    }
    this.#wholeBytes += at;
    // Copied: a chunk is its reader's to use again.
    this.#rest = Buffer.from(bytes.subarray(at));
  }

  end(): LinesRead {
    return { damagedLines: this.#damagedLines, wholeBytes: this.#wholeBytes };
  }

  /** Reads the line at a place; false if no whole line with the right checksum stands there. */
  #readLine(bytes: Buffer, at: number): boolean {
    if (bytes[at + lineBytes - 1] !== newline) return false;
    const written = allBytes.write(bytes.toString("latin1", at, at + lineBytes - 1), "base64url");
    if (written < allBytes.length || crc32(recordBytes) !== words[2 * hashWords]) return false;
    this.#take(record);
    return true;
  }

  /** What ends with a newline may still end with a whole line: the one before it has lost its own newline. */
  #readDamaged(bytes: Buffer, from: number, end: number): void {
    const last = end - lineBytes;
    const damagedTo = last > from && this.#readLine(bytes, last) ? last : end;
    this.#damagedLines += Math.max(1, Math.round((damagedTo - from) / lineBytes));
  }
}
