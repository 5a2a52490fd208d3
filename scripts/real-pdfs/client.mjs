// @ts-check
import { TemplatePdf } from "template-pdf";

/**
 * Asks the public client for a document whose body is `bytes`, as a service would send it.
 *
 * @param {Uint8Array} bytes
 * @param {object} how
 * @param {() => number} how.chunkSize - how many bytes the next chunk has
 * @param {number} [how.contentLength] - what the answer promises; without it, nothing
 * @returns {Promise<{ pdf: Uint8Array } | { refusal: Error }>}
 */
export async function ask(bytes, { chunkSize, contentLength }) {
  const headers = new Headers({ "content-type": "application/pdf" });
  if (contentLength !== undefined) headers.set("content-length", String(contentLength));
  const client = new TemplatePdf({
    baseUrl: "http://127.0.0.1",
    apiKey: "none-needed",
    // A cut document would be asked for again.
    retry: false,
    fetch: async () => new Response(inChunks(bytes, chunkSize), { headers }),
  });
  try {
    return { pdf: await client.generate("real", {}).bytes() };
  } catch (refusal) {
    if (refusal instanceof Error) return { refusal };
    throw refusal;
  }
}

/**
 * @param {Uint8Array} bytes
 * @param {() => number} chunkSize
 * @returns {ReadableStream<Uint8Array>}
 */
function inChunks(bytes, chunkSize) {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at < bytes.length) {
        const chunk = bytes.subarray(at, at + chunkSize());
        at += chunk.length;
        // A copy: whoever reads a chunk may do with it what they like.
        controller.enqueue(new Uint8Array(chunk));
      } else controller.close();
    },
  });
}

/**
 * Chunk sizes that differ from document to document, and are the same again in the next run.
 *
 * @param {() => number} random
 * @param {number} length - of the document
 * @returns {() => number} mostly like packets, now and then a single byte, and at most some 1,000 chunks
 */
export function randomChunkSizes(random, length) {
  const largest = Math.max(64, Math.min(65_536, 2 * Math.ceil(length / 500)));
  return () => (random() < 0.1 ? 1 : 1 + Math.floor(random() * largest));
}

/**
 * @param {number} seed
 * @returns {() => number} from 0 to 1: mulberry32
 */
export function seededRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
