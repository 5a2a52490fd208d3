import type { Bytes } from "../runtime/platform-types.ts";

/** Smaller chunks are merged, because every chunk has a fixed overhead. */
export const smallestChunkBytes = 4096;

/** Merges small chunks, so that memory does not depend on chunk size. */
class ChunkGatherer {
  /** Room for what is too small to be forwarded. */
  #block: Bytes | undefined;
  #length = 0;

  /**
   * Takes the next chunk.
   *
   * @returns what can be forwarded now: the chunk itself, or a copy of it and of the small ones before it
   */
  add(chunk: Uint8Array): Uint8Array | undefined {
    const length = this.#length + chunk.length;
    if (length >= smallestChunkBytes) {
      if (this.#length === 0) return chunk;
      const gathered = new Uint8Array(length);
      gathered.set(this.#gathered());
      gathered.set(chunk, this.#length);
      this.#length = 0;
      return gathered;
    }
    this.#block ??= new Uint8Array(smallestChunkBytes);
    this.#block.set(chunk, this.#length);
    this.#length = length;
    return undefined;
  }

  /** Returns what is left at the end. */
  end(): Bytes | undefined {
    if (this.#length === 0) return undefined;
    const rest = this.#gathered().slice();
    this.#length = 0;
    return rest;
  }

  #gathered(): Bytes {
    return this.#block?.subarray(0, this.#length) as Bytes;
  }
}

/** Forwards the first chunk immediately, and merges later small chunks once per turn of the event loop. */
export class ChunkRelay {
  readonly #gatherer = new ChunkGatherer();
  readonly #forward: (chunk: Uint8Array) => void;
  readonly #wantsMore: () => boolean;
  #hasBegun = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What set the timer. One that was set by fake timers is lost when these are removed. */
  #setTimeout: typeof setTimeout | undefined;

  /**
   * @param forward - takes a chunk
   * @param wantsMore - whether the reader can take more now
   */
  constructor(forward: (chunk: Uint8Array) => void, wantsMore: () => boolean) {
    this.#forward = forward;
    this.#wantsMore = wantsMore;
  }

  /** Takes the next chunk; `false` asks to wait. */
  write(chunk: Uint8Array): boolean {
    const next = this.#hasBegun ? this.#gatherer.add(chunk) : chunk;
    this.#hasBegun = true;
    if (next) {
      this.drop();
      this.#forward(next);
    } else if (this.#timer === undefined || this.#setTimeout !== setTimeout) {
      this.#setTimeout = setTimeout;
      this.#timer = setTimeout(() => this.flush(), 0);
    }
    return this.#wantsMore();
  }

  /** Forwards what is left, at the end or before. */
  flush(): void {
    this.drop();
    const rest = this.#gatherer.end();
    if (rest) this.#forward(rest);
  }

  /** Forwards nothing until the next chunk. */
  drop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** The most unused buffer memory that a list may keep alive in addition to the size of its bytes. */
const maxUnusedBytes = 128 * 1024;

/** Bytes in the order in which they came. It holds at most about twice as much memory. */
export class ChunkList {
  /** How many bytes it has. */
  byteLength = 0;
  readonly #gatherer = new ChunkGatherer();
  #chunks: Uint8Array[] = [];
  /** How much memory the chunks hold. */
  #heldBytes = 0;
  #lastBuffer: ArrayBufferLike | undefined;

  add(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    // Of most documents the first chunk is the only one, and need not be copied.
    const next = this.byteLength === 0 ? chunk : this.#gatherer.add(chunk);
    this.byteLength += chunk.length;
    if (next) this.#keep(next);
  }

  /** Returns the chunks and empties the list. */
  take(): Uint8Array[] {
    const rest = this.#gatherer.end();
    if (rest) this.#chunks.push(rest);
    const chunks = this.#chunks;
    this.byteLength = 0;
    this.#chunks = [];
    this.#heldBytes = 0;
    this.#lastBuffer = undefined;
    return chunks;
  }

  /** Returns the bytes as one piece that owns its memory, and empties the list. */
  concatenate(): Bytes {
    const whole = new Uint8Array(this.byteLength);
    let at = 0;
    for (const chunk of this.take()) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    return whole;
  }

  #keep(chunk: Uint8Array): void {
    const { buffer } = chunk;
    const addedBytes = buffer === this.#lastBuffer ? 0 : buffer.byteLength;
    const isWorthIt = this.#heldBytes + addedBytes <= 2 * this.byteLength + maxUnusedBytes;
    this.#chunks.push(isWorthIt ? chunk : chunk.slice());
    this.#heldBytes += isWorthIt ? addedBytes : chunk.length;
    if (isWorthIt) this.#lastBuffer = buffer;
  }
}
