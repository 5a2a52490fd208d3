import { asWritten, decodeEscapes, withoutPartialEscape } from "./escapes.ts";

/** A shorter key is a placeholder such as `test`, which can also be part of an ordinary word. */
export const shortestLongKey = 8;

/** The minimum length of a truncated key at the end of a string. */
const shortestBeginning = 4;

/** The start and the end of a range in a string. */
export type TextRange = readonly [start: number, end: number];

/** The encodings of the last key, cached because most programs have one key and search for it in every response. */
let latest: { readonly key: string; readonly encodings: readonly string[] } | undefined;

/**
 * Finds a key in every encoding: with escaped characters, in hexadecimal, or in base64, alone or within other encoded text. Also
 * finds a truncated key at the end of the text. Finds a key of fewer than 8 characters only as a whole word.
 *
 * @returns ranges in any order, which may overlap
 */
export function findKey(text: string, key: string): TextRange[] {
  if (latest?.key !== key) latest = { key, encodings: encodingsOf(key) };
  const { encodings } = latest;
  const isLong = key.length >= shortestLongKey;
  const ranges: TextRange[] = [];
  // A truncated escape may look like another one, for example `&#6` from `&#65;`.
  const readings = [asWritten(text), decodeEscapes(text), decodeEscapes(withoutPartialEscape(text))];
  for (const { text: searched, sourceIndexOf } of readings) {
    const uncut = withoutPartialEscape(searched);
    for (const encoding of encodings) {
      let start = searched.indexOf(encoding);
      while (start !== -1) {
        const end = start + encoding.length;
        const isFound = isLong || !isWithinWord(searched, start, end);
        if (isFound) ranges.push([sourceIndexOf(start), sourceIndexOf(end)]);
        start = searched.indexOf(encoding, end);
      }
      const length = isLong ? lengthOfBeginningAtEnd(uncut, encoding) : 0;
      if (length > 0) ranges.push([sourceIndexOf(uncut.length - length), text.length]);
    }
  }
  return ranges;
}

function encodingsOf(key: string): readonly string[] {
  const hex = Array.from(key, (character) => character.charCodeAt(0).toString(16).padStart(2, "0")).join("");
  const base64 = base64Of(key);
  // Base64url (RFC 4648, 5)
  const base64Url = base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"));
  return [...new Set([key, decodeEscapes(key).text, hex, hex.toUpperCase(), ...base64, ...base64Url])];
}

/** Returns the key in base64, with and without padding, and the characters that it has within other encoded text. */
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

/** Returns the length of a truncated encoding at the end of a string, or 0. */
function lengthOfBeginningAtEnd(text: string, encoding: string): number {
  // A quick check, because few strings contain the beginning of a key.
  if (!text.includes(encoding.slice(0, shortestBeginning))) return 0;
  for (let length = encoding.length - 1; length >= shortestBeginning; length--) {
    if (text.endsWith(encoding.slice(0, length))) return length;
  }
  return 0;
}
