import type { Encoding } from "./encodings.ts";
import type { StoredBytes } from "./stored-bytes.ts";

/** Reads bytes from their beginning, without a byte order mark, as UTF-8 whatever they are written in. */
export async function* utf8Chunks(
  bytes: StoredBytes,
  { markBytes, startDecoding }: Encoding,
): AsyncGenerator<Uint8Array, void, undefined> {
  const decode = startDecoding?.();
  let skippedBytes = 0;
  for await (const chunk of bytes.chunks()) {
    const rest = chunk.subarray(markBytes - skippedBytes);
    skippedBytes = Math.min(markBytes, skippedBytes + chunk.length);
    yield decode ? Buffer.from(decode(rest)) : rest;
  }
  if (decode) yield Buffer.from(decode());
}
