import { abortError } from "./abort-signals.ts";
import { ChunkIterator } from "./chunk-iterator.ts";
import { checkPath, type GeneratedPdf } from "./document.ts";
import type { Saved } from "./files/types.ts";
import type { Bytes, NodeBuffer, NodeReadable } from "./platform-types.ts";

/**
 * What hears how a call went.
 *
 * @internal
 */
export interface Listener {
  onDocument(document: GeneratedPdf): void;
  onFailure(error: unknown): void;
}

/**
 * A call that can be started, once, and cancelled at any moment after that.
 *
 * @internal
 */
export interface Launch {
  start(listener: Listener): void;
  cancel(reason: unknown): void;
}

/** Builds one form of a document. */
type Form<T> = (document: GeneratedPdf) => T | Promise<T>;

/**
 * A document on its way: a promise of it, with every form of it as a method.
 *
 * The request is sent by itself, at the end of the current turn of the event loop's queue; nothing has to be
 * awaited for that. Every form rejects with what `await` on this would reject with, and with what the form of
 * the same name on `GeneratedPdf` rejects with.
 */
export class PendingPdf extends Promise<GeneratedPdf> {
  /** `then`, `catch` and `finally` give plain promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  readonly #launch: Launch;
  readonly #resolveOwn: (document: GeneratedPdf) => void;
  readonly #rejectOwn: (error: unknown) => void;
  /** What has to be settled before the request may be sent; asked for before the turn ended. */
  readonly #gates: Promise<unknown>[] = [];
  #isPastGates = false;
  readonly #waiting: Listener[] = [];
  #outcome: { readonly document: GeneratedPdf } | { readonly error: unknown } | undefined;
  #started = false;
  #isAwaited = false;
  #formsAsked = 0;
  /** Somebody gave the call up on purpose: no failure that nobody heard of. */
  #isCancelled = false;

  /** @internal */
  constructor(launch: Launch) {
    if (typeof launch !== "object")
      throw new TypeError("A pending PDF is made by `generate` only; use Promise itself.");
    let resolveOwn!: (document: GeneratedPdf) => void;
    let rejectOwn!: (error: unknown) => void;
    super((resolve, reject) => {
      resolveOwn = resolve;
      rejectOwn = reject;
    });
    this.#launch = launch;
    this.#resolveOwn = resolveOwn;
    this.#rejectOwn = rejectOwn;
    // Not in this very moment: a form that is asked for in the same breath may have a word to say first.
    // By a promise, because test runners take `queueMicrotask` for a timer and stop it.
    Promise.resolve().then(() => this.#start());
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise, and has to know whether somebody awaits it.
  override then<A = GeneratedPdf, B = never>(
    onFulfilled?: ((document: GeneratedPdf) => A | PromiseLike<A>) | null,
    onRejected?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#isAwaited = true;
    this.#settleOwn();
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
    return this.#ask((document) => document.bytes());
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
    return this.#ask((document) => document.buffer());
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
    return this.#ask((document) => document.arrayBuffer());
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
    return this.#ask((document) => document.blob());
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
    return this.#ask((document) => document.stream());
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
    return this.#ask((document) => document.nodeStream());
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
    return this.#ask((document) => document.response(init));
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
  saveTo(path: string | URL): Promise<Saved> {
    if (this.#isPastGates) return this.#ask((document) => document.saveTo(path));
    const checked = checkPath(path);
    this.#gates.push(checked);
    return this.#ask(async (document) => document.saveChecked(await checked));
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
    this.#isCancelled = true;
    this.#launch.cancel(reason);
    if (!this.#started) this.#settle({ error: reason });
  }

  /** The document chunk by chunk; leaving the loop frees the connection. */
  [Symbol.asyncIterator](): AsyncIterableIterator<Bytes> {
    return new ChunkIterator(
      () => this.#ask((document) => document.openReader()),
      async () => {
        if (this.#formsAsked === 0 && !this.#isAwaited) await this.cancel();
      },
    );
  }

  #ask<T>(form: Form<T>): Promise<T> {
    this.#formsAsked++;
    return new Promise((resolve, reject) => {
      this.#listen({
        onDocument: (document) => {
          this.#build(form, document).then(resolve, reject);
        },
        onFailure: reject,
      });
    });
  }

  async #build<T>(form: Form<T>, document: GeneratedPdf): Promise<T> {
    try {
      return await form(document);
    } catch (error) {
      // A form that failed before it read a byte leaves a document that nobody else can reach.
      if (this.#formsAsked === 1 && !this.#isAwaited) await document.cancel(error);
      throw error;
    }
  }

  #listen(listener: Listener): void {
    if (this.#outcome === undefined) this.#waiting.push(listener);
    else tell(listener, this.#outcome);
  }

  async #start(): Promise<void> {
    this.#isPastGates = true;
    try {
      // Awaited even by a call that was cancelled: nobody else would hear of their rejection. And all of them: the
      // drafts of good paths are gone again by the time that a bad one is told.
      const gates = this.#gates;
      if (gates.length > 0) await Promise.allSettled(gates).then(() => Promise.all(gates));
      if (this.#outcome !== undefined) return;
      this.#started = true;
      this.#launch.start({
        onDocument: (document) => this.#settle({ document }),
        onFailure: (error) => this.#settle({ error }),
      });
    } catch (error) {
      this.#launch.cancel(error);
      this.#settle({ error });
    }
  }

  #settle(outcome: { readonly document: GeneratedPdf } | { readonly error: unknown }): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = outcome;
    for (const listener of this.#waiting.splice(0)) tell(listener, outcome);
    this.#settleOwn();
  }

  /**
   * Settles the promise itself only where somebody awaits it, or nobody asked for a form: a caught `.bytes()`
   * would otherwise leave an unhandled rejection behind.
   */
  #settleOwn(): void {
    const somebodyElseHears = this.#formsAsked > 0 || this.#isCancelled;
    if (this.#outcome === undefined || (somebodyElseHears && !this.#isAwaited)) return;
    if ("document" in this.#outcome) this.#resolveOwn(this.#outcome.document);
    else this.#rejectOwn(this.#outcome.error);
  }
}

function tell(
  listener: Listener,
  outcome: { readonly document: GeneratedPdf } | { readonly error: unknown },
): void {
  if ("document" in outcome) listener.onDocument(outcome.document);
  else listener.onFailure(outcome.error);
}
