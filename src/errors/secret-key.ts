import { asWritten, decodeEscapes, withoutPartialEscape } from "./escapes.ts";

/** A shorter key is a placeholder such as `test`, which is also part of ordinary words. */
export const shortestLongKey = 8;

/** The shortest beginning of a key that counts as a truncated key at the end of a text. */
const shortestBeginning = 4;

/** Start and end in a text. */
export type TextRange = readonly [start: number, end: number];

/** The spellings of the last key: most programs have one key, and search for it in every response. */
let latest: { readonly key: string; readonly spellings: readonly string[] } | undefined;

/**
 * Finds a key in every spelling: with any of its characters escaped, in hexadecimal, or in base64, alone or within other
 * text. Also finds a key that the end of the text cuts off. Finds a key of less than 8 characters only as a whole word.
 *
 * @returns ranges in any order, which may overlap
 */
export function findKey(text: string, key: string): TextRange[] {
  if (latest?.key !== key) latest = { key, spellings: spellingsOf(key) };
  const { spellings } = latest;
  const isLong = key.length >= shortestLongKey;
  const ranges: TextRange[] = [];
  // A truncated escape may look like another one: `&#6` of `&#65;`.
  const readings = [asWritten(text), decodeEscapes(text), decodeEscapes(withoutPartialEscape(text))];
  for (const { text: searched, sourceIndexOf } of readings) {
    const uncut = withoutPartialEscape(searched);
    for (const spelling of spellings) {
      let start = searched.indexOf(spelling);
      while (start !== -1) {
        const end = start + spelling.length;
        const isFound = isLong || !isWithinWord(searched, start, end);
        if (isFound) ranges.push([sourceIndexOf(start), sourceIndexOf(end)]);
        start = searched.indexOf(spelling, end);
      }
      const length = isLong ? lengthOfBeginningAtEnd(uncut, spelling) : 0;
      if (length > 0) ranges.push([sourceIndexOf(uncut.length - length), text.length]);
    }
  }
  return ranges;
}

function spellingsOf(key: string): readonly string[] {
  const hex = Array.from(key, (character) => character.charCodeAt(0).toString(16).padStart(2, "0")).join("");
  const base64 = base64Of(key);
  // Base64url (RFC 4648, 5)
  const base64Url = base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"));
  return [...new Set([key, decodeEscapes(key).text, hex, hex.toUpperCase(), ...base64, ...base64Url])];
}

/** The key in base64, with padding and without; and the characters that the base64 of any text with the key has. */
function base64Of(key: string): string[] {
  const alone = btoa(key);
  const unpadded = alone.replace(/=/g, "");
  if (key.length < shortestLongKey) return [alone, unpadded];
  const within = [0, 1, 2].map((bytesBefore) => {
    const encoded = btoa("\0".repeat(bytesBefore) + key);
    // The characters at both ends also depend on the bytes before and after the key.
    return encoded.slice(Math.ceil((bytesBefore * 8) / 6), Math.floor(((bytesBefore + key.length) * 8) / 6));
  });
  return [alone, unpadded, ...within];
}

function isWithinWord(text: string, start: number, end: number): boolean {
  return /[\p{L}\p{N}]/u.test(`${text[start - 1] ?? ""} ${text[end] ?? ""}`);
}

/** The length of the beginning of a spelling that a text ends with, or 0. */
function lengthOfBeginningAtEnd(text: string, spelling: string): number {
  // Few texts contain even that much of it.
  if (!text.includes(spelling.slice(0, shortestBeginning))) return 0;
  for (let length = spelling.length - 1; length >= shortestBeginning; length--) {
    if (text.endsWith(spelling.slice(0, length))) return length;
  }
  return 0;
}
