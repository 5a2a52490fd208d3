import type { Body, Sink } from "../call/body.ts";
import { ChunkList } from "../call/chunks.ts";
import { rejectWithCaller } from "../errors/caller-stack.ts";
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

/** The class of a sink that produces a `T`. */
export type MemorySinkClass<T> = new (...parts: ConstructorParameters<typeof MemorySink<T>>) => MemorySink<T>;

/** Collects a document in memory. */
abstract class MemorySink<T> implements Sink {
  readonly isStream = false;
  protected readonly limits: Limits;
  protected length = 0;
  protected chunks: ChunkList | undefined;
  readonly #body: Body;
  readonly #resolve: (whole: T | Promise<never>) => void;

  /** @param resolve - settles the output's promise */
  constructor(body: Body, limits: Limits, resolve: (whole: T | Promise<never>) => void) {
    this.#body = body;
    this.limits = limits;
    this.#resolve = resolve;
  }

  write(chunk: Uint8Array): boolean {
    const { contentLength = 0, maxBytes, oversized } = this.limits;
    if (this.length + chunk.length > maxBytes || contentLength > maxBytes) {
      this.#body.cancel(oversized());
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
      // The allocation may fail.
      rejectWithCaller(this.#resolve, error);
    }
  }

  fail(error: unknown): void {
    this.drop();
    rejectWithCaller(this.#resolve, error);
  }

  protected abstract make(): T;

  protected keep(chunk: Uint8Array): void {
    this.chunks ??= new ChunkList();
    this.chunks.add(chunk);
  }

  protected drop(): void {
    this.chunks = undefined;
  }
}

/** Collects bytes that own their memory, in one allocation if the length is known. */
export class BytesSink extends MemorySink<Bytes> {
  #whole: Bytes | undefined;

  protected override keep(chunk: Uint8Array): void {
    const { contentLength: promised = Number.POSITIVE_INFINITY } = this.limits;
    if (this.length === 0 && promised === chunk.length) {
      // A single chunk: copying it is faster than allocating first.
      this.#whole = new Uint8Array(chunk);
      return;
    }
    if (this.length === 0 && promised <= maxBelievedBytes) this.#whole = new Uint8Array(promised);
    if (this.#whole && this.length + chunk.length <= this.#whole.length) {
      return this.#whole.set(chunk, this.length);
    }
    // More bytes arrived than declared. HTTP prevents that, but a custom `fetch` does not.
    if (this.#whole) super.keep(this.#whole.subarray(0, this.length));
    this.#whole = undefined;
    super.keep(chunk);
  }

  protected override make(): Bytes {
    return this.#whole ?? this.chunks?.concatenate() ?? new Uint8Array();
  }

  protected override drop(): void {
    super.drop();
    this.#whole = undefined;
  }
}

/** Collects a `Blob`. A `Blob` copies its parts, so only small chunks are merged first. */
export class BlobSink extends MemorySink<Blob> {
  protected override make(): Blob {
    // These are not in shared memory, because they come from a socket or from `fetch`.
    return new Blob((this.chunks?.take() ?? []) as Bytes[], { type: "application/pdf" });
  }
}
