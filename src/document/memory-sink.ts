import type { Body, Sink } from "../call/body.ts";
import { ChunkList } from "../call/chunks.ts";
import type { Bytes } from "../runtime/platform-types.ts";

/**
 * The declared length may be wrong. Up to this size, memory is allocated at once. Beyond it, memory grows
 * with the received bytes.
 */
const maxBelievedBytes = 256 * 1024 * 1024;

/** The declared and allowed size of a document. */
interface Limits {
  /** The number of bytes that the response declares. */
  readonly contentLength: number | undefined;
  readonly maxBytes: number;
  oversized(): unknown;
}

/** Collects a document as bytes that own their memory, in one allocation if the length is known. */
export class MemorySink implements Sink {
  readonly isStream = false;
  readonly #body: Body;
  readonly #limits: Limits;
  readonly #resolve: (whole: Bytes) => void;
  readonly #reject: (error: unknown) => void;
  #length = 0;
  /** The memory for a document of the declared length. */
  #whole: Bytes | undefined;
  /** The bytes of a document whose length was not declared, or not believed. */
  #chunks: ChunkList | undefined;

  constructor(body: Body, limits: Limits, resolve: (whole: Bytes) => void, reject: (error: unknown) => void) {
    this.#body = body;
    this.#limits = limits;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  write(chunk: Uint8Array): boolean {
    const { contentLength = 0, maxBytes, oversized } = this.#limits;
    if (this.#length + chunk.length > maxBytes || contentLength > maxBytes) {
      this.#body.cancel(oversized());
      return false;
    }
    this.#keep(chunk);
    this.#length += chunk.length;
    return true;
  }

  end(): void {
    try {
      this.#resolve(this.#whole ?? this.#chunks?.concatenate() ?? new Uint8Array());
    } catch (error) {
      // The allocation may fail.
      this.#reject(error);
    }
  }

  fail(error: unknown): void {
    this.#whole = undefined;
    this.#chunks = undefined;
    this.#reject(error);
  }

  #keep(chunk: Uint8Array): void {
    const { contentLength: promised = Number.POSITIVE_INFINITY } = this.#limits;
    if (this.#length === 0 && promised === chunk.length) {
      // A single chunk: copying it is faster than allocating first.
      this.#whole = new Uint8Array(chunk);
      return;
    }
    if (this.#length === 0 && promised <= maxBelievedBytes) this.#whole = new Uint8Array(promised);
    if (this.#whole && this.#length + chunk.length <= this.#whole.length) {
      return this.#whole.set(chunk, this.#length);
    }
    this.#chunks ??= new ChunkList();
    // More bytes arrived than declared. HTTP prevents that, but a custom `fetch` does not.
    if (this.#whole) this.#chunks.add(this.#whole.subarray(0, this.#length));
    this.#whole = undefined;
    this.#chunks.add(chunk);
  }
}
