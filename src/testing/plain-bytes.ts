import type { Bytes } from "../runtime/platform-types.ts";

/** Gives bytes with a memory of their own, as a `Response` takes them. Text stands for Latin-1. */
export function toPlainBytes(bytes: Uint8Array | string): Bytes {
  // Not `slice`: of a Buffer that would be no copy.
  return typeof bytes === "string"
    ? Uint8Array.from(bytes, (character) => character.charCodeAt(0))
    : new Uint8Array(bytes);
}
