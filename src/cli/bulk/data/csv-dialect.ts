import { Misuse } from "../../failure.ts";

const delimiters = [",", ";", "\t", "|"] as const;

/** Spellings of a tab that are easy to write in a shell. */
const spellings: Readonly<Record<string, string>> = { "\\t": "\t", tab: "\t" };

/** Parses the value of `--delimiter`. */
export function parseDelimiter(given: string): string {
  const delimiter = spellings[given] ?? given;
  if (delimiter.length === 1 && !/["\r\n\p{Surrogate}\ufffd]/u.test(delimiter)) return delimiter;
  throw new Misuse('--delimiter takes one character, such as "," or ";" or "|", or tab.');
}

/** The syntax of a CSV file. */
export interface CsvDialect {
  readonly delimiter: string;
  /** Whether the first line only names the delimiter, as in `sep=;`. */
  readonly namesDelimiter: boolean;
  /** The name of the encoding, for messages. */
  readonly encoding: string;
  /** Whether white space around names and cells is removed. */
  readonly trims: boolean;
}

/** How to read a CSV file. Without a delimiter, it is detected from the header. */
export interface CsvOptions extends Pick<CsvDialect, "encoding" | "trims"> {
  readonly delimiter: string | undefined;
}

/** Determines the delimiter: the one that was passed, the one in Excel's `sep=;` line, or the most frequent one in the header. */
export function dialectOf(text: string, { delimiter: given, ...rest }: CsvOptions): CsvDialect {
  // The header includes the line breaks of quoted cells, and may be longer than the text.
  const [header = ""] = /^(?:[^"\r\n]+|"[^"]*(?:"|$))*/.exec(text.replace(/^[\r\n]+/, "")) ?? [];
  const named = /^sep=([^"])$/i.exec(header)?.[1];
  if (named !== undefined) return { delimiter: given ?? named, namesDelimiter: true, ...rest };
  const bare = header.replace(/"[^"]*(?:"|$)/g, "");
  const counts = delimiters.map((delimiter) => bare.split(delimiter).length);
  const most = delimiters[counts.indexOf(Math.max(...counts))] ?? ",";
  return { delimiter: given ?? most, namesDelimiter: false, ...rest };
}
