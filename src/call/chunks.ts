import type { Bytes } from "../runtime/platform-types.ts";
import { nextLoopTurn } from "../runtime/timers.ts";

/** Smaller chunks are merged, because every chunk has a fixed overhead. */
export const smallestChunkBytes = 4096;

/** The maximum amount of unused buffer memory that a list may keep alive, in addition to the size of its bytes. */
const maxUnusedBytes = 128 * 1024;

/** A list of bytes that takes at most about twice their size in memory, for chunks of any size. */
export class ChunkList {
  /** The number of bytes. */
  byteLength = 0;
  #chunks: Uint8Array[] = [];
  /** Small chunks, until they fill a block. */
  #block: Bytes | undefined;
  #blockLength = 0;
  /** The memory that the chunks hold, in bytes. */
  #heldBytes = 0;
  #lastBuffer: ArrayBufferLike | undefined;

  add(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    // Most documents have a single chunk, which need not be copied.
    const isSmall = chunk.length < smallestChunkBytes && this.byteLength > 0;
    this.byteLength += chunk.length;
    if (!isSmall || this.#blockLength + chunk.length > smallestChunkBytes) this.#closeBlock();
    if (!isSmall) return this.#keep(chunk);
    this.#block ??= new Uint8Array(smallestChunkBytes);
    this.#block.set(chunk, this.#blockLength);
    this.#blockLength += chunk.length;
  }

  /** Returns the chunks and empties the list. */
  take(): Uint8Array[] {
    this.#closeBlock();
    const chunks = this.#chunks;
    this.byteLength = 0;
    this.#chunks = [];
    this.#heldBytes = 0;
    this.#lastBuffer = undefined;
    return chunks;
  }

  /** Returns the bytes as a single array that owns its memory, and empties the list. */
  concatenate(): Bytes {
    const whole = new Uint8Array(this.byteLength);
    let at = 0;
    for (const chunk of this.take()) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    return whole;
  }

  #closeBlock(): void {
    if (this.#block && this.#blockLength > 0) this.#chunks.push(this.#block.slice(0, this.#blockLength));
    this.#blockLength = 0;
  }

  #keep(chunk: Uint8Array): void {
    const { buffer } = chunk;
    const addedBytes = buffer === this.#lastBuffer ? 0 : buffer.byteLength;
    const isWorthIt = this.#heldBytes + addedBytes <= 2 * this.byteLength + maxUnusedBytes;
    // Not `slice()`, which returns a view for a Buffer.
    this.#chunks.push(isWorthIt ? chunk : new Uint8Array(chunk));
    this.#heldBytes += isWorthIt ? addedBytes : chunk.length;
    if (isWorthIt) this.#lastBuffer = buffer;
  }
}

/** Forwards the first chunk immediately, and merges later small chunks once per iteration of the event loop. */
export class ChunkRelay {
  readonly #waiting = new ChunkList();
  readonly #forward: (chunk: Uint8Array) => void;
  /** Whether the reader can take more now. */
  readonly #wantsMore: () => boolean;
  #hasBegun = false;
  #isScheduled = false;

  constructor(forward: (chunk: Uint8Array) => void, wantsMore: () => boolean) {
    this.#forward = forward;
    this.#wantsMore = wantsMore;
  }

  /** Takes the next chunk. Returns `false` to pause. */
  write(chunk: Uint8Array): boolean {
    this.#waiting.add(chunk);
    if (!this.#hasBegun || this.#waiting.byteLength >= smallestChunkBytes) this.flush();
    else if (!this.#isScheduled) void this.#flushLater();
    this.#hasBegun = true;
    return this.#wantsMore();
  }

  /** Forwards the remaining bytes. */
  flush(): void {
    for (const chunk of this.#waiting.take()) this.#forward(chunk);
  }

  /** Forgets the remaining bytes. */
  drop(): void {
    this.#waiting.take();
  }

  async #flushLater(): Promise<void> {
    this.#isScheduled = true;
    await nextLoopTurn();
    this.#isScheduled = false;
    this.flush();
  }
}
