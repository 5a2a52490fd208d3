import { isInstance } from "../../errors/foreign-values.ts";
import { openFile } from "../../files/read-file.ts";
import { type JsonSyntaxError, parseJson, positionAtEndOf } from "../../json/json-text.ts";
import { badCharacter, decode } from "../bulk/data/encodings.ts";
import { maxRecordMiB, readLine, readRecords } from "../bulk/data/read-records.ts";
import { notUtf8 } from "../decode-utf8.ts";
import { Misuse } from "../failure.ts";
import { type SampleFile, uidOf, unreadable } from "./sample-file.ts";
import { type Collection, samplesOf } from "./template-samples.ts";

/** The size of a chunk. */
const chunkBytes = 1024 * 1024;

/**
 * Reads one sample per line, and keeps one chunk of the file in memory at a time.
 *
 * @throws {Misuse} with the location of the first line that is not a sample, or if the file contains no samples
 * @throws the signal's abort reason
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
    const handle = await openFile(path);
    const chunks = decode(handle.createReadStream({ highWaterMark: chunkBytes, signal }), "utf-8");
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
    throw isInstance(error, Misuse) ? error : unreadable(name)(error);
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
  if (bad !== -1) throw notUtf8(`${place}:${positionAtEndOf(text.slice(0, bad)).column}`);
  try {
    // The decoder has removed the byte order mark of the file. A second one is an error, which parseJson would ignore.
    return parseJson(text.startsWith("\ufeff") ? `\ufeff${text}` : text, "");
  } catch (error) {
    const { position, reason } = error as JsonSyntaxError;
    throw new Misuse(`${place}:${position.column}: ${reason}. Each line must be one complete sample.`);
  }
}
