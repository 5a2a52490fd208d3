import type { Transform } from "node:stream";

type Zlib = typeof import("node:zlib");

/** The content codings of RFC 9110, 8.4.1, and brotli (RFC 7932). */
const decoders: { readonly [coding: string]: (zlib: Zlib, firstByte: number) => Transform } = {
  gzip: (zlib) => zlib.createGunzip(),
  "x-gzip": (zlib) => zlib.createGunzip(),
  // Some servers omit the wrapper (RFC 9110, 8.4.1.2, note), so browsers inspect the first byte.
  deflate: (zlib, firstByte) =>
    (firstByte & 0x0f) === 0x08 ? zlib.createInflate() : zlib.createInflateRaw(),
  br: (zlib) => zlib.createBrotliDecompress(),
};

/** The first byte of a wrapped deflate stream (RFC 1950, 2.2), assumed inside another coding. */
const wrapped = 0x78;

/** The maximum number of codings. Each one multiplies the size that a few bytes can expand to. */
const maxCodings = 5;

/** Returns the codings of a `content-encoding` header in the order in which they were applied; none for plain bytes. */
export function codingsOf(contentEncoding: string | undefined): string[] {
  if (contentEncoding === undefined) return [];
  const codings = contentEncoding.split(",").map((coding) => coding.trim().toLowerCase());
  return codings.filter((coding) => coding !== "" && coding !== "identity");
}

/** Whether all of these codings can be decoded. */
export function canDecode(codings: readonly string[]): boolean {
  return codings.length <= maxCodings && codings.every((coding) => Object.hasOwn(decoders, coding));
}

/** Receives decoded bytes. Exactly one of `onEnd` and `onFailure` is called last. Nothing is called after `destroy`. */
export interface DecoderEvents {
  onChunk(chunk: Uint8Array): void;
  onEnd(): void;
  onFailure(cause: unknown): void;
  /** Called when the decoder can take more. */
  onDrain(): void;
}

/** Decodes one body, with backpressure. */
export class Decoder {
  readonly #codings: readonly string[];
  readonly #events: DecoderEvents;
  /** The stream of the coding that was applied last; created for the first byte. */
  #input: Transform | undefined;
  /** Delivers the next decoded chunk, which waits while paused. */
  #passOn: (() => void) | undefined;
  #isPaused = false;
  #isOver = false;

  /** @param codings - in the order in which they were applied; at least one, all of them decodable */
  constructor(codings: readonly string[], events: DecoderEvents) {
    this.#codings = codings;
    this.#events = events;
  }

  /** Takes encoded bytes. Returns `false` if the caller must wait for `onDrain`. */
  write(chunk: Uint8Array): boolean {
    this.#input ??= this.#open(chunk[0] ?? 0);
    return this.#input.write(chunk);
  }

  end(): void {
    if (this.#input) this.#input.end();
    // An empty body has nothing to decode.
    else this.#events.onEnd();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    const passOn = this.#passOn;
    this.#passOn = undefined;
    passOn?.();
  }

  destroy(): void {
    this.#isOver = true;
    this.#input?.destroy();
  }

  #open(firstByte: number): Transform {
    // Loaded on demand, because few responses are encoded.
    const { pipeline, Writable } = process.getBuiltinModule("node:stream");
    const zlib = process.getBuiltinModule("node:zlib");
    const stages = this.#codings
      .toReversed()
      .flatMap((coding, index) => decoders[coding]?.(zlib, index === 0 ? firstByte : wrapped) ?? []);
    const output = new Writable({
      write: (chunk: Uint8Array, _encoding, done) => {
        this.#passOn = () => {
          if (!this.#isOver) this.#events.onChunk(chunk);
          done();
        };
        if (!this.#isPaused) this.resume();
      },
    });
    pipeline([...stages, output], (cause) => this.#finish(cause));
    const input = stages[0] as Transform;
    return input.on("drain", () => this.#events.onDrain());
  }

  #finish(cause: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (cause) this.#events.onFailure(cause);
    else this.#events.onEnd();
  }
}
