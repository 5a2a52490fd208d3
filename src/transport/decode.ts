import type { Transform } from "node:stream";

type Zlib = typeof import("node:zlib");

/** The content codings of RFC 9110, 8.4.1, and brotli (RFC 7932). */
const decoders: { readonly [coding: string]: ((zlib: Zlib) => Transform) | undefined } = {
  gzip: (zlib) => zlib.createGunzip(),
  "x-gzip": (zlib) => zlib.createGunzip(),
  deflate: (zlib) => zlib.createInflate(),
  br: (zlib) => zlib.createBrotliDecompress(),
};

/** The codings of a `content-encoding` header in the order in which they were applied; none for plain bytes. */
export function codingsOf(contentEncoding: string | undefined): string[] {
  if (contentEncoding === undefined) return [];
  const codings = contentEncoding.split(",").map((coding) => coding.trim().toLowerCase());
  return codings.filter((coding) => coding !== "" && coding !== "identity");
}

/** Whether every one of these codings can be undone. */
export function canDecode(codings: readonly string[]): boolean {
  return codings.length <= 5 && codings.every((coding) => Object.hasOwn(decoders, coding));
}

/** Undoes the content codings of one body, with backpressure from end to end. */
export class Decoder {
  readonly #first: Transform;
  readonly #stages: Transform[];
  readonly #last: Transform;

  /**
   * @param codings - in the order in which they were applied; at least one, all of them decodable
   * @param events - what hears of the decoded bytes; `onFailure` at most once, and nothing after it
   */
  constructor(
    codings: readonly string[],
    events: {
      onChunk(chunk: Uint8Array): void;
      onEnd(): void;
      onFailure(cause: unknown): void;
      /** The decoder can take more again. */
      onDrain(): void;
    },
  ) {
    // Loaded here, because hardly any answer is encoded, and start-up should not pay for it.
    const zlib = process.getBuiltinModule("node:zlib");
    const [first, ...rest] = codings.toReversed().flatMap((coding) => decoders[coding]?.(zlib) ?? []);
    if (first === undefined) throw new TypeError("A decoder needs a coding to undo.");
    this.#first = first;
    this.#stages = [first, ...rest];
    this.#last = rest.reduce((stage, next) => stage.pipe(next), first);
    for (const stage of this.#stages) {
      stage.on("error", (cause) => {
        if (stage.destroyed && this.#stages.every((other) => other.destroyed)) return;
        this.destroy();
        events.onFailure(cause);
      });
    }
    first.on("drain", () => events.onDrain());
    this.#last.on("data", (chunk: Uint8Array) => events.onChunk(chunk));
    this.#last.on("end", () => events.onEnd());
  }

  /** Takes encoded bytes; `false` asks to wait for `onDrain`. */
  write(chunk: Uint8Array): boolean {
    return this.#first.write(chunk);
  }

  end(): void {
    this.#first.end();
  }

  pause(): void {
    this.#last.pause();
  }

  resume(): void {
    this.#last.resume();
  }

  destroy(): void {
    for (const stage of this.#stages) stage.destroy();
  }
}
