import { isUtf8 } from "node:buffer";
import { Misuse } from "../../failure.ts";

/** The character that a decoder inserts for invalid bytes. A file can also contain it. */
const replacement = "\ufffd";

/** Marks invalid bytes with two high surrogates, which a decoder never returns. */
export const badCharacter = "\ud800\ud800";

const marks: readonly (readonly [name: string, mark: readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/**
 * Returns the encoding of a file. A byte order mark takes precedence over the label that was passed.
 *
 * @see https://encoding.spec.whatwg.org/#decode
 */
export function encodingOf(start: Uint8Array, label = "utf-8"): string {
  const asked = nameOf(label);
  const found = marks.find(([, mark]) => mark.every((byte, index) => start[index] === byte));
  return found?.[0] ?? asked;
}

/** Decodes bytes without the byte order mark, and replaces invalid bytes with {@link badCharacter}. */
export async function* decode(
  chunks: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<string, void, undefined> {
  let isStart = true;
  for await (const text of encoding === "utf-8" ? decodeUtf8(chunks) : decodeOther(chunks, encoding)) {
    yield isStart && text.startsWith("\ufeff") ? text.slice(1) : text;
    if (text !== "") isStart = false;
  }
}

async function* decodeUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    const end = lastCharacterOf(bytes);
    rest = bytes.subarray(end);
    yield utf8TextOf(bytes.subarray(0, end));
  }
  yield utf8TextOf(rest);
}

/** Returns the index of the last character, which may continue in the next chunk. */
function lastCharacterOf(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    if ((bytes.at(-back) as number) >= 0xc0) return bytes.length - back;
  }
  return bytes.length;
}

function utf8TextOf(bytes: Buffer): string {
  const text = bytes.toString();
  const isGood = !text.includes(replacement) || isUtf8(bytes);
  return isGood ? text : text.replaceAll(replacement, badCharacter);
}

async function* decodeOther(
  chunks: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  for await (const chunk of chunks) {
    if (encoding === "windows-1252") yield windows1252TextOf(chunk);
    else yield decoder.decode(chunk, { stream: true }).replaceAll(replacement, badCharacter);
  }
  yield decoder.decode().replaceAll(replacement, badCharacter);
}

/** The message for bytes that are invalid in an encoding. */
export function notInEncoding(name: string): string {
  const shown = name === "utf-8" ? "UTF-8" : name;
  return `this is not ${shown}. Save it as UTF-8, or name its encoding, for example --encoding windows-1252`;
}

function nameOf(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw new Misuse(
      "The --encoding value is not a known encoding. Examples: utf-8, utf-16le, windows-1252, iso-8859-15, macintosh, shift_jis, gbk.",
    );
  }
}

/**
 * The characters of windows-1252 from 0x80 to 0x9f. All other characters, including the unassigned ones, are the same as in
 * Latin-1.
 */
const special = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

/**
 * Does not use `TextDecoder`, which decodes Latin-1 instead in some versions of Node and loses € and typographic quotes.
 *
 * @see https://github.com/nodejs/node/issues/56542
 */
function windows1252TextOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  return text.replace(/[\x80-\x9f]/g, (character) => special.charAt(character.charCodeAt(0) - 0x80));
}
