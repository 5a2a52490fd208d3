import { hashWords, type JobRecord } from "./salted-hash.ts";

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

  /** The place of the record's key; -1 where it is not known. */
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
    const page = this.#pageOf(place);
    const at = offsetOf(place);
    for (let word = hashWords; word < indexWord; word++) {
      if (page[at + word] !== record[word]) return false;
    }
    return true;
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
      if (place === -1 || this.#hasKey(place, words, from)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #hasKey(place: number, words: Uint32Array, from: number): boolean {
    const page = this.#pageOf(place);
    const at = offsetOf(place);
    for (let word = 0; word < hashWords; word++) {
      if (page[at + word] !== words[from + word]) return false;
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
