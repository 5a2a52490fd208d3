import { lineAndColumn, parseJson } from "../json/json-text.ts";
import { Misuse } from "./failure.ts";

/**
 * Decodes UTF-8.
 *
 * @param name - the name of the source in error messages, for example its path
 * @throws {Misuse} with the position of the first invalid byte
 */
export function decodeUtf8(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw notUtf8(`${name}:${invalidBytePosition(bytes)}`);
  }
}

/**
 * Parses JSON in UTF-8.
 *
 * @param name - the name of the source in error messages
 * @throws {Misuse} with the position of the error, but without the content
 */
export function decodeJson(bytes: Uint8Array, name: string): unknown {
  const text = decodeUtf8(bytes, name);
  try {
    return parseJson(text, name);
  } catch (error) {
    throw error instanceof SyntaxError ? new Misuse(`${error.message}.`) : error;
  }
}

/** @param place - the position of the invalid byte: `<name>:<line>:<column>` */
export function notUtf8(place: string): Misuse {
  return new Misuse(`${place}: this is not UTF-8. Save it as UTF-8.`);
}

/** Returns the line and column of the first byte that is not valid UTF-8. */
function invalidBytePosition(bytes: Uint8Array): string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const roundTripped = new TextEncoder().encode(decoder.decode(bytes));
  const differing = bytes.findIndex((byte, index) => byte !== roundTripped[index]);
  // `stream: true` holds back the start of the invalid character if its first bytes equal those of the replacement character.
  const good = decoder.decode(differing === -1 ? bytes : bytes.subarray(0, differing), { stream: true });
  return lineAndColumn(good);
}
