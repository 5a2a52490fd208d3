import type { Transform } from "node:stream";

type Zlib = typeof import("node:zlib");

/** The content codings of RFC 9110, 8.4.1, and brotli (RFC 7932). */
const decoders: { readonly [coding: string]: (zlib: Zlib, firstByte: number) => Transform } = {
  gzip: (zlib) => zlib.createGunzip(),
  "x-gzip": (zlib) => zlib.createGunzip(),
  // Some servers send it without its wrapper (RFC 9110, 8.4.1.2, note); every browser looks at the first byte.
  deflate: (zlib, firstByte) =>
    (firstByte & 0x0f) === 0x08 ? zlib.createInflate() : zlib.createInflateRaw(),
  br: (zlib) => zlib.createBrotliDecompress(),
};

/** The first byte of a wrapped deflate stream (RFC 1950, 2.2), assumed inside another coding. */
const wrapped = 0x78;

/** More codings than a server applies: each multiplies what a few bytes can grow to. */
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

/** Receives decoded bytes. Last comes exactly one of `onEnd` and `onFailure`, and nothing after `destroy`. */
export interface DecoderEvents {
  onChunk(chunk: Uint8Array): void;
  onEnd(): void;
  onFailure(cause: unknown): void;
  /** The decoder can take more again. */
  onDrain(): void;
}

/** Undoes the content codings of one body, with backpressure from end to end. */
export class Decoder {
  readonly #codings: readonly string[];
  readonly #events: DecoderEvents;
  /** One stream per coding, the last that was applied first; created for the first byte. */
  #stages: readonly Transform[] = [];
  #state: "flowing" | "paused" | "over" = "flowing";

  /** @param codings - in the order in which they were applied; at least one, all of them decodable */
  constructor(codings: readonly string[], events: DecoderEvents) {
    this.#codings = codings;
    this.#events = events;
  }

  /** Takes encoded bytes; `false` means to wait for `onDrain`. */
  write(chunk: Uint8Array): boolean {
    if (this.#stages.length === 0) this.#open(chunk[0] ?? 0);
    return this.#stages[0]?.write(chunk) ?? true;
  }

  end(): void {
    const [first] = this.#stages;
    // An empty body has nothing to decode.
    if (first === undefined) this.#events.onEnd();
    else first.end();
  }

  pause(): void {
    if (this.#state === "over") return;
    this.#state = "paused";
    this.#stages.at(-1)?.pause();
  }

  resume(): void {
    if (this.#state === "over") return;
    this.#state = "flowing";
    this.#stages.at(-1)?.resume();
  }

  destroy(): void {
    this.#state = "over";
    for (const stage of this.#stages) stage.destroy();
  }

  #open(firstByte: number): void {
    // Loaded here, because hardly any answer is encoded, and it would slow down the start.
    const zlib = process.getBuiltinModule("node:zlib");
    this.#stages = this.#codings
      .toReversed()
      .flatMap((coding, index) => decoders[coding]?.(zlib, index === 0 ? firstByte : wrapped) ?? []);
    for (const [index, stage] of this.#stages.entries()) {
      stage.on("error", (cause) => this.#fail(cause));
      const next = this.#stages[index + 1];
      if (next) stage.pipe(next);
      else this.#listen(stage);
    }
    this.#stages[0]?.on("drain", () => this.#events.onDrain());
  }

  #listen(last: Transform): void {
    last.on("data", (chunk: Uint8Array) => {
      if (this.#state !== "over") this.#events.onChunk(chunk);
    });
    last.on("end", () => {
      if (this.#state === "over") return;
      // An inner coding may end although the outer one is truncated: a later error of the outer one is ignored.
      this.#state = "over";
      this.#events.onEnd();
    });
    if (this.#state === "paused") last.pause();
  }

  #fail(cause: unknown): void {
    if (this.#state === "over") return;
    this.destroy();
    this.#events.onFailure(cause);
  }
}
