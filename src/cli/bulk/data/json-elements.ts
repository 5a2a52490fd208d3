import type { Found } from "./read-records.ts";

/** What stands before, in or behind a JSON array, up to the character that ends it. */
export interface Element {
  readonly text: string;
  /** The bracket or comma behind it; nothing at the end of the file. */
  readonly ending: "[" | "," | "]" | "";
}

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Cuts a JSON array into its elements, which it does not parse. */
export class ElementReader {
  #state: "before" | "within" | "behind" = "before";

  /** Finds the element that begins at a place; nothing where its end has not come yet. */
  read(text: string, start: number, isLast: boolean): Found<Element> | undefined {
    if (this.#state === "within") return this.#readWithin(text, start, isLast);
    const open = this.#state === "before" ? text.indexOf("[", start) : -1;
    if (open === -1) return { record: { text: text.slice(start), ending: "" }, end: text.length };
    this.#state = "within";
    return { record: { text: text.slice(start, open), ending: "[" }, end: open + 1 };
  }

  #readWithin(text: string, start: number, isLast: boolean): Found<Element> | undefined {
    let depth = 0;
    for (let index = start; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code === quote) {
        index = endOfString(text, index);
      } else if (code === openBrace || code === openBracket) {
        depth += 1;
      } else if (depth > 0) {
        if (code === closeBrace || code === closeBracket) depth -= 1;
      } else if (code === comma || code === closeBracket) {
        if (code === closeBracket) this.#state = "behind";
        const ending = code === comma ? "," : "]";
        return { record: { text: text.slice(start, index), ending }, end: index + 1 };
      }
    }
    return isLast ? { record: { text: text.slice(start), ending: "" }, end: text.length } : undefined;
  }
}

/** Where a string ends: at its quote, or on its line; one that does not is wrong, and what follows it may be right. */
function endOfString(text: string, open: number): number {
  for (let index = open + 1; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === backslash) index += 1;
    else if (code === quote || code === 0x0a) return index;
  }
  return text.length;
}
