const longest = 80;

/** Quotes untrusted text for a message: on one line, without control characters, at most 80 characters. */
export function quote(text: string): string {
  const line = text.replace(/[\s\p{C}]+/gu, " ").trim();
  return JSON.stringify(line.length > longest ? `${line.slice(0, longest - 1)}…` : line);
}
