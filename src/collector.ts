import type { Sink, Source } from "./body.ts";
import { concatenate } from "./concatenate.ts";
import type { Bytes } from "./platform-types.ts";

/** A promised length is a claim: up to here it is believed and allocated at once, beyond it the bytes must come first. */
const maxBelievedBytes = 256 * 1024 * 1024;

/** Collects a document in memory: one allocation where its length is known. */
export class Collector implements Sink {
  readonly isStream = false;
  readonly #source: Source;
  readonly #promisedBytes: number | undefined;
  readonly #maxBytes: number;
  readonly #oversized: () => unknown;
  readonly #resolve: (bytes: Bytes) => void;
  readonly #reject: (error: unknown) => void;
  #whole: Bytes | undefined;
  #chunks: Uint8Array[] = [];
  #length = 0;

  /**
   * @param source - where the bytes come from
   * @param expected - how many the answer promises, how many there may be, and the error for more
   * @param resolve - gets the bytes, which own their memory
   * @param reject - gets what went wrong
   */
  constructor(
    source: Source,
    expected: { promisedBytes: number | undefined; maxBytes: number; oversized: () => unknown },
    resolve: (bytes: Bytes) => void,
    reject: (error: unknown) => void,
  ) {
    this.#source = source;
    this.#promisedBytes = expected.promisedBytes;
    this.#maxBytes = expected.maxBytes;
    this.#oversized = expected.oversized;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  write(chunk: Uint8Array): boolean {
    const promised = this.#promisedBytes;
    if (
      this.#length + chunk.length > this.#maxBytes ||
      (promised !== undefined && promised > this.#maxBytes)
    ) {
      this.#source.cancel(this.#oversized());
      return false;
    }
    if (this.#length === 0 && promised !== undefined && promised <= maxBelievedBytes) {
      this.#whole = new Uint8Array(promised);
    }
    if (this.#whole && this.#length + chunk.length > this.#whole.length) this.#stopBelieving(this.#whole);
    if (this.#whole) this.#whole.set(chunk, this.#length);
    else this.#chunks.push(chunk);
    this.#length += chunk.length;
    return true;
  }

  end(): void {
    this.#resolve(this.#whole ?? concatenate(this.#chunks));
  }

  /** More came than was promised: HTTP cannot do that, but a `fetch` of somebody's own can. */
  #stopBelieving(whole: Bytes): void {
    this.#chunks = [whole.subarray(0, this.#length)];
    this.#whole = undefined;
  }

  fail(error: unknown): void {
    this.#whole = undefined;
    this.#chunks = [];
    this.#reject(error);
  }
}
