import { abortError } from "../call/abort-signals.ts";
import type { Call } from "../call/call.ts";
import type { Saved, SaveOptions, SavePolicy } from "../files/save-path.ts";
import type { Bytes, NodeBuffer, NodeReadable } from "../runtime/platform-types.ts";
import type { GeneratedPdf } from "./generated-pdf.ts";
import type { NodeOutputs } from "./node-outputs.ts";
import { PendingOutputs } from "./pending-outputs.ts";
import { iterateChunks } from "./web-stream.ts";

/**
 * A pending document: a promise for a `GeneratedPdf`. The promise also has the output methods of
 * `GeneratedPdf`.
 *
 * The request is sent in a microtask, even if you await nothing. If a response is interrupted, `bytes()`,
 * `buffer()`, `arrayBuffer()`, `blob()` and `saveTo()` retry the request as `retry` allows. They do not retry
 * if you awaited the document itself. If the call fails, an output method rejects with the error from the
 * call. Otherwise, it rejects in the same cases as the method of the same name on `GeneratedPdf`.
 */
export class PendingPdf
  extends Promise<GeneratedPdf>
  // So that editors show the documentation of these methods.
  implements Pick<GeneratedPdf, "bytes" | "buffer" | "arrayBuffer" | "blob">
{
  /** `then`, `catch` and `finally` return plain promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  readonly #outputs!: PendingOutputs;

  /** @internal */
  // biome-ignore lint/correctness/noUnreachableSuper: a plain promise is returned instead.
  constructor(call: Call, nodeOutputs: NodeOutputs) {
    // The promises of React Native ignore the species, and create the result of `then` with this constructor.
    // biome-ignore lint/correctness/noConstructorReturn: it must be a plain promise.
    if (typeof call === "function") return new Promise(call) as PendingPdf;
    let outputs!: PendingOutputs;
    super((resolve) => {
      outputs = new PendingOutputs(call, nodeOutputs, resolve);
    });
    this.#outputs = outputs;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise, and has to know whether it is awaited.
  override then<A = GeneratedPdf, B = never>(
    onFulfilled?: ((document: GeneratedPdf) => A | PromiseLike<A>) | null,
    onRejected?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#outputs.await();
    return super.then(onFulfilled, onRejected);
  }

  /** @inheritDoc GeneratedPdf.bytes */
  bytes(): Promise<Bytes> {
    return this.#outputs.addBytes();
  }

  /** @inheritDoc GeneratedPdf.buffer */
  buffer(): Promise<NodeBuffer> {
    return this.#outputs.add("whole", (document) => document.buffer());
  }

  /** @inheritDoc GeneratedPdf.arrayBuffer */
  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#outputs.add("whole", (document) => document.arrayBuffer());
  }

  /** @inheritDoc GeneratedPdf.blob */
  blob(): Promise<Blob> {
    return this.#outputs.add("whole", (document) => document.blob());
  }

  /**
   * Resolves to a web stream of the document once the document has begun to arrive.
   *
   * @throws whatever error the call rejects with
   * @throws {TypeError} if the document has already been read
   *
   * @example
   * ```ts
   * const stream = await pdfs.generate("invoice", values).stream();
   * await stream.pipeTo(new WritableStream());
   * ```
   */
  stream(): Promise<ReadableStream<Bytes>> {
    return this.#outputs.add("stream", (document) => document.stream());
  }

  /**
   * Resolves to a Node `Readable` of the document once the document has begun to arrive.
   *
   * @throws whatever error the call rejects with
   * @throws {TypeError} if the document has already been read
   * @throws {ConfigurationError} in a runtime without Node streams
   *
   * @example
   * ```ts
   * import { createWriteStream } from "node:fs";
   * import { pipeline } from "node:stream/promises";
   *
   * await pipeline(await pdfs.generate("invoice", values).nodeStream(), createWriteStream("invoice.pdf"));
   * ```
   */
  nodeStream(): Promise<NodeReadable> {
    return this.#outputs.add("stream", (document) => document.nodeStream());
  }

  /**
   * Resolves to a web `Response` with the document once the document has begun to arrive. If the promise
   * rejects, you can still send an error response.
   *
   * @param init - the status and headers, which override the defaults
   *
   * @throws whatever error the call rejects with
   * @throws {TypeError} if the document has already been read
   *
   * @example
   * ```ts
   * const POST = () => pdfs.generate("invoice", values).response();
   * console.log((await POST()).status);
   * ```
   */
  response(init?: ResponseInit): Promise<Response> {
    return this.#outputs.add("stream", (document) => document.response(init));
  }

  /**
   * Saves the document to a file, completely or not at all. If you call this method in the same tick as
   * `generate()`, it checks the path before the request is sent.
   *
   * @param path - a path or `file:` URL; the folder must exist unless `recursive` is set
   * @param options - `recursive` creates missing folders. Default: `{ recursive: false }`
   * @returns the path and the number of bytes
   * @throws whatever error the call rejects with
   * @throws {SaveError} if the document cannot be saved to the path
   * @throws {TypeError} if the document has already been read
   * @throws {ConfigurationError} in a runtime without a file system
   *
   * @example
   * ```ts
   * const { bytes } = await pdfs.generate("invoice", values).saveTo("invoice.pdf");
   * ```
   */
  saveTo(path: string | URL, options?: SaveOptions): Promise<Saved>;
  /** @internal */
  saveTo(path: string | URL, options?: SaveOptions | SavePolicy): Promise<Saved>;
  saveTo(path: string | URL, options?: SaveOptions | SavePolicy): Promise<Saved> {
    return this.#outputs.addFile(path, options);
  }

  /**
   * Cancels the call or the document. Pending output methods reject with the reason.
   *
   * @param reason - the reason that pending output methods reject with. Default: a `DOMException` named `AbortError`
   *
   * @example
   * ```ts
   * const pending = pdfs.generate("invoice", values);
   * await pending.cancel(new Error("the customer has left"));
   * ```
   */
  async cancel(reason: unknown = abortError()): Promise<void> {
    this.#outputs.cancel(reason);
  }

  /** Iterates over the chunks of the document. Leaving the loop frees the connection. */
  [Symbol.asyncIterator](): AsyncIterableIterator<Bytes> {
    return iterateChunks(
      () => this.#outputs.add("stream", (document) => document.openReader()),
      async () => {
        if (this.#outputs.isUnused) await this.cancel();
      },
    );
  }
}
