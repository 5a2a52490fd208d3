import type { Transform } from "node:stream";
import { codingsOf, type ResponseHead } from "./transport.ts";

/** The controller that undici passes to new-style handlers. */
export interface DispatchController {
  pause(): void;
  resume(): void;
  abort(reason: unknown): void;
  readonly rawHeaders?: readonly (Uint8Array | string)[] | null;
}

export type IncomingHeaders = Record<string, string | string[] | undefined>;

/** The status and headers of a response from undici. */
export class UndiciHead implements ResponseHead {
  readonly status: number;
  /** The content codings, in the order in which they were applied. */
  readonly codings: readonly string[];
  readonly isDecoded: boolean;
  readonly unsupportedCoding: string | undefined;
  readonly opaqueRedirect = false;
  readonly #headers: IncomingHeaders;
  readonly #controller: DispatchController;

  constructor(status: number, headers: IncomingHeaders, controller: DispatchController) {
    this.status = status;
    this.codings = codingsOf(join(headers["content-encoding"]));
    this.unsupportedCoding = canDecode(this.codings) ? undefined : this.codings.join(", ");
    this.isDecoded = this.codings.length > 0 && this.unsupportedCoding === undefined;
    this.#headers = headers;
    this.#controller = controller;
  }

  header(name: string): string | undefined {
    return join(this.#headers[name]);
  }

  toHeaders(): Headers {
    const headers = new Headers();
    const raw = this.#controller.rawHeaders;
    if (raw) {
      for (let at = 0; at + 1 < raw.length; at += 2) append(headers, text(raw[at]), text(raw[at + 1]));
    } else {
      for (const [name, value] of Object.entries(this.#headers)) {
        for (const one of Array.isArray(value) ? value : [value ?? ""]) append(headers, name, one);
      }
    }
    return headers;
  }
}

function append(headers: Headers, name: string, value: string): void {
  try {
    headers.append(name, value);
  } catch {
    // A server may send headers that `Headers` rejects. The document is still valid.
  }
}

function join(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(", ") : value;
}

/** Header bytes are Latin-1, as `fetch` reads them (Fetch standard, "isomorphic decode"). */
function text(raw: Uint8Array | string | undefined): string {
  return typeof raw === "string" || raw === undefined ? (raw ?? "") : Buffer.from(raw).toString("latin1");
}

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

/** Every decoder finds out within fewer bytes that its coding was not applied. */
export const telltaleBytes = 256;

/** Whether all of these codings can be decoded. */
function canDecode(codings: readonly string[]): boolean {
  return codings.length <= maxCodings && codings.every((coding) => Object.hasOwn(decoders, coding));
}

/**
 * Opens one decoder for each coding, and connects them. The first one takes the bytes of the body; the last one returns the document.
 *
 * @param codings - in the order in which they were applied; at least one, all of them decodable
 * @param first - the first bytes of the body
 */
export function openDecoders(codings: readonly string[], first: Uint8Array): Transform[] {
  // Loaded on demand, because few responses are encoded.
  const zlib = process.getBuiltinModule("node:zlib");
  const opened = codings
    .toReversed()
    .flatMap((coding, index) => decoders[coding]?.(zlib, index === 0 ? (first[0] ?? 0) : wrapped) ?? []);
  opened.reduce((from, to) => from.pipe(to));
  return opened;
}
