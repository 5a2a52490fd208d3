import { abortError } from "../call/abort-signals.ts";
import { Asking, type Launch } from "../call/asking.ts";
import type { SavePolicy as Drafting } from "../files/save-target.ts";

import type { Bytes, NodeBuffer, NodeReadable } from "../runtime/platform-types.ts";
import { ChunkIterator } from "./chunk-iterator.ts";
import { checkPath, type GeneratedPdf } from "./generated-pdf.ts";
import type { Saved } from "./node-outputs.ts";

/**
 * A document on its way: a promise of it, with every form of it as a method.
 *
 * The request is sent by itself, at the end of the current turn of the event loop's queue; nothing has to be
 * awaited for that. Of a document that breaks while it arrives, `bytes()`, `buffer()`, `arrayBuffer()`, `blob()` and
 * `saveTo()` are made of another one, where `retry` allows it and nobody awaited the document itself. Every form
 * rejects with what `await` on this would reject with, and with what the form of the same name on `GeneratedPdf`
 * rejects with.
 */
export class PendingPdf extends Promise<GeneratedPdf> {
  /** `then`, `catch` and `finally` give plain promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  readonly #asking: Asking;

  /** @internal */
  constructor(launch: Launch) {
    if (typeof launch !== "object")
      throw new TypeError("A pending PDF is made by `generate` only; use Promise itself.");
    let resolveOwn!: (document: GeneratedPdf | Promise<never>) => void;
    super((resolve) => {
      resolveOwn = resolve;
    });
    this.#asking = new Asking(launch, resolveOwn);
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise, and has to know whether somebody awaits it.
  override then<A = GeneratedPdf, B = never>(
    onFulfilled?: ((document: GeneratedPdf) => A | PromiseLike<A>) | null,
    onRejected?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#asking.await();
    return super.then(onFulfilled, onRejected);
  }

  /**
   * The document as bytes that own their memory.
   *
   * @throws what `generate` rejects with, `OversizedPdfError` when it is larger than `maxBytes`
   * @throws {TypeError} when the document was read before
   *
   * @example
   * ```ts
   * const bytes = await pdfs.generate("invoice", values).bytes();
   * ```
   */
  bytes(): Promise<Bytes> {
    return this.#asking.forWhole((document) => document.bytes());
  }

  /**
   * The document as a Node `Buffer`.
   *
   * @throws what `generate` rejects with, `OversizedPdfError` when it is larger than `maxBytes`
   * @throws {TypeError} when the document was read before
   * @throws {ConfigurationError} in a runtime without Node's streams and buffers
   *
   * @example
   * ```ts
   * const buffer = await pdfs.generate("invoice", values).buffer();
   * ```
   */
  buffer(): Promise<NodeBuffer> {
    return this.#asking.forWhole((document) => document.buffer());
  }

  /**
   * The document as an `ArrayBuffer`.
   *
   * @throws what `generate` rejects with, `OversizedPdfError` when it is larger than `maxBytes`
   * @throws {TypeError} when the document was read before
   *
   * @example
   * ```ts
   * const memory = await pdfs.generate("invoice", values).arrayBuffer();
   * ```
   */
  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#asking.forWhole((document) => document.arrayBuffer());
  }

  /**
   * The document as a `Blob` of type `application/pdf`.
   *
   * @throws what `generate` rejects with, `OversizedPdfError` when it is larger than `maxBytes`
   * @throws {TypeError} when the document was read before
   *
   * @example
   * ```ts
   * const blob = await pdfs.generate("invoice", values).blob();
   * ```
   */
  blob(): Promise<Blob> {
    return this.#asking.forWhole((document) => document.blob());
  }

  /**
   * The document as a web stream, once it has begun to arrive.
   *
   * @throws what `generate` rejects with
   * @throws {TypeError} when the document was read before
   *
   * @example
   * ```ts
   * const stream = await pdfs.generate("invoice", values).stream();
   * await stream.pipeTo(new WritableStream());
   * ```
   */
  stream(): Promise<ReadableStream<Bytes>> {
    return this.#asking.forStream((document) => document.stream());
  }

  /**
   * The document as a Node `Readable`, once it has begun to arrive.
   *
   * @throws what `generate` rejects with
   * @throws {TypeError} when the document was read before
   * @throws {ConfigurationError} in a runtime without Node's streams and buffers
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
    return this.#asking.forStream((document) => document.nodeStream());
  }

  /**
   * The document as a web `Response`, once it has begun to arrive: until then there is time to answer otherwise.
   *
   * @param init - status and headers of your own, laid over the document's
   *
   * @throws what `generate` rejects with
   * @throws {TypeError} when the document was read before
   *
   * @example
   * ```ts
   * const POST = () => pdfs.generate("invoice", values).response();
   * console.log((await POST()).status);
   * ```
   */
  response(init?: ResponseInit): Promise<Response> {
    return this.#asking.forStream((document) => document.response(init));
  }

  /**
   * Saves the document: the whole file or none. Asked for in the same breath as the document, it finds out
   * before anything is sent whether the path can be written.
   *
   * @param path - a path, or a `file:` URL; its folder must exist
   * @returns the path and the number of bytes
   * @throws what `generate` rejects with
   * @throws {SaveError} when the document cannot be written there
   * @throws {TypeError} when the document was read before
   * @throws {ConfigurationError} in a runtime without files
   *
   * @example
   * ```ts
   * const { bytes } = await pdfs.generate("invoice", values).saveTo("invoice.pdf");
   * ```
   */
  saveTo(path: string | URL): Promise<Saved>;
  /** @internal */
  saveTo(path: string | URL, drafting: Drafting): Promise<Saved>;
  saveTo(path: string | URL, drafting?: Drafting): Promise<Saved> {
    if (this.#asking.isPastGates) return this.#asking.forWhole((document) => document.saveTo(path, drafting));
    const checked = checkPath(path, drafting);
    this.#asking.gate(checked);
    return this.#asking.forWhole(async (document) => document.saveChecked(await checked));
  }

  /**
   * Gives the document up, before or while it arrives. Whoever waits for it gets the reason.
   *
   * @param reason - default: a `DOMException` named `AbortError`
   *
   * @example
   * ```ts
   * const pending = pdfs.generate("invoice", values);
   * await pending.cancel(new Error("the customer has left"));
   * ```
   */
  async cancel(reason: unknown = abortError()): Promise<void> {
    this.#asking.giveUp(reason);
  }

  /** The document chunk by chunk; leaving the loop frees the connection. */
  [Symbol.asyncIterator](): AsyncIterableIterator<Bytes> {
    return new ChunkIterator(
      () => this.#asking.forStream((document) => document.openReader()),
      async () => {
        if (!this.#asking.isWanted) await this.cancel();
      },
    );
  }
}
