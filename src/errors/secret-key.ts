import { decodedPositions, decodeEscapes, withoutPartialEscape } from "./escapes.ts";

/** A shorter key is a placeholder such as `test`, which is also a part of ordinary words. */
export const shortestLongKey = 8;

/** How much of a key at the end of a text is taken for a key that was cut off. */
const shortestStart = 4;

/** The same of a key in base64 or hexadecimal: every text in these has fewer letters to choose from. */
const shortestEncodedStart = 8;

/** Spellings of a key that are searched in one variant of a text. */
interface Spellings {
  readonly texts: readonly string[];
  /** Makes the variant; the length stays. */
  readonly fold: (text: string) => string;
  /** How many characters at the end of a text are enough to be the start of one. */
  readonly shortestStart: number;
}

/** From and to, in a text. */
type Range = readonly [start: number, end: number];

/** The spellings of the last key: most programs have one key, and search for it in every answer. */
let latest: { readonly key: string; readonly spellings: readonly Spellings[] } | undefined;

/**
 * Replaces a key, however it is spelled: with any of its characters escaped, in hexadecimal, or in base64, alone or within
 * other text. A key that a text ends within is replaced, too. A key of less than 8 characters is replaced only
 * where it is a whole word.
 *
 * @param mark - what is written in its place
 */
export function replaceKey(text: string, key: string, mark: string): string {
  // No spelling is shorter than the key, and no start of one is shorter than this.
  if (text.length < Math.min(shortestStart, key.length)) return text;
  if (latest?.key !== key) latest = { key, spellings: spellingsOf(key) };
  const { spellings } = latest;
  const isShort = key.length < shortestLongKey;
  const ranges = rangesOf(text, spellings, isShort);
  // An escape that the end cuts off may look like another one: `&#6` of `&#65;`.
  for (const source of new Set([text, withoutPartialEscape(text)])) {
    const decoded = decodeEscapes(source);
    if (decoded === source) continue;
    // A lone `&` or `%` behind a key is hardly the start of an escape.
    const endOfSource = text.length - source.length > 1 ? text.length : source.length;
    const found = rangesOf(decoded, spellings, isShort);
    // Hardly any answer repeats the key, and only then it matters where.
    const positions = found.length > 0 ? decodedPositions(source) : [];
    for (const [start, end] of found) {
      ranges.push([
        positions[start] ?? 0,
        end === decoded.length ? endOfSource : (positions[end] ?? text.length),
      ]);
    }
  }
  return ranges.length === 0 ? text : replaceRanges(text, ranges, mark);
}

function spellingsOf(key: string): readonly Spellings[] {
  const hex = Array.from(key, (character) => character.charCodeAt(0).toString(16).padStart(2, "0")).join("");
  return [
    { texts: [...new Set([key, decodeEscapes(key)])], fold: (text) => text, shortestStart },
    { texts: [hex], fold: foldHex, shortestStart: shortestEncodedStart },
    { texts: [...new Set(base64Of(key))], fold: foldBase64, shortestStart: shortestEncodedStart },
  ];
}

/** In base64 by itself, with padding and without; and what is the same in any text that holds the key. */
function base64Of(key: string): string[] {
  const alone = btoa(key);
  const unpadded = alone.replace(/=/g, "");
  if (key.length < shortestLongKey) return [alone, unpadded];
  const within = [0, 1, 2].map((bytesBefore) => {
    const encoded = btoa("\0".repeat(bytesBefore) + key).replace(/=/g, "");
    // The bytes before and after have a share in the characters at the ends.
    const start = Math.ceil((bytesBefore * 8) / 6);
    const end = Math.floor(((bytesBefore + key.length) * 8) / 6);
    return encoded.slice(start, end);
  });
  return [alone, unpadded, ...within];
}

/** Base64url (RFC 4648, 5) becomes base64. */
function foldBase64(text: string): string {
  return text.replaceAll("-", "+").replaceAll("_", "/");
}

function foldHex(text: string): string {
  return text.replace(/[A-F]+/g, (digits) => digits.toLowerCase());
}

function rangesOf(source: string, spellings: readonly Spellings[], isShort: boolean): Range[] {
  const ranges: Range[] = [];
  for (const { texts, fold, shortestStart: shortest } of spellings) {
    const text = fold(source);
    const uncut = withoutPartialEscape(text);
    for (const wanted of texts) {
      for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
        const end = at + wanted.length;
        if (!isShort || isWholeWord(text, at, end)) ranges.push([at, end]);
      }
      const startLength = isShort ? 0 : lengthOfStartAtEnd(uncut, wanted, shortest);
      if (startLength > 0) ranges.push([uncut.length - startLength, text.length]);
    }
  }
  return ranges;
}

function isWholeWord(text: string, start: number, end: number): boolean {
  return !isLetterOrDigit(text[start - 1]) && !isLetterOrDigit(text[end]);
}

function isLetterOrDigit(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}

/** How much of a secret a text ends with; 0 for less than `shortest`. */
function lengthOfStartAtEnd(text: string, secret: string, shortest: number): number {
  // Nearly no text has even that much of it.
  if (!text.includes(secret.slice(0, shortest))) return 0;
  for (let length = secret.length - 1; length >= shortest; length--) {
    if (text.endsWith(secret.slice(0, length))) return length;
  }
  return 0;
}

function replaceRanges(text: string, ranges: Range[], mark: string): string {
  let replaced = "";
  let done = 0;
  for (const [start, end] of ranges.sort((a, b) => a[0] - b[0] || b[1] - a[1])) {
    if (start >= done) replaced += text.slice(done, start) + mark;
    done = Math.max(done, end);
  }
  return replaced + text.slice(done);
}
