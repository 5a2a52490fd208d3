import { lineAndColumn, parseJson } from "../json/json-text.ts";
import { Misuse } from "./failure.ts";

/**
 * Reads bytes as UTF-8.
 *
 * @param name - what to call them in the error: the path of their file, for instance
 * @throws {Misuse} naming the place of the first byte that is none
 */
export function decodeUtf8(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw notUtf8(`${name}:${placeOfBadByte(bytes)}`);
  }
}

/**
 * Reads bytes as JSON in UTF-8.
 *
 * @param name - what to call them in the error
 * @throws {Misuse} naming the place of what is wrong, and nothing of what stands there
 */
export function decodeJson(bytes: Uint8Array, name: string): unknown {
  const text = decodeUtf8(bytes, name);
  try {
    return parseJson(text, name);
  } catch (error) {
    throw error instanceof SyntaxError ? new Misuse(`${error.message}.`) : error;
  }
}

/** Says that there is a byte at a place, `<name>:<line>:<column>`, that is no UTF-8. */
export function notUtf8(place: string): Misuse {
  return new Misuse(`${place}: this is not UTF-8. Save it as UTF-8.`);
}

/** Line and column of the first byte that is no UTF-8. */
function placeOfBadByte(bytes: Uint8Array): string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const again = new TextEncoder().encode(decoder.decode(bytes));
  const differing = bytes.findIndex((byte, index) => byte !== again[index]);
  // As a stream: the bad character may begin like the mark that takes its place, and is held back then.
  const good = decoder.decode(differing === -1 ? bytes : bytes.subarray(0, differing), { stream: true });
  return lineAndColumn(good);
}
