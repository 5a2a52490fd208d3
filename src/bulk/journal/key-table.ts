import { hash } from "node:crypto";

/** The number of 32-bit words to keep from each SHA-256 hash: 96 bits, so that two jobs in a run do not collide by chance. */
export const hashWords = 3;

/** A finished job: the words of its key's hash, followed by those of its input's hash. */
export type JobRecord = Uint32Array;

export function newRecord(): JobRecord {
  return new Uint32Array(2 * hashWords);
}

/** Returns the bytes of a record, in the same memory. */
export function bytesOf(record: JobRecord): Buffer {
  return Buffer.from(record.buffer, record.byteOffset, record.byteLength);
}

/** Matches lone surrogates, which UTF-8 would all encode as the same replacement character. */
const half = /\p{Surrogate}/u;

/** Hashes a job into a record. The hashes include the journal's salt, because values are easy to guess. */
export function hashJob(salt: string, key: string, input: string, record: JobRecord): void {
  hashText(`${salt} key`, key, record, 0);
  hashText(`${salt} input`, input, record, hashWords);
}

/** Returns a journal id that does not reveal the salt. */
export function idOf(salt: string): string {
  return hash("sha256", `${salt} id`).slice(0, 16);
}

function hashText(prefix: string, text: string, record: JobRecord, at: number): void {
  const exact = half.test(text) ? ` escaped ${JSON.stringify(text)}` : ` ${text}`;
  const digest = hash("sha256", prefix + exact, "buffer");
  for (let word = 0; word < hashWords; word++) record[at + word] = digest.readUInt32LE(4 * word);
}

/** The number of words in an entry: a record, and the index of the job that entered it in this run. */
const entryWords = 2 * hashWords + 1;
const indexWord = 2 * hashWords;
/** The index of an entry that no job of this run has entered. */
const none = 0xffff_ffff;

/** Entries are stored in pages, so that the table can grow without copying them. */
const pageBits = 13;
const entriesInPage = 1 << pageBits;

/**
 * The state of every key. Each key takes only 36 to 45 bytes, because a run may have a million of them. A key's position is its
 * number, starting at 0, in the order in which keys were added.
 */
export class KeyTable {
  /** Open addressing: each slot is empty (0) or holds a position + 1. */
  #slots = new Uint32Array(1024);
  readonly #pages: Uint32Array[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns the position of the record's key, or -1. */
  find(record: JobRecord): number {
    return (this.#slots[this.#slotOf(record, 0)] as number) - 1;
  }

  /** Adds a record with a new key. Returns its position. */
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

  /** Adds a record, or replaces the one with the same key. Returns its position. */
  put(record: JobRecord): number {
    const known = this.find(record);
    if (known === -1) return this.add(record);
    this.setInput(known, record);
    return known;
  }

  /** Replaces the input of a key. */
  setInput(place: number, record: JobRecord): void {
    this.#pageOf(place).set(record.subarray(hashWords), offsetOf(place) + hashWords);
  }

  hasInput(place: number, record: JobRecord): boolean {
    return this.#hasWords(place, record, hashWords, hashWords);
  }

  /** Returns the number of keys with this input. */
  countWithInput(record: JobRecord): number {
    let count = 0;
    for (let place = 0; place < this.#size; place++) count += Number(this.hasInput(place, record));
    return count;
  }

  /** Returns a view of the record at a position. It changes with the table. */
  recordAt(place: number): JobRecord {
    const at = offsetOf(place);
    return this.#pageOf(place).subarray(at, at + indexWord);
  }

  /** Returns the index of the job that entered the key in this run. */
  indexAt(place: number): number | undefined {
    const index = this.#pageOf(place)[offsetOf(place) + indexWord] as number;
    return index === none ? undefined : index;
  }

  setIndex(place: number, index: number): void {
    this.#pageOf(place)[offsetOf(place) + indexWord] = index;
  }

  /** Returns the slot of a key, or the empty slot for it. The words of the key begin at index `from` in `words`. */
  #slotOf(words: Uint32Array, from: number): number {
    const mask = this.#slots.length - 1;
    // The first word of a hash is random enough.
    let slot = (words[from] as number) & mask;
    for (;;) {
      const place = (this.#slots[slot] as number) - 1;
      if (place === -1 || this.#hasWords(place, words, from, 0)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  /** Whether an entry's words, starting at index `at`, equal those in `words`, starting at `from`. */
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
