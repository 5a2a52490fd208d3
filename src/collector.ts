import type { Sink, Source } from "./body.ts";
import { concatenate } from "./concatenate.ts";
import type { Bytes } from "./platform-types.ts";

/** A promised length is a claim: up to here it is believed and allocated at once, beyond it the bytes must come first. */
const maxBelievedBytes = 256 * 1024 * 1024;

/** What is known of a document before its bytes. */
export interface Expected {
  /** How many bytes the answer promises. */
  readonly promisedBytes: number | undefined;
  /** How many there may be. */
  readonly maxBytes: number;
  /** Makes the error for more. */
  oversized(): unknown;
}

/** Collects a document in memory: one allocation where its length is known. */
export class Collector implements Sink {
  readonly isStream = false;
  readonly #source: Source;
  readonly #expected: Expected;
  readonly #resolve: (bytes: Bytes) => void;
  readonly #reject: (error: unknown) => void;
  #whole: Bytes | undefined;
  #chunks: Uint8Array[] | undefined;
  #length = 0;

  /**
   * @param source - where the bytes come from
   * @param resolve - gets the bytes, which own their memory
   * @param reject - gets what went wrong
   */
  constructor(
    source: Source,
    expected: Expected,
    resolve: (bytes: Bytes) => void,
    reject: (error: unknown) => void,
  ) {
    this.#source = source;
    this.#expected = expected;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  write(chunk: Uint8Array): boolean {
    const { promisedBytes: promised, maxBytes } = this.#expected;
    if (this.#length + chunk.length > maxBytes || (promised !== undefined && promised > maxBytes)) {
      this.#source.cancel(this.#expected.oversized());
      return false;
    }
    if (this.#length === 0 && promised !== undefined && promised <= maxBelievedBytes) {
      this.#whole = new Uint8Array(promised);
    }
    if (this.#whole && this.#length + chunk.length > this.#whole.length) this.#stopBelieving(this.#whole);
    if (this.#whole) this.#whole.set(chunk, this.#length);
    else if (this.#chunks) this.#chunks.push(chunk);
    else this.#chunks = [chunk];
    this.#length += chunk.length;
    return true;
  }

  end(): void {
    this.#resolve(this.#whole ?? concatenate(this.#chunks ?? []));
  }

  /** More came than was promised: HTTP cannot do that, but a `fetch` of somebody's own can. */
  #stopBelieving(whole: Bytes): void {
    this.#chunks = [whole.subarray(0, this.#length)];
    this.#whole = undefined;
  }

  fail(error: unknown): void {
    this.#whole = undefined;
    this.#chunks = undefined;
    this.#reject(error);
  }
}
