// @ts-check
import { ask } from "./client.mjs";

/**
 * How many bytes a cut takes away from the end of a document.
 *
 * @type {readonly { name: string, lose: (length: number, random: () => number) => number }[]}
 */
const losses = [
  { name: "a random place", lose: (length, random) => 1 + Math.floor(random() * (length - 1)) },
  { name: "at 90 %", lose: (length) => Math.ceil(length / 10) },
  { name: "at 99 %", lose: (length) => Math.ceil(length / 100) },
  ...[1025, 1024, 512, 256, 128, 64, 32, 16, 10, 8, 7, 6, 5, 4, 3, 2, 1].map((bytes) => ({
    name: `the last ${bytes.toLocaleString("en")} B`,
    lose: () => bytes,
  })),
];

/**
 * @typedef {object} Tally
 * @property {number} tried
 * @property {number} detected - without a content-length
 * @property {number} harmless - what was lost follows the last `%%EOF`
 * @property {number} missed - accepted, and something was lost
 * @property {number} promised - detected with the content-length of the whole
 */

/** @param {Buffer} bytes */
export function hasOneEnd(bytes) {
  return bytes.indexOf("%%EOF") === bytes.lastIndexOf("%%EOF");
}

/** Cuts documents, and counts how often the client tells. */
export class Cuts {
  /** @type {Map<string, Tally>} */
  tallies = new Map(
    losses.map(({ name }) => [name, { tried: 0, detected: 0, harmless: 0, missed: 0, promised: 0 }]),
  );

  /**
   * @param {Buffer} bytes - an accepted document
   * @param {() => number} random
   */
  async try(bytes, random) {
    const end = bytes.lastIndexOf("%%EOF") + "%%EOF".length;
    for (const { name, lose } of losses) {
      const kept = bytes.length - lose(bytes.length, random);
      const tally = this.tallies.get(name);
      if (kept <= 0 || tally === undefined) continue;
      const cut = bytes.subarray(0, kept);
      // Large chunks: that the chunking changes nothing is shown by the whole documents.
      const chunkSize = () => 1024 * 1024;
      const plain = await ask(cut, { chunkSize });
      const promised = await ask(cut, { chunkSize, contentLength: bytes.length });
      tally.tried++;
      if ("refusal" in plain) tally.detected++;
      else if (kept >= end) tally.harmless++;
      else tally.missed++;
      if ("refusal" in promised) tally.promised++;
    }
  }
}
