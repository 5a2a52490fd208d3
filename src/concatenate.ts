import type { Bytes } from "./platform-types.ts";

/** Joins chunks into bytes that own their memory: always a copy, of one chunk, too. */
export function concatenate(chunks: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
