// A document of any size that nobody has to hold: one block over and over, between the marks of a PDF.
import { createReadStream } from "node:fs";

const header = Buffer.from("%PDF-1.7\n");
const trailer = Buffer.from("\n%%EOF\n");

/** Of an odd length, so that no two buffers on the way ever begin alike. */
const block = Buffer.alloc(1024 * 1024 - 7);
for (let at = 0, state = 0x2545f491; at < block.length; at++) {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  block[at] = state & 0xff;
}

/** The document, piece by piece. */
export function* piecesOf(size) {
  yield header;
  let left = size - header.length - trailer.length;
  for (; left > block.length; left -= block.length) yield block;
  yield block.subarray(0, left);
  yield trailer;
}

/** Whether a file holds exactly this document. */
export async function isWhole(path, size) {
  const expected = piecesOf(size);
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    for (let at = 0; at < chunk.length; ) {
      if (rest.length === 0) rest = expected.next().value ?? Buffer.alloc(0);
      const length = Math.min(rest.length, chunk.length - at);
      if (length === 0 || rest.compare(chunk, at, at + length, 0, length) !== 0) return false;
      rest = rest.subarray(length);
      at += length;
    }
  }
  return rest.length === 0 && expected.next().done === true;
}
