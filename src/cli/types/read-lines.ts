import { createReadStream } from "node:fs";
import { lineAndColumn, parseJson } from "../../json/json-text.ts";
import { badCharacter, decode } from "../bulk/data/encodings.ts";
import { maxRecordMiB, readLine, readRecords } from "../bulk/data/read-records.ts";
import { notUtf8 } from "../decode-utf8.ts";
import { Misuse } from "../failure.ts";
import { type SampleFile, uidOf, unreadable } from "./sample-file.ts";
import { type Collection, samplesOf } from "./template-samples.ts";

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
  const samples = samplesOf(collection, uidOf(file));
  let line = 0;
  let count = 0;
  try {
    const chunks = decode(createReadStream(path, { highWaterMark: chunkBytes, signal }), "utf-8");
    for await (const texts of readRecords<string | undefined>(chunks, readLine, () => undefined)) {
      for (const text of texts) {
        const place = `${name}:${++line}`;
        if (text?.trim() === "") continue;
        samples.addSample(parseLine(text, place), file, () => `${place}:1`);
        count += 1;
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof Misuse ? error : unreadable(name)(error);
  }
  if (count > 0) return;
  throw new Misuse(
    `${name}: the file contains no samples. Put one on each line, for example {"date":"1 May"}.`,
  );
}

function parseLine(text: string | undefined, place: string): unknown {
  if (text === undefined) {
    throw new Misuse(
      `${place}:1: this line is longer than ${maxRecordMiB} MiB. Put one sample on each line.`,
    );
  }
  const bad = text.indexOf(badCharacter);
  if (bad !== -1) throw notUtf8(`${place}:${lineAndColumn(text.slice(0, bad)).split(":")[1]}`);
  try {
    // The decoder has taken the byte order mark of the file; parseJson would leave out another one.
    return parseJson(text.startsWith("\ufeff") ? `\ufeff${text}` : text, "");
  } catch (error) {
    const problem = (error as Error).message.replace(/^:\d+/, place);
    throw new Misuse(`${problem}. Each line must be one complete sample.`);
  }
}
