import { withoutPrototype } from "../runtime/own-options.ts";
import type { Bytes } from "../runtime/platform-types.ts";
import { contentDisposition, type Disposition } from "./content-disposition.ts";

/** The result of `produce`. */
export interface Product {
  /** The PDF as bytes or as a stream. */
  readonly bytes: Bytes | ReadableStream<Bytes>;
  /** The length of a stream in bytes. Default: unknown, and not sent. */
  readonly contentLength?: number | undefined;
  /** The file name. It is made safe for every system. Default: the uid. */
  readonly filename?: string | undefined;
  /** Default: `attachment`. */
  readonly disposition?: Disposition | undefined;
}

/** Creates the response with a document. Returns a `Response` unchanged. */
export function toResponse(made: Product | Response, uid: string): Response {
  if (isResponse(made)) return made;
  const { bytes, filename, disposition, contentLength } = withoutPrototype(made);
  const headers = new Headers({
    "content-type": "application/pdf",
    "content-disposition": contentDisposition(filename ?? uid, disposition),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  // Not `instanceof`: for example under jsdom, the bytes come from another realm.
  const isWhole = "byteLength" in bytes;
  const length = isWhole ? bytes.byteLength : contentLength;
  if (length !== undefined) headers.set("content-length", String(length));
  return new Response(isWhole ? bytes : asLongAs(length, bytes), withoutPrototype({ status: 200, headers }));
}

/** In Workers, the length of a stream comes from the stream, not from a header. */
function asLongAs(length: number | undefined, stream: ReadableStream<Bytes>): ReadableStream<Bytes> {
  const { FixedLengthStream } = globalThis as {
    FixedLengthStream?: new (length: number) => TransformStream<Bytes, Bytes>;
  };
  return FixedLengthStream && length !== undefined
    ? stream.pipeThrough(new FixedLengthStream(length))
    : stream;
}

/**
 * Whether a value is a `Response`. Does not use `instanceof`, because the value may come from another realm.
 */
export function isResponse(made: unknown): made is Response {
  try {
    return Object.prototype.toString.call(made) === "[object Response]";
  } catch {
    // A proxy that cannot be read.
    return false;
  }
}
