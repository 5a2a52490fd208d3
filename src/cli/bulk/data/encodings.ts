import { Misuse } from "../../failure.ts";

/** What a decoder puts where bytes are no text. */
export const replacement = "\ufffd";

/** Gives the text of the next bytes, and where there are none, of what was held back. */
type Decode = (bytes?: Uint8Array) => string;

/** How a file's bytes are read. */
export interface Encoding {
  /** For messages. */
  readonly name: string;
  /** How many bytes at the start of the file are a byte order mark. */
  readonly markBytes: number;
  /** Nothing for UTF-8, whose bytes are taken as they are. */
  readonly startDecoding: (() => Decode) | undefined;
}

const marks: readonly (readonly [label: string, mark: readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/**
 * Finds out how a file is written. A byte order mark at its start says it better than its user.
 *
 * @param start - the first bytes of the file
 * @param label - how its user says that it is written
 * @throws {Misuse} when there is no such encoding
 * @see https://encoding.spec.whatwg.org/#decode
 */
export function encodingOf(start: Uint8Array, label = "utf-8"): Encoding {
  const asked = nameOf(label);
  const found = marks.find(([, mark]) => mark.every((byte, index) => start[index] === byte));
  const name = found?.[0] ?? asked;
  const startDecoding =
    name === "utf-8" ? undefined : name === "windows-1252" ? () => decodeWindows1252 : () => decoderOf(name);
  return { name, markBytes: found?.[1].length ?? 0, startDecoding };
}

/** What is said of bytes that are no text. */
export function notInEncoding(name: string): string {
  return name === "utf-8"
    ? "this is not UTF-8. Save it as UTF-8, or say how it is written, as in --encoding windows-1252"
    : `this is not ${name}. Save it as UTF-8, or say how it is written, as in --encoding windows-1252`;
}

function nameOf(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw new Misuse(
      "--encoding: there is no encoding of that name. Some that there are: utf-8, utf-16le, windows-1252, iso-8859-15, macintosh, shift_jis, gbk.",
    );
  }
}

function decoderOf(name: string): Decode {
  const decoder = new TextDecoder(name, { ignoreBOM: true });
  return (bytes) => decoder.decode(bytes, { stream: bytes !== undefined });
}

/** What windows-1252 has from 0x80 to 0x9f; the rest is as in Latin-1, and so are the places that it leaves free. */
const special = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

/**
 * Not by `TextDecoder`, which in some versions of Node reads Latin-1 instead, where € and the quotes of Word are lost.
 *
 * @see https://github.com/nodejs/node/issues/56542
 */
function decodeWindows1252(bytes: Uint8Array = new Uint8Array()): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  return text.replace(/[\x80-\x9f]/g, (character) => special.charAt(character.charCodeAt(0) - 0x80));
}
