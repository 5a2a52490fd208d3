import { hash } from "node:crypto";

/** How many 32-bit words of SHA-256 are kept: 96 bits, of which no two of a run will be alike by chance. */
export const hashWords = 3;

/** A finished job: the words of its key's hash, then those of its input's. */
export type JobRecord = Uint32Array;

export function newRecord(): JobRecord {
  return new Uint32Array(2 * hashWords);
}

/** The bytes of a record, in the same memory. */
export function bytesOf(record: JobRecord): Buffer {
  return Buffer.from(record.buffer, record.byteOffset, record.byteLength);
}

/** UTF-8, in which a text is hashed, has one and the same replacement for every half of a surrogate pair. */
const half = /\p{Surrogate}/u;

/**
 * Hashes a job into a record.
 *
 * @param salt - the journal's own: what is hashed are values, and few have a hash that nobody knows
 */
export function hashJob(salt: string, key: string, input: string, record: JobRecord): void {
  hashText(`${salt} key`, key, record, 0);
  hashText(`${salt} input`, input, record, hashWords);
}

/** Names a journal without telling its salt. */
export function idOf(salt: string): string {
  return hash("sha256", `${salt} id`).slice(0, 16);
}

function hashText(prefix: string, text: string, record: JobRecord, at: number): void {
  const exact = half.test(text) ? ` escaped ${JSON.stringify(text)}` : ` ${text}`;
  const digest = hash("sha256", prefix + exact, "buffer");
  for (let word = 0; word < hashWords; word++) record[at + word] = digest.readUInt32LE(4 * word);
}
