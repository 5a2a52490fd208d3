import { createReadStream } from "node:fs";
import { parseJson } from "../../json/json-text.ts";
import { notUtf8, placeOfBadByte } from "../decode-utf8.ts";
import { Misuse } from "../failure.ts";
import { type Line, LineCutter, maxLineMiB } from "../line-cutter.ts";
import { type SampleFile, uidOf, unreadable } from "./sample-file.ts";
import type { Collection } from "./template-samples.ts";

/** How much is read at once. */
const chunkBytes = 1024 * 1024;

/**
 * Reads samples of which each stands on a line of its own, and holds one piece of the file at a time.
 *
 * @throws {Misuse} naming the place of the first line that is no sample, or when there is none
 * @throws the signal's reason
 */
export async function readLines(
  file: SampleFile,
  collection: Collection,
  signal: AbortSignal,
): Promise<void> {
  const { path, name } = file;
  const samples = collection.of(uidOf(file));
  const lines = new LineCutter();
  let count = 0;
  const take = (line: Line) => {
    const text = textOf(line, name);
    if (text.trim() === "") return;
    const place = () => `${name}:${line.number}:1`;
    samples.addSample(parseLine(text, line.number, name), file, place);
    count += 1;
  };
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes, signal })) {
      for (const line of lines.push(chunk)) take(line);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof Misuse ? error : unreadable(name)(error);
  }
  for (const line of lines.end()) take(line);
  if (count > 0) return;
  throw new Misuse(`${name}: there is no sample in it. Put one on each line, such as {"date":"1 May"}.`);
}

function textOf({ number, text, badBytes }: Line, name: string): string {
  if (badBytes) throw notUtf8(`${name}:${number}:${placeOfBadByte(badBytes).split(":")[1]}`);
  if (text === undefined) {
    throw new Misuse(
      `${name}:${number}:1: this line is longer than ${maxLineMiB} MiB. Put one sample on each line.`,
    );
  }
  // A byte order mark may stand before the first. It is no part of any other line, and parseJson leaves one out.
  return number > 1 && text.startsWith("\ufeff") ? `\ufeff${text}` : text;
}

function parseLine(text: string, number: number, name: string): unknown {
  try {
    return parseJson(text, "");
  } catch (error) {
    const problem = (error as Error).message.replace(/^:\d+/, `${name}:${number}`);
    throw new Misuse(`${problem}. Each line has to be a sample of its own.`);
  }
}
