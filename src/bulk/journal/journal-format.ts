import { crc32 } from "node:zlib";
import { bytesOf, hashWords, type JobRecord } from "./key-table.ts";

const format = "template-pdf bulk journal";
const version = 2;
/** The start of every journal, whatever its version. */
export const journalOpening = `{"format":${JSON.stringify(format)},`;
const sumOf = (summed: string) => `,"sum":"${crc32(summed).toString(16).padStart(8, "0")}"}\n`;
const sumLength = sumOf("").length;

/** The first line of a journal. */
export interface JournalHeader {
  /** The salt of all hashes in this journal. */
  readonly salt: string;
  /** The run that the journal belongs to. */
  readonly run: Readonly<Record<string, string>>;
}

/** The start of a file. */
export type Beginning =
  | { readonly kind: "header"; readonly header: JournalHeader; readonly bytes: number }
  /** The file is empty or has an incomplete header, so it has no lines. */
  | { readonly kind: "nothing" }
  | { readonly kind: "damaged" | "otherVersion" | "foreign" };

/** Returns the first line of a journal, with its checksum. */
export function encodeHeader({ salt, run }: JournalHeader): Buffer {
  const summed = JSON.stringify({ format, version, salt, run }).slice(0, -1);
  return Buffer.from(summed + sumOf(summed));
}

/** @param bytes - the file, or at least enough of it to contain the first line of a journal */
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

/** A line, which is a record and its CRC-32, as words and as bytes in the same memory. */
const words = new Uint32Array(2 * hashWords + 1);
const record: JobRecord = words.subarray(0, 2 * hashWords);
const recordBytes = bytesOf(record);
const allBytes = bytesOf(words);

/** The length of a finished job's line in base64url, including the newline. */
export const lineBytes = Math.ceil((allBytes.length * 4) / 3) + 1;
const newline = 10;

/** Returns the line for a finished job. */
export function encodeLine(finished: JobRecord): string {
  record.set(finished);
  words[2 * hashWords] = crc32(recordBytes);
  return `${allBytes.toString("base64url")}\n`;
}

/** The lines of a journal. */
export interface LinesRead {
  /** The number of damaged lines, estimated from their bytes. */
  readonly damagedLines: number;
  /** The end of the last complete line, in bytes from the first line. */
  readonly wholeBytes: number;
}

/**
 * Reads lines from chunks of any size. Skips damaged lines: each newline starts another line.
 *
 * A last line without a newline is incomplete. It is not read, and does not count as damaged.
 */
export class LineReader {
  readonly #take: (record: JobRecord) => void;
  #rest: Buffer = Buffer.alloc(0);
  #wholeBytes = 0;
  #damagedLines = 0;

  /** @param take - receives the record of each line. The record is reused after the call */
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
    // Copied, because the caller may reuse a chunk.
    this.#rest = Buffer.from(bytes.subarray(at));
  }

  end(): LinesRead {
    return { damagedLines: this.#damagedLines, wholeBytes: this.#wholeBytes };
  }

  /** Reads the line at a position. Returns false if there is no complete line with a valid checksum. */
  #readLine(bytes: Buffer, at: number): boolean {
    if (bytes[at + lineBytes - 1] !== newline) return false;
    const written = allBytes.write(bytes.toString("latin1", at, at + lineBytes - 1), "base64url");
    if (written < allBytes.length || crc32(recordBytes) !== words[2 * hashWords]) return false;
    this.#take(record);
    return true;
  }

  /** Text up to a newline may still end with a complete line, if the line before it lost its newline. */
  #readDamaged(bytes: Buffer, from: number, end: number): void {
    const last = end - lineBytes;
    const damagedTo = last > from && this.#readLine(bytes, last) ? last : end;
    this.#damagedLines += Math.max(1, Math.round((damagedTo - from) / lineBytes));
  }
}
