/// <reference lib="esnext.disposable" preserve="true" />
import { abortError } from "../call/abort-signals.ts";
import { responseFacts } from "../call/api-error.ts";
import type { PdfResponse } from "../call/attempt.ts";
import type { Call } from "../call/call.ts";
import { addCaller, rejectWithCaller } from "../errors/caller-stack.ts";
import { OversizedPdfError } from "../errors/errors.ts";
import type { CheckedPath, Saved, SaveOptions, SavePolicy } from "../files/save-path.ts";
import { makeDisposable } from "../runtime/disposal.ts";
import { ownOption, withoutPrototype } from "../runtime/own-options.ts";
import type { Bytes, NodeBuffer, NodeReadable } from "../runtime/platform-types.ts";
import { requestIdOf } from "../transport/transport.ts";
import { MemorySink } from "./memory-sink.ts";
import type { NodeOutputs } from "./node-outputs.ts";
import { filenameOf } from "./response-filename.ts";
import { iterateChunks, missing, webStreamOf } from "./web-stream.ts";

/** What a document needs of its call. */
type DocumentOwner = Pick<Call, "settings" | "keepOpen">;

/**
 * A generated PDF whose first bytes have arrived, with its metadata and output methods.
 *
 * You can read a document once. An unread document holds at most 64 KiB in memory and occupies its connection
 * until it is cancelled after `timeouts.unread`. Read it, call `cancel()`, or use `await using`. A document
 * that has arrived completely no longer occupies a connection and remains available.
 *
 * An output method succeeds only if the PDF is complete. With `verify: false`, it succeeds if the response is
 * complete. Otherwise, the method fails with a `TruncatedPdfError`, a `TimeoutError`, the reason passed to
 * `cancel` or to the call's abort signal, or a `TypeError` if the document has already been read.
 */
export class GeneratedPdf {
  /** The status code of the response, always 2xx. */
  readonly status: number;
  /** The length in bytes, if the response declares it. */
  readonly contentLength: number | undefined;
  /** The number of requests. */
  readonly attempts: number;
  readonly #response: PdfResponse;
  readonly #call: DocumentOwner;
  readonly #nodeOutputs: NodeOutputs;
  #headers: Headers | undefined;

  /** @internal */
  constructor(response: PdfResponse, call: DocumentOwner, nodeOutputs: NodeOutputs) {
    this.status = response.head.status;
    this.contentLength = response.contentLength;
    this.attempts = response.request.attempts;
    this.#response = response;
    this.#call = call;
    this.#nodeOutputs = nodeOutputs;
    makeDisposable(Object.getPrototypeOf(this), cancel);
  }

  // Computed on demand, because most callers never read them. Only the key is removed, because callers log these strings or use them
  // as file names. A service may repeat values in them, for example in the name of the file.

  /** The service's id for the request, from the `x-request-id` or `request-id` header. */
  get requestId(): string | undefined {
    const id = requestIdOf(this.#response.head);
    return id && this.#response.request.redactor.withoutKey(id);
  }

  /** The file name from the response, without a folder and safe on every system. `undefined` if the response has none. */
  get filename(): string | undefined {
    const { head } = this.#response;
    // undici decodes its headers as UTF-8, which loses the bytes of other encodings. `Headers` does not accept those of some mocks.
    const disposition = head.toHeaders().get("content-disposition") ?? head.header("content-disposition");
    return filenameOf(disposition, (name) => this.#response.request.redactor.withoutKey(name));
  }

  /** The response headers. If they contain the API key, it is redacted. */
  get headers(): Headers {
    this.#headers ??= this.#response.request.redactor.headersWithoutKey(this.#response.head.toHeaders());
    return this.#headers;
  }

  /**
   * Returns the document as a `Uint8Array` with its own buffer.
   *
   * @throws {OversizedPdfError} if the document is larger than `maxBytes`
   *
   * @example
   * ```ts
   * const bytes = await pdf.bytes();
   * ```
   */
  bytes(): Promise<Bytes> {
    return this.#collect("bytes()");
  }

  /**
   * Returns the document as a Node `Buffer`.
   *
   * @throws {OversizedPdfError} if the document is larger than `maxBytes`
   * @throws {ConfigurationError} in a runtime without Node buffers
   *
   * @example
   * ```ts
   * const attachment = { filename: "invoice.pdf", content: await pdf.buffer() };
   * ```
   */
  async buffer(): Promise<NodeBuffer> {
    return this.#nodeOutputs.toBuffer(await this.#collect("buffer()"));
  }

  /**
   * Returns the document as an `ArrayBuffer`.
   *
   * @throws {OversizedPdfError} if the document is larger than `maxBytes`
   *
   * @example
   * ```ts
   * const memory = await pdf.arrayBuffer();
   * ```
   */
  async arrayBuffer(): Promise<ArrayBuffer> {
    const { buffer } = await this.#collect("arrayBuffer()");
    return buffer as ArrayBuffer;
  }

  /**
   * Returns the document as a `Blob` of type `application/pdf`.
   *
   * @throws {OversizedPdfError} if the document is larger than `maxBytes`
   *
   * @example
   * ```ts
   * const form = new FormData();
   * form.append("invoice", await pdf.blob(), "invoice.pdf");
   * ```
   */
  async blob(): Promise<Blob> {
    const bytes = await this.#collect("blob()");
    try {
      return new Blob([bytes], { type: "application/pdf" });
    } catch (cause) {
      throw missing("blob()", "`Blob` with bytes", cause);
    }
  }

  /**
   * Returns the document as a web stream with backpressure. Cancelling the stream frees the connection.
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
   * Returns the document as a Node `Readable` with backpressure. Destroying the stream frees the connection.
   *
   * If an abort reason is not an `Error`, the stream fails with an error that has the reason as its `cause`.
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
   * Returns a web `Response` that streams the document. It has status 200, `content-type: application/pdf`,
   * and `content-length` if the length is known.
   *
   * @param init - the status and headers, which override the defaults
   *
   * @example
   * ```ts
   * const GET = () => pdf.response({ headers: { "content-disposition": "inline" } });
   * console.log(GET().headers.get("content-type"));
   * ```
   */
  response(init: ResponseInit = {}): Response {
    const headers = new Headers(ownOption(init, "headers"));
    if (!headers.has("content-type")) headers.set("content-type", "application/pdf");
    if (this.contentLength !== undefined) headers.set("content-length", String(this.contentLength));
    // Created first, so that an invalid `init` does not use up the document.
    const { status, statusText } = new Response("", withoutPrototype({ ...init, headers }));
    return new Response(webStreamOf(this.#response.body, "response()"), { status, statusText, headers });
  }

  /**
   * Saves the document to a file, completely or not at all. The method writes a temporary file next to the
   * target, syncs it and renames it. It follows links, keeps the mode of an existing file, and writes
   * directly to devices and pipes. For standard output, pipe `nodeStream()` into `process.stdout`.
   *
   * @param path - a path or `file:` URL, also as a string; the folder must exist unless `recursive` is set
   * @param options - `recursive` creates missing folders. Default: `{ recursive: false }`
   * @returns the path and the number of bytes
   * @throws {SaveError} if the file cannot be written
   * @throws {ConfigurationError} in a runtime without a file system
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
      // Checked before reading: if the path is not writable, the caller can save the document elsewhere.
      return await this.#call.keepOpen(async () => {
        return this.saveChecked(await this.#nodeOutputs.checkPath(path, options, this.attempts));
      });
    } catch (error) {
      throw addCaller(error);
    }
  }

  /**
   * Saves to a path that was already checked.
   *
   * @internal
   */
  saveChecked(path: CheckedPath): Promise<Saved> {
    return this.#nodeOutputs.save(this.#response.body, path, this.attempts);
  }

  /**
   * Cancels the document and frees its connection. Pending reads fail with the reason.
   *
   * @param reason - the error for pending reads. Default: a `DOMException` named `AbortError`
   *
   * @example
   * ```ts
   * await pdf.cancel(new Error("the customer has left"));
   * ```
   */
  async cancel(reason: unknown = abortError()): Promise<void> {
    this.#response.body.cancel(reason);
  }

  /** Cancels the document at the end of an `await using` block, unless it was read to the end. */
  declare readonly [Symbol.asyncDispose]: () => Promise<void>;

  /**
   * Iterates over the chunks of the document. Leaving the loop frees the connection.
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

  /** @internal */
  collect(output: string, resolve: (whole: Bytes) => void, reject: (error: unknown) => void): void {
    const { body, contentLength } = this.#response;
    const limits = {
      contentLength,
      maxBytes: this.#call.settings.maxBytes,
      oversized: () => this.#oversized(),
    };
    body.read(output, new MemorySink(body, limits, resolve, reject));
  }

  #collect(output: string): Promise<Bytes> {
    return new Promise((resolve) => {
      this.collect(output, resolve, (error) => rejectWithCaller(resolve, error));
    });
  }

  #oversized(): OversizedPdfError {
    const { head, request } = this.#response;
    const { maxBytes } = this.#call.settings;
    const size = this.contentLength === undefined ? `more than ${maxBytes}` : this.contentLength;
    return new OversizedPdfError(
      `The document for template ${JSON.stringify(request.uid)} is ${size} bytes long, which exceeds the limit of ${maxBytes} (\`maxBytes\`). Raise the limit, or use saveTo() or stream().`,
      responseFacts(head, request),
    );
  }
}

function cancel(document: GeneratedPdf): Promise<void> {
  return document.cancel();
}
