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

/** Hashes a job into a record, with the salt of its journal: of values, few have a hash that nobody knows. */
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

/** The words of an entry: a record, and the index of the job that entered it in this run. */
const entryWords = 2 * hashWords + 1;
const indexWord = 2 * hashWords;
/** The index of an entry that no job of this run has entered. */
const none = 0xffff_ffff;

/** Entries lie in pages, so that growing copies none of them. */
const pageBits = 13;
const entriesInPage = 1 << pageBits;

/**
 * What is known of every key: 36 to 45 bytes each, because a run may have a million of them. A key has a place, counted
 * from 0 in the order of adding.
 */
export class KeyTable {
  /** Open addressing: each slot is empty (0) or holds a place + 1. */
  #slots = new Uint32Array(1024);
  readonly #pages: Uint32Array[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The place of the record's key; -1 where there is none. */
  find(record: JobRecord): number {
    return (this.#slots[this.#slotOf(record, 0)] as number) - 1;
  }

  /** Adds a record whose key is not known; returns its place. */
  add(record: JobRecord): number {
    if (this.#size >= this.#slots.length * 0.75) this.#grow();
    const place = this.#size++;
    if (place >> pageBits === this.#pages.length) {
      this.#pages.push(new Uint32Array(entriesInPage * entryWords));
    }
    const page = this.#pageOf(place);
    const at = offsetOf(place);
    page.set(record, at);
    page[at + indexWord] = none;
    this.#slots[this.#slotOf(record, 0)] = place + 1;
    return place;
  }

  /** Puts a record in, in place of another with its key; returns its place. */
  put(record: JobRecord): number {
    const known = this.find(record);
    if (known === -1) return this.add(record);
    this.setInput(known, record);
    return known;
  }

  /** Puts the record's input in the stead of that of its key. */
  setInput(place: number, record: JobRecord): void {
    this.#pageOf(place).set(record.subarray(hashWords), offsetOf(place) + hashWords);
  }

  hasInput(place: number, record: JobRecord): boolean {
    return this.#hasWords(place, record, hashWords, hashWords);
  }

  /** How many keys have that record's input. */
  countWithInput(record: JobRecord): number {
    let count = 0;
    for (let place = 0; place < this.#size; place++) count += Number(this.hasInput(place, record));
    return count;
  }

  /** The record at a place, which changes with the table. */
  recordAt(place: number): JobRecord {
    const at = offsetOf(place);
    return this.#pageOf(place).subarray(at, at + indexWord);
  }

  /** The index of the job that entered the key in this run. */
  indexAt(place: number): number | undefined {
    const index = this.#pageOf(place)[offsetOf(place) + indexWord] as number;
    return index === none ? undefined : index;
  }

  setIndex(place: number, index: number): void {
    this.#pageOf(place)[offsetOf(place) + indexWord] = index;
  }

  /** The slot of a key, or the empty one where it belongs. The key's words begin at a place in `words`. */
  #slotOf(words: Uint32Array, from: number): number {
    const mask = this.#slots.length - 1;
    // A hash is as random as any: its first word is as good as all.
    let slot = (words[from] as number) & mask;
    for (;;) {
      const place = (this.#slots[slot] as number) - 1;
      if (place === -1 || this.#hasWords(place, words, from, 0)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  /** Whether the words of an entry, from its `at`th on, are those that begin at a place in `words`. */
  #hasWords(place: number, words: Uint32Array, from: number, at: number): boolean {
    const page = this.#pageOf(place);
    const start = offsetOf(place) + at;
    for (let word = 0; word < hashWords; word++) {
      if (page[start + word] !== words[from + word]) return false;
    }
    return true;
  }

  #grow(): void {
    this.#slots = new Uint32Array(2 * this.#slots.length);
    for (let place = 0; place < this.#size; place++) {
      this.#slots[this.#slotOf(this.#pageOf(place), offsetOf(place))] = place + 1;
    }
  }

  #pageOf(place: number): Uint32Array {
    return this.#pages[place >> pageBits] as Uint32Array;
  }
}

function offsetOf(place: number): number {
  return (place & (entriesInPage - 1)) * entryWords;
}
