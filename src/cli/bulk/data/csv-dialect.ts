import { Misuse } from "../../failure.ts";

const delimiters = [",", ";", "\t", "|"] as const;

/** How a shell user may write a tab. */
const spellings: Readonly<Record<string, string>> = { "\\t": "\t", tab: "\t" };

/** Reads a delimiter that was given. */
export function parseDelimiter(given: string): string {
  const delimiter = spellings[given] ?? given;
  if (delimiter.length === 1 && !/["\r\n\p{Surrogate}\ufffd]/u.test(delimiter)) return delimiter;
  throw new Misuse('--delimiter takes one character, such as "," or ";" or "|", or tab.');
}

/** How CSV is written. */
export interface CsvDialect {
  readonly delimiter: string;
  /** Whether the first line is not a row, but names the delimiter: `sep=;`. */
  readonly namesDelimiter: boolean;
  /** The name of the encoding, for messages. */
  readonly encoding: string;
}

/** Finds the delimiter by how a file begins: the given one, that of Excel's line `sep=;`, or the most frequent in the header. */
export function dialectOf(text: string, given: string | undefined, encoding: string): CsvDialect {
  // With the lines that its quoted cells hold; as far as it is in the text.
  const [header = ""] = /^(?:[^"\r\n]+|"[^"]*(?:"|$))*/.exec(text.replace(/^[\r\n]+/, "")) ?? [];
  const named = /^sep=([^"])$/i.exec(header)?.[1];
  if (named !== undefined) return { delimiter: given ?? named, namesDelimiter: true, encoding };
  const bare = header.replace(/"[^"]*(?:"|$)/g, "");
  const counts = delimiters.map((delimiter) => bare.split(delimiter).length);
  const most = delimiters[counts.indexOf(Math.max(...counts))] ?? ",";
  return { delimiter: given ?? most, namesDelimiter: false, encoding };
}
