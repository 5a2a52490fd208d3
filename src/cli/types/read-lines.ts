import { isUtf8 } from "node:buffer";
import { type FileHandle, open } from "node:fs/promises";
import { parseJson } from "../../input/json-text.ts";
import { notUtf8, placeOfBadByte } from "../decode-utf8.ts";
import { Misuse, reasonOf } from "../failure.ts";
import { checkSample, maxSampleDepth } from "./check-sample.ts";
import type { SampleFile } from "./sample-file.ts";

/** How much is read at once. */
const chunkBytes = 1024 * 1024;

const maxLineMiB = 64;
const maxLineBytes = maxLineMiB * 1024 * 1024;

const newline = 0x0a;
const byteOrderMark = Buffer.from("\ufeff");

/** Takes one sample, and what tells at this moment where it stands. */
export type Take = (values: Record<string, unknown>, place: () => string) => void;

/**
 * Reads samples of which each stands on a line of its own, and holds one piece of the file at a time.
 *
 * @throws {Misuse} naming the place of the first line that is no sample, or when there is none
 * @throws the signal's reason
 */
export async function readLines({ path, name }: SampleFile, take: Take, signal: AbortSignal): Promise<void> {
  const lines = new Lines(name, take);
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    const buffer = Buffer.allocUnsafeSlow(chunkBytes);
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(buffer, 0, chunkBytes);
      if (bytesRead === 0) break;
      lines.push(buffer.subarray(0, bytesRead));
    }
  } catch (cause) {
    if (cause instanceof Misuse || signal.aborted) throw cause;
    throw new Misuse(`Could not read ${name}: ${reasonOf(cause)}.`, { cause });
  } finally {
    await file?.close();
  }
  lines.end();
}

class Lines {
  readonly #name: string;
  readonly #take: Take;
  /** The pieces of a line of which the end has not come yet. */
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  /** How many lines are behind. */
  #line = 0;
  #samples = 0;

  constructor(name: string, take: Take) {
    this.#name = name;
    this.#take = take;
  }

  /** Takes what comes next; it is used up when this returns. */
  push(chunk: Buffer): void {
    const end = chunk.lastIndexOf(newline);
    if (end !== -1) {
      this.#keep(chunk.subarray(0, end));
      this.#readKept();
    }
    this.#keep(Buffer.from(chunk.subarray(end + 1)));
  }

  end(): void {
    this.#readKept();
    if (this.#samples > 0) return;
    throw new Misuse(
      `${this.#name}: there is no sample in it. Put one on each line, such as {"date":"1 May"}.`,
    );
  }

  #keep(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#pieceBytes += piece.length;
    const first = this.#pieceBytes > maxLineBytes ? piece.indexOf(newline) : -1;
    const lineBytes = first === -1 ? this.#pieceBytes : this.#pieceBytes - piece.length + first;
    if (lineBytes > maxLineBytes) {
      throw new Misuse(
        `${this.#name}:${this.#line + 1}:1: this line is longer than ${maxLineMiB} MiB. Put one sample on each line.`,
      );
    }
  }

  /** Reads the lines that have come whole. */
  #readKept(): void {
    const [first, ...rest] = this.#pieces;
    let block = first && rest.length === 0 ? first : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#pieceBytes = 0;
    if (this.#line === 0 && block.indexOf(byteOrderMark) === 0) block = block.subarray(byteOrderMark.length);
    if (!isUtf8(block)) throw this.#notUtf8(block);
    const text = block.toString();
    for (let start = 0; start <= text.length; ) {
      const end = text.indexOf("\n", start);
      const next = end === -1 ? text.length : end;
      this.#readLine(text.slice(start, next));
      start = next + 1;
    }
  }

  #readLine(line: string): void {
    this.#line += 1;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      if (line.trim() === "") return;
      throw this.#noJson(line);
    }
    const place = () => `${this.#name}:${this.#line}:1`;
    // A level takes two characters at least.
    this.#take(checkSample(value, place, line.length > 2 * maxSampleDepth), place);
    this.#samples += 1;
  }

  #noJson(line: string): Misuse {
    try {
      parseJson(line, "");
    } catch (error) {
      const [, column = "1", reason = ""] = /^:\d+:(\d+): (.*)$/s.exec((error as Error).message) ?? [];
      return new Misuse(
        `${this.#name}:${this.#line}:${column}: ${reason}. Each line has to be a sample of its own.`,
      );
    }
    return new Misuse(`${this.#name}:${this.#line}:1: this is no JSON.`);
  }

  #notUtf8(block: Buffer): Misuse {
    let line = this.#line + 1;
    for (let start = 0; ; line += 1) {
      const end = block.indexOf(newline, start);
      const bytes = block.subarray(start, end === -1 ? undefined : end);
      if (!isUtf8(bytes)) {
        const column = placeOfBadByte(bytes).split(":")[1];
        return notUtf8(`${this.#name}:${line}:${column}`);
      }
      start = end + 1;
    }
  }
}
