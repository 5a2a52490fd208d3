/// <reference lib="esnext.disposable" preserve="true" />
import { abortError } from "../call/abort-signals.ts";
import { answerFacts } from "../call/api-error.ts";
import type { PdfResponse } from "../call/attempt.ts";
import { addCaller } from "../errors/caller-stack.ts";
import { OversizedPdfError } from "../errors/errors.ts";
import type { SaveOptions, SavePolicy } from "../files/save-options.ts";
import type { SavePath } from "../files/save-path.ts";
import { makeDisposable } from "../runtime/disposal.ts";
import type { Bytes, NodeBuffer, NodeReadable } from "../runtime/platform-types.ts";
import { requestIdOf } from "../transport/response-head.ts";
import { iterateChunks } from "./chunk-iterator.ts";
import { filenameOf } from "./filename.ts";
import { BlobSink, BytesSink, type MemorySinkClass } from "./memory-sink.ts";
import type { NodeOutputs } from "./node-outputs.ts";
import { webStreamOf } from "./web-stream.ts";

/** What `saveTo` tells of the file it wrote. */
export interface Saved {
  /** The path that was asked for; of a URL, its path. */
  readonly path: string;
  /** How many bytes were written. */
  readonly bytes: number;
}

/**
 * A generated PDF whose first bytes have arrived: its metadata, and its bytes in any one form.
 *
 * A document can be read once. One that is not read holds 64 KiB at most and keeps its connection busy, until it
 * is given up after `timeouts.unread`; so read it, `cancel()` it, or let `await using` do that. One that has come
 * whole by then has no connection, and stays.
 *
 * Every form that ends well gave a whole PDF (with `verify: false`: the whole answer). Each rejects, or ends,
 * with a `TruncatedPdfError` when the rest does not come, or a `TimeoutError` when it does not come in time; with
 * the reason given to `cancel` or to the call's `signal`; and with a `TypeError` when the document was read before.
 */
export class GeneratedPdf {
  /** Status code of the answer: one of 2xx. */
  readonly status: number;
  /** Length in bytes, where the answer tells. */
  readonly contentLength: number | undefined;
  /** How many times the request was tried. */
  readonly attempts: number;
  readonly #response: PdfResponse;
  readonly #maxBytes: number;
  readonly #nodeOutputs: NodeOutputs;
  #headers: Headers | undefined;

  /** @internal */
  constructor(response: PdfResponse, maxBytes: number, nodeOutputs: NodeOutputs) {
    this.status = response.head.status;
    this.contentLength = response.contentLength;
    this.attempts = response.facts.attempts;
    this.#response = response;
    this.#maxBytes = maxBytes;
    this.#nodeOutputs = nodeOutputs;
    makeDisposable(Object.getPrototypeOf(this), cancel);
  }

  // Read when they are asked for, which most documents never are. A service may repeat what it was sent, and these
  // are logged and become names of files.

  /** The id under which the service knows the call (`x-request-id` or `request-id`). */
  get requestId(): string | undefined {
    const id = requestIdOf(this.#response.head);
    return id && this.#response.facts.secrets.withoutKey(id);
  }

  /** The name that the service gives the file: bare and safe to save under; `undefined` where it gives none. */
  get filename(): string | undefined {
    const disposition = this.#response.head.header("content-disposition");
    return filenameOf(disposition, (name) => this.#response.facts.secrets.withoutKey(name));
  }

  /** The answer's headers; where they repeat the API key, without it. */
  get headers(): Headers {
    this.#headers ??= this.#response.facts.secrets.headersWithoutKey(this.#response.head.toHeaders());
    return this.#headers;
  }

  /**
   * The document as bytes that own their memory.
   *
   * @throws {OversizedPdfError} when it is larger than `maxBytes`
   *
   * @example
   * ```ts
   * const bytes = await pdf.bytes();
   * ```
   */
  bytes(): Promise<Bytes> {
    return this.#collect("bytes()", BytesSink);
  }

  /**
   * The document as a Node `Buffer`.
   *
   * @throws {OversizedPdfError} when it is larger than `maxBytes`
   * @throws {ConfigurationError} in a runtime without Node's streams and buffers
   *
   * @example
   * ```ts
   * const attachment = { filename: "invoice.pdf", content: await pdf.buffer() };
   * ```
   */
  async buffer(): Promise<NodeBuffer> {
    return this.#nodeOutputs.toBuffer(await this.#collect("buffer()", BytesSink));
  }

  /**
   * The document as an `ArrayBuffer`.
   *
   * @throws {OversizedPdfError} when it is larger than `maxBytes`
   *
   * @example
   * ```ts
   * const memory = await pdf.arrayBuffer();
   * ```
   */
  async arrayBuffer(): Promise<ArrayBuffer> {
    const { buffer } = await this.#collect("arrayBuffer()", BytesSink);
    return buffer as ArrayBuffer;
  }

  /**
   * The document as a `Blob` of type `application/pdf`.
   *
   * @throws {OversizedPdfError} when it is larger than `maxBytes`
   *
   * @example
   * ```ts
   * const form = new FormData();
   * form.append("invoice", await pdf.blob(), "invoice.pdf");
   * ```
   */
  blob(): Promise<Blob> {
    return this.#collect("blob()", BlobSink);
  }

  /**
   * The document as a web stream, fetched only as fast as it is read; cancelling it frees the connection.
   *
   * @example
   * ```ts
   * const compressed = pdf.stream().pipeThrough(new CompressionStream("gzip"));
   * await compressed.pipeTo(new WritableStream());
   * ```
   */
  stream(): ReadableStream<Bytes> {
    return webStreamOf(this.#response.body, "stream()");
  }

  /**
   * The document as a Node `Readable`, fetched only as fast as it is read; destroying it frees the connection.
   *
   * A reason that is no `Error` becomes the `cause` of one: Node's streams know no other.
   *
   * @throws {ConfigurationError} in a runtime without Node streams
   *
   * @example
   * ```ts
   * import { createWriteStream } from "node:fs";
   * import { pipeline } from "node:stream/promises";
   *
   * await pipeline(pdf.nodeStream(), createWriteStream("invoice.pdf"));
   * ```
   */
  nodeStream(): NodeReadable {
    return this.#nodeOutputs.toReadable(this.#response.body);
  }

  /**
   * The document as a web `Response`, streamed: 200, `content-type: application/pdf`, and its length where that
   * is known.
   *
   * @param init - status and headers of your own, laid over these
   *
   * @example
   * ```ts
   * const GET = () => pdf.response({ headers: { "content-disposition": "inline" } });
   * console.log(GET().headers.get("content-type"));
   * ```
   */
  response(init: ResponseInit = {}): Response {
    const headers = new Headers(init.headers);
    if (!headers.has("content-type")) headers.set("content-type", "application/pdf");
    if (this.contentLength !== undefined) headers.set("content-length", String(this.contentLength));
    // Made first: a response that cannot be made must not use up the document.
    const { status, statusText } = new Response("", { ...init, headers });
    return new Response(webStreamOf(this.#response.body, "response()"), { status, statusText, headers });
  }

  /**
   * Saves the document: the whole file or none. It is written beside the target, synced and renamed. Links are
   * followed, the mode of an existing file is kept, and what is no regular file is written to directly. For
   * standard output pipe `nodeStream()` into `process.stdout`: it may be a file that others write to as well.
   *
   * @param path - a path, or a `file:` URL; its folder must exist unless `recursive` is set
   * @param options - `recursive` creates missing folders. Default: `{ recursive: false }`
   * @returns the path and the number of bytes
   * @throws {SaveError} when it cannot be written
   * @throws {ConfigurationError} in a runtime without files
   *
   * @example
   * ```ts
   * const { path, bytes } = await pdf.saveTo("invoice.pdf");
   * console.log(`${bytes} bytes in ${path}`);
   * ```
   */
  saveTo(path: string | URL, options?: SaveOptions): Promise<Saved>;
  /** @internal */
  saveTo(path: string | URL, options?: SaveOptions | SavePolicy): Promise<Saved>;
  async saveTo(path: string | URL, options?: SaveOptions | SavePolicy): Promise<Saved> {
    try {
      // Before it is read: where the path cannot be written, the document is still there for another one.
      return await this.saveChecked(await this.#nodeOutputs.checkPath(path, options, this.attempts));
    } catch (error) {
      throw addCaller(error);
    }
  }

  /**
   * Saves to a path that was checked already.
   *
   * @internal
   */
  saveChecked(path: SavePath): Promise<Saved> {
    return this.#nodeOutputs.save(this.#response.body, path, this.attempts);
  }

  /**
   * Gives the document up and frees its connection; whoever reads it gets the reason.
   *
   * @param reason - default: a `DOMException` named `AbortError`
   *
   * @example
   * ```ts
   * await pdf.cancel(new Error("the customer has left"));
   * ```
   */
  async cancel(reason: unknown = abortError()): Promise<void> {
    this.#response.body.cancel(reason);
  }

  /** Gives the document up at the end of `await using`, where it was not read to its end. */
  declare readonly [Symbol.asyncDispose]: () => Promise<void>;

  /**
   * The document chunk by chunk; leaving the loop frees the connection.
   *
   * @example
   * ```ts
   * for await (const chunk of pdf) console.log(chunk.length);
   * ```
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<Bytes> {
    return iterateChunks(
      () => this.openReader(),
      () => this.cancel(),
    );
  }

  /** @internal */
  openReader(): ReadableStreamDefaultReader<Bytes> {
    return webStreamOf(this.#response.body, "iteration").getReader();
  }

  #collect<T>(output: string, Sink: MemorySinkClass<T>): Promise<T> {
    const { body, contentLength } = this.#response;
    const limits = { contentLength, maxBytes: this.#maxBytes, oversized: () => this.#oversized() };
    return new Promise((resolve) => {
      body.read(output, new Sink(body, limits, resolve));
    });
  }

  #oversized(): OversizedPdfError {
    const { head, facts } = this.#response;
    const maxBytes = this.#maxBytes;
    const size = this.contentLength === undefined ? `more than ${maxBytes}` : this.contentLength;
    return new OversizedPdfError(
      `The document for template ${JSON.stringify(facts.uid)} has ${size} bytes, above the limit of ${maxBytes} (\`maxBytes\`). Raise it, or use saveTo() or stream().`,
      answerFacts(head, facts),
    );
  }
}

function cancel(document: GeneratedPdf): Promise<void> {
  return document.cancel();
}
