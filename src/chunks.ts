import type { Bytes } from "./platform-types.ts";

/** What a chunk may cost beside its bytes is little compared with this; smaller ones are copied together. */
const smallestChunkBytes = 4096;

/** Copies small chunks together, so that a body takes no more memory the finer it is cut. */
export class ChunkGatherer {
  /** Room for what is too small to be handed on. */
  #block: Bytes | undefined;
  #length = 0;

  /**
   * Takes the next chunk.
   *
   * @returns what can be handed on now: the chunk itself, or a copy of it and of the small ones before it
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

  /** Hands on what is left at the end. */
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

/** Hands on a body chunk by chunk: the first at once, small ones after it together, when the event loop comes round. */
export class ChunkRelay {
  readonly #gatherer = new ChunkGatherer();
  readonly #handOn: (chunk: Uint8Array) => boolean;
  #hasBegun = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param handOn - takes a chunk; `false` asks to wait */
  constructor(handOn: (chunk: Uint8Array) => boolean) {
    this.#handOn = handOn;
  }

  write(chunk: Uint8Array): boolean {
    const next = this.#hasBegun ? this.#gatherer.add(chunk) : chunk;
    this.#hasBegun = true;
    if (next) return this.#handOn(next);
    this.#timer ??= setTimeout(() => this.flush(), 0);
    return true;
  }

  /** Hands on what is left, at the end or before. */
  flush(): void {
    this.drop();
    const rest = this.#gatherer.end();
    if (rest) this.#handOn(rest);
  }

  /** Hands on nothing more. */
  drop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** Chunks are slices of what was read at once. How much of that may be held for nothing, beside as much as is used. */
const maxUnusedBytes = 128 * 1024;

/** Bytes in the order in which they came; it holds at most about twice as much memory, however they are cut. */
export class ChunkList {
  /** How many bytes it has. */
  byteLength = 0;
  readonly #gatherer = new ChunkGatherer();
  #chunks: Uint8Array[] = [];
  /** How much memory the chunks hold. */
  #heldBytes = 0;
  #lastBuffer: ArrayBufferLike | undefined;

  add(chunk: Uint8Array): void {
    // Of most documents the first chunk is the only one, and need not be copied.
    const next = this.byteLength === 0 ? chunk : this.#gatherer.add(chunk);
    this.byteLength += chunk.length;
    if (next) this.#keep(next);
  }

  /** Gives the chunks away, and is empty. */
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

  /** Gives the bytes away as one piece that owns its memory, and is empty. */
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
