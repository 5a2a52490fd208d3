import type { Sink, Source } from "../call/body.ts";
import { ChunkList } from "../call/chunks.ts";
import { rejectWithCaller } from "../errors/caller-stack.ts";
import type { Bytes } from "../runtime/platform-types.ts";

/** A promised length is a claim: up to here it is believed and allocated at once, beyond it the bytes must come first. */
const maxBelievedBytes = 256 * 1024 * 1024;

/** What is known of a document before its bytes. */
interface Expected {
  /** How many bytes the answer promises. */
  readonly promisedBytes: number | undefined;
  /** How many there may be. */
  readonly maxBytes: number;
  /** Makes the error for more. */
  oversized(): unknown;
}

/** Makes what collects a document as a `T`. */
export type CollectorClass<T> = new (...parts: ConstructorParameters<typeof Collector<T>>) => Collector<T>;

/** Collects a document in memory, as far as that may grow. */
abstract class Collector<T> implements Sink {
  readonly isStream = false;
  protected readonly expected: Expected;
  protected length = 0;
  readonly #source: Source;
  readonly #resolve: (whole: T | Promise<never>) => void;

  /**
   * @param source - where the bytes come from
   * @param resolve - settles the promise of what is made of them
   */
  constructor(source: Source, expected: Expected, resolve: (whole: T | Promise<never>) => void) {
    this.#source = source;
    this.expected = expected;
    this.#resolve = resolve;
  }

  write(chunk: Uint8Array): boolean {
    const { promisedBytes: promised, maxBytes } = this.expected;
    if (this.length + chunk.length > maxBytes || (promised !== undefined && promised > maxBytes)) {
      this.#source.cancel(this.expected.oversized());
      return false;
    }
    this.keep(chunk);
    this.length += chunk.length;
    return true;
  }

  end(): void {
    try {
      this.#resolve(this.make());
    } catch (error) {
      // There may be no memory left for it.
      rejectWithCaller(this.#resolve, error);
    }
  }

  fail(error: unknown): void {
    this.drop();
    rejectWithCaller(this.#resolve, error);
  }

  protected abstract keep(chunk: Uint8Array): void;
  protected abstract make(): T;
  protected abstract drop(): void;
}

/** Collects bytes that own their memory: one allocation where their length is known. */
export class BytesCollector extends Collector<Bytes> {
  #whole: Bytes | undefined;
  #chunks: ChunkList | undefined;

  protected override keep(chunk: Uint8Array): void {
    const { promisedBytes: promised } = this.expected;
    if (this.length === 0 && promised === chunk.length) {
      // In one piece: a copy is made faster than room for it.
      this.#whole = new Uint8Array(chunk);
      return;
    }
    if (this.length === 0 && promised !== undefined && promised <= maxBelievedBytes) {
      this.#whole = new Uint8Array(promised);
    }
    if (this.#whole && this.length + chunk.length > this.#whole.length) this.#stopBelieving(this.#whole);
    if (this.#whole) {
      this.#whole.set(chunk, this.length);
      return;
    }
    this.#chunks ??= new ChunkList();
    this.#chunks.add(chunk);
  }

  protected override make(): Bytes {
    return this.#whole ?? this.#chunks?.concatenate() ?? new Uint8Array();
  }

  protected override drop(): void {
    this.#whole = undefined;
    this.#chunks = undefined;
  }

  /** More came than was promised: HTTP cannot do that, but a `fetch` of somebody's own can. */
  #stopBelieving(whole: Bytes): void {
    this.#chunks = new ChunkList();
    this.#chunks.add(whole.subarray(0, this.length));
    this.#whole = undefined;
  }
}

/** Collects a `Blob`, which copies what it is made of: so only small chunks are copied before. */
export class BlobCollector extends Collector<Blob> {
  readonly #chunks = new ChunkList();

  protected override keep(chunk: Uint8Array): void {
    this.#chunks.add(chunk);
  }

  protected override make(): Blob {
    // No part of shared memory: they came from a socket or from `fetch`.
    return new Blob(this.#chunks.take() as Bytes[], { type: "application/pdf" });
  }

  protected override drop(): void {
    this.#chunks.take();
  }
}
