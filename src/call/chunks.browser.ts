import type { Bytes } from "../runtime/platform-types.ts";

export const smallestChunkBytes = 4096;

/** The browser variant of `chunks.ts`: `fetch` in browsers delivers large chunks with separate buffers. */
export class ChunkList {
  byteLength = 0;
  #chunks: Uint8Array[] = [];

  add(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.byteLength += chunk.length;
  }

  take(): Uint8Array[] {
    this.byteLength = 0;
    return this.#chunks.splice(0);
  }

  concatenate(): Bytes {
    const whole = new Uint8Array(this.byteLength);
    let at = 0;
    for (const chunk of this.take()) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    return whole;
  }
}

export class ChunkRelay {
  readonly write: (chunk: Uint8Array) => boolean;

  constructor(forward: (chunk: Uint8Array) => void, wantsMore: () => boolean) {
    this.write = (chunk) => {
      forward(chunk);
      return wantsMore();
    };
  }

  flush(): void {}

  drop(): void {}
}
