const longest = 80;

/** Quotes text of unknown origin for a message: on one line, without control characters, 80 characters at most. */
export function quote(text: string): string {
  const line = text.replace(/[\s\p{C}]+/gu, " ").trim();
  return JSON.stringify(line.length > longest ? `${line.slice(0, longest - 1)}…` : line);
}
