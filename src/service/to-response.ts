import type { Bytes } from "../runtime/platform-types.ts";
import { contentDisposition, type Disposition } from "./content-disposition.ts";

/** What `produce` hands back. */
export interface Product {
  /** The whole PDF, or a stream of it. */
  readonly bytes: Bytes | ReadableStream<Bytes>;
  /** How many bytes a stream of it will give. Default: unknown, and not sent. */
  readonly contentLength?: number | undefined;
  /** The name to offer the document under; it is made safe. Default: the uid. */
  readonly filename?: string | undefined;
  /** Default: `attachment`. */
  readonly disposition?: Disposition | undefined;
}

/** Builds the response that carries a document. A `Response` is returned as it is, the same object. */
export function toResponse(made: Product | Response, uid: string): Response {
  if (isResponse(made)) return made;
  const { bytes, filename, disposition } = made;
  const headers = new Headers({
    "content-type": "application/pdf",
    "content-disposition": contentDisposition(filename ?? uid, disposition),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  // Not `instanceof`: under jsdom, for one, the bytes may come from another realm.
  const isWhole = "byteLength" in bytes;
  const length = isWhole ? bytes.byteLength : made.contentLength;
  if (length !== undefined) headers.set("content-length", String(length));
  return new Response(isWhole ? bytes : asLongAs(length, bytes), { status: 200, headers });
}

/** In Workers a header says nothing of the length of a stream; the stream itself has to know. */
function asLongAs(length: number | undefined, stream: ReadableStream<Bytes>): ReadableStream<Bytes> {
  const { FixedLengthStream } = globalThis as {
    FixedLengthStream?: new (length: number) => TransformStream<Bytes, Bytes>;
  };
  return FixedLengthStream && length !== undefined
    ? stream.pipeThrough(new FixedLengthStream(length))
    : stream;
}

/** Whether something is a `Response`. Not by `instanceof` either, for the same reason. */
export function isResponse(made: unknown): made is Response {
  return Object.prototype.toString.call(made) === "[object Response]";
}
