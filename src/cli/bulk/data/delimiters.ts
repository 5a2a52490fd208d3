import { Misuse } from "../../failure.ts";

const delimiters = [",", ";", "\t", "|"] as const;

/** How a shell user may write a tab. */
const spellings: Readonly<Record<string, string>> = { "\\t": "\t", tab: "\t" };

/**
 * Reads a delimiter that was given.
 *
 * @throws {Misuse} when it can be none
 */
export function parseDelimiter(given: string): string {
  const delimiter = spellings[given] ?? given;
  if (delimiter.length === 1 && !/["\r\n\p{Surrogate}\ufffd]/u.test(delimiter)) return delimiter;
  throw new Misuse('--delimiter takes one character, such as "," or ";" or "|", or tab.');
}

/** Finds the delimiter of a header: the one that stands most often outside of quotes; a comma where there is none. */
export function delimiterOf(header: string): string {
  const bare = header.replace(/"[^"]*(?:"|$)/g, "");
  const counts = delimiters.map((delimiter) => bare.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ",";
}

/** Gives the first line that is not empty, with the lines that its quoted cells hold; as far as it is in the text. */
export function headerOf(text: string): string {
  const line = text.replace(/^[\r\n]+/, "");
  let isQuoted = false;
  for (let index = 0; index < line.length; index += 1) {
    const character = line.charAt(index);
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === "\n" || character === "\r")) return line.slice(0, index);
  }
  return line;
}
