import { extname } from "node:path";
import { Readable } from "node:stream";
import { Misuse } from "../../failure.ts";
import { dialectOf, parseDelimiter } from "./csv-dialect.ts";
import { csvRows, readHeader } from "./csv-rows.ts";
import { decode, encodingOf } from "./encodings.ts";
import { jsonRows, ndjsonRows } from "./json-rows.ts";
import type { Data, DataFormat, DataOptions } from "./row.ts";
import { type StoredBytes, storeBytes } from "./stored-bytes.ts";

export type { Data, DataOptions, RowOrProblem } from "./row.ts";

/** The number of bytes at the start of a file from which its format is detected. A header cannot be longer. */
const startBytes = 1024 * 1024;

/** The number of bytes without a zero at the start of a text in UTF-8. In UTF-16, each delimiter and line break has a zero. */
const zeroFreeBytes = 1024;

const formats: Readonly<Record<string, DataFormat>> = {
  ".csv": "csv",
  ".tsv": "csv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".json": "json",
};

const formatsByStart: Readonly<Record<string, DataFormat>> = { "[": "json", "{": "ndjson" };

/** Binary formats by their first bytes. */
const binaries: readonly (readonly [start: Buffer, what: string])[] = [
  [Buffer.from("PK\x03\x04"), "an Excel workbook or another zip archive. Save its sheet as CSV UTF-8"],
  [Buffer.from("d0cf11e0a1b11ae1", "hex"), "an old Excel workbook. Save its sheet as CSV UTF-8"],
  [
    Buffer.from("1f8b08", "hex"),
    "compressed with gzip. Decompress it, for example gunzip -c data.csv.gz | template-pdf bulk … -",
  ],
];

/**
 * Opens the data of a bulk run: CSV with a header, NDJSON, or a JSON array. Throws a {@link Misuse} if the file as a whole is
 * invalid.
 */
export async function openData(options: DataOptions): Promise<Data> {
  const delimiter = options.delimiter === undefined ? undefined : parseDelimiter(options.delimiter);
  // An unknown encoding is reported before anything is read.
  encodingOf(Buffer.alloc(0), options.encoding);
  const bytes = await storeBytes(options.file, options.stdin, options.signal);
  try {
    const { name } = bytes;
    return { name, close: () => bytes.close(), ...(await describe(bytes, options, delimiter)) };
  } catch (error) {
    await bytes.close();
    throw error;
  }
}

async function describe(
  bytes: StoredBytes,
  { file, format: given, encoding: label, trims = false }: DataOptions,
  delimiter: string | undefined,
): Promise<Pick<Data, "format" | "columns" | "rows">> {
  const { name } = bytes;
  const start = await bytes.start(startBytes);
  const binary = binaries.find(([mark]) => start.subarray(0, mark.length).equals(mark));
  if (binary) throw new Misuse(`${name}: this is ${binary[1]}.`);
  const encoding = encodingOf(start, label);
  if (encoding === "utf-8" && start.subarray(0, zeroFreeBytes).includes(0)) {
    throw new Misuse(`${name}: this is not UTF-8. If it is UTF-16, add --encoding utf-16le.`);
  }
  let text = "";
  for await (const piece of decode(Readable.from([start]), encoding)) text += piece;
  if (text.trim() === "" && start.length < startBytes) {
    throw new Misuse(`${name}: this is empty. Add a row for each document.`);
  }
  const first = text.trimStart().charAt(0);
  const extension = extname(file).toLowerCase();
  const format = given ?? formats[extension] ?? formatsByStart[first] ?? "csv";
  const open = () => decode(bytes.chunks(), encoding);
  if (format === "csv") {
    const byName = extension === ".tsv" ? "\t" : undefined;
    const dialect = dialectOf(text, { delimiter: delimiter ?? byName, encoding, trims });
    const columns = await readHeader(open(), dialect, name);
    return { format, columns, rows: (onBlankLine) => csvRows(open(), dialect, columns, onBlankLine) };
  }
  if (format === "ndjson") {
    return { format, columns: undefined, rows: (onBlankLine) => ndjsonRows(open(), encoding, onBlankLine) };
  }
  if (first === "[") return { format, columns: undefined, rows: () => jsonRows(open(), encoding) };
  // A file that is not an array is reported once, not for each of a million rows.
  const advice =
    first === "{"
      ? "wrap the objects in a JSON array, or add --format ndjson if each line is an object"
      : "use one object for each document";
  throw new Misuse(`${name}: this is not a JSON array; ${advice}.`);
}
