import { type FileHandle, open } from "node:fs/promises";
import { parseJson } from "../../json/json-text.ts";
import { maxNesting } from "../../json/nesting.ts";
import { notUtf8, placeOfBadByte } from "../decode-utf8.ts";
import { describeReadError, Misuse } from "../failure.ts";
import { type Line, LineCutter, maxLineMiB } from "../line-cutter.ts";
import { checkSample } from "./check-sample.ts";
import type { SampleFile } from "./sample-file.ts";

/** How much is read at once. */
const chunkBytes = 1024 * 1024;

/** Takes one sample, and what tells at this moment where it stands. */
export type Take = (values: Record<string, unknown>, place: () => string) => void;

/**
 * Reads samples of which each stands on a line of its own, and holds one piece of the file at a time.
 *
 * @throws {Misuse} naming the place of the first line that is no sample, or when there is none
 * @throws the signal's reason
 */
export async function readLines({ path, name }: SampleFile, take: Take, signal: AbortSignal): Promise<void> {
  const lines = new LineCutter();
  const samples = new Samples(name, take);
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    const buffer = Buffer.allocUnsafeSlow(chunkBytes);
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(buffer, 0, chunkBytes);
      if (bytesRead === 0) break;
      for (const line of lines.push(buffer.subarray(0, bytesRead))) samples.read(line);
    }
  } catch (cause) {
    if (cause instanceof Misuse || signal.aborted) throw cause;
    throw new Misuse(`Could not read ${name}: ${describeReadError(cause)}.`, { cause });
  } finally {
    await file?.close();
  }
  for (const line of lines.end()) samples.read(line);
  samples.end();
}

class Samples {
  readonly #name: string;
  readonly #take: Take;
  #count = 0;

  constructor(name: string, take: Take) {
    this.#name = name;
    this.#take = take;
  }

  read({ number, text, badBytes }: Line): void {
    const place = () => `${this.#name}:${number}:1`;
    if (badBytes) throw notUtf8(`${this.#name}:${number}:${placeOfBadByte(badBytes).split(":")[1]}`);
    if (text === undefined) {
      throw new Misuse(
        `${place()}: this line is longer than ${maxLineMiB} MiB. Put one sample on each line.`,
      );
    }
    // A byte order mark may stand before the first.
    const line = number === 1 && text.startsWith("\ufeff") ? text.slice(1) : text;
    let value: unknown;
    try {
      // That mark is no part of any other line, and parseJson leaves one out.
      value = parseJson(line.startsWith("\ufeff") ? `\ufeff${line}` : line, "");
    } catch (error) {
      if (line.trim() === "") return;
      throw this.#refusal(line, number, (error as Error).message);
    }
    // A level takes two characters at least.
    this.#take(checkSample(value, place, line.length > 2 * maxNesting), place);
    this.#count += 1;
  }

  end(): void {
    if (this.#count > 0) return;
    throw new Misuse(
      `${this.#name}: there is no sample in it. Put one on each line, such as {"date":"1 May"}.`,
    );
  }

  #refusal(line: string, number: number, message: string): Misuse {
    const [, column = "1", reason = ""] = /^:\d+:(\d+): (.*)$/s.exec(message) ?? [];
    // A number that JavaScript would change stands in a line that is JSON.
    const advice = isJson(line) ? "" : " Each line has to be a sample of its own.";
    return new Misuse(`${this.#name}:${number}:${column}: ${reason}.${advice}`);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
