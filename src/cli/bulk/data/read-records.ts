export const maxRecordMiB = 64;
const maxRecordLength = maxRecordMiB * 1024 * 1024;

/** One record of a text. */
export interface Found<T> {
  readonly record: T;
  /** The index at which the next record begins. */
  readonly end: number;
}

/** Reads the record that begins at an index. Returns `undefined` if the text does not contain its end yet. */
export type ReadRecord<T> = (text: string, start: number, isLast: boolean) => Found<T> | undefined;

/**
 * Reads the records of a text that arrives in chunks, and keeps little more than one record in memory.
 *
 * @param tooLong - returns the replacement for a record that is too long; reading stops after it
 * @returns for each chunk, the records that end in it
 */
export async function* readRecords<T>(
  chunks: AsyncIterable<string>,
  read: ReadRecord<T>,
  tooLong: () => T,
): AsyncGenerator<readonly T[], void, undefined> {
  let text = "";
  /** A long record is parsed again only after its text has doubled, which avoids quadratic time. */
  let enough = 0;
  for await (const chunk of chunks) {
    text += chunk;
    if (text.length < Math.min(enough, maxRecordLength)) continue;
    const { records, end } = recordsIn(text, read, false);
    text = text.slice(end);
    enough = text.length * 2;
    yield records;
    if (text.length > maxRecordLength) return yield [tooLong()];
  }
  yield recordsIn(text, read, true).records;
}

function recordsIn<T>(
  text: string,
  read: ReadRecord<T>,
  isLast: boolean,
): { readonly records: readonly T[]; readonly end: number } {
  const records: T[] = [];
  let end = 0;
  while (end < text.length) {
    const found = read(text, end, isLast);
    if (!found) break;
    records.push(found.record);
    end = found.end;
  }
  return { records, end };
}

/** Reads a line without its line feed. */
export function readLine(text: string, start: number, isLast: boolean): Found<string> | undefined {
  const end = text.indexOf("\n", start);
  if (end === -1) return isLast ? { record: text.slice(start), end: text.length } : undefined;
  return { record: text.slice(start, end), end: end + 1 };
}
