import { abortError } from "../call/abort-signals.ts";
import type { Call } from "../call/call.ts";
import type { CallOutcome } from "../call/outcome.ts";
import { rejectWithCaller } from "../errors/caller-stack.ts";
import type { SaveOptions, SavePolicy } from "../files/save-options.ts";
import type { Bytes, NodeBuffer, NodeReadable } from "../runtime/platform-types.ts";
import { iterateChunks } from "./chunk-iterator.ts";
import { GeneratedPdf, type Saved } from "./generated-pdf.ts";
import type { NodeOutputs } from "./node-outputs.ts";

type Outcome = { readonly document: GeneratedPdf } | { readonly error: unknown };

/**
 * A document on its way: a promise of it, with every form of it as a method.
 *
 * The request is sent by itself, at the end of the current turn of the event loop's queue; nothing has to be
 * awaited for that. Of a document that breaks while it arrives, `bytes()`, `buffer()`, `arrayBuffer()`, `blob()` and
 * `saveTo()` are made of another one, where `retry` allows it and nobody awaited the document itself. Every form
 * rejects with what `await` on this would reject with, and with what the form of the same name on `GeneratedPdf`
 * rejects with.
 */
export class PendingPdf
  extends Promise<GeneratedPdf>
  // Editors show the documentation of these methods for those of a pending PDF.
  implements Pick<GeneratedPdf, "bytes" | "buffer" | "arrayBuffer" | "blob">
{
  /** `then`, `catch` and `finally` give plain promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  readonly #call: Call;
  readonly #nodeOutputs: NodeOutputs;
  /** Settles the promise itself; missing once it will be. */
  #resolve: ((document: GeneratedPdf | Promise<never>) => void) | undefined;
  #outcome: Outcome | undefined;
  /** Called with the outcome. */
  #waiting: ((outcome: Outcome) => void)[] | undefined;
  /** What has to be settled before the request is sent. Missing once that time is over. */
  #checks: Promise<unknown>[] | undefined = [];
  #outputs = 0;
  #isAwaited = false;
  #isCancelled = false;

  /** @internal */
  constructor(call: Call, nodeOutputs: NodeOutputs) {
    if (typeof call !== "object")
      throw new TypeError("A pending PDF is made by `generate` only; use Promise itself.");
    let settle!: (document: GeneratedPdf | Promise<never>) => void;
    super((resolve) => {
      settle = resolve;
    });
    this.#resolve = settle;
    this.#call = call;
    this.#nodeOutputs = nodeOutputs;
    call.onSettled = (outcome) => this.#onSettled(outcome);
    // Not at once: an output that is requested in the same tick may have to check something first.
    // By a promise, because test runners take `queueMicrotask` for a timer and stop it.
    tick.then(() => this.#start());
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise, and has to know whether somebody awaits it.
  override then<A = GeneratedPdf, B = never>(
    onFulfilled?: ((document: GeneratedPdf) => A | PromiseLike<A>) | null,
    onRejected?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#isAwaited = true;
    this.#call.isReplaceable = false;
    this.#settle();
    return super.then(onFulfilled, onRejected);
  }

  /** @inheritDoc GeneratedPdf.bytes */
  bytes(): Promise<Bytes> {
    return this.#output("whole", (document) => document.bytes());
  }

  /** @inheritDoc GeneratedPdf.buffer */
  buffer(): Promise<NodeBuffer> {
    return this.#output("whole", (document) => document.buffer());
  }

  /** @inheritDoc GeneratedPdf.arrayBuffer */
  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#output("whole", (document) => document.arrayBuffer());
  }

  /** @inheritDoc GeneratedPdf.blob */
  blob(): Promise<Blob> {
    return this.#output("whole", (document) => document.blob());
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
    return this.#output("stream", (document) => document.stream());
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
    return this.#output("stream", (document) => document.nodeStream());
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
    return this.#output("stream", (document) => document.response(init));
  }

  /**
   * Saves the document: the whole file or none. Asked for in the same breath as the document, it finds out
   * before anything is sent whether the path can be written.
   *
   * @param path - a path, or a `file:` URL; its folder must exist unless `recursive` is set
   * @param options - `recursive` creates missing folders. Default: `{ recursive: false }`
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
  saveTo(path: string | URL, options?: SaveOptions): Promise<Saved>;
  /** @internal */
  saveTo(path: string | URL, options?: SaveOptions | SavePolicy): Promise<Saved>;
  saveTo(path: string | URL, options?: SaveOptions | SavePolicy): Promise<Saved> {
    if (!this.#checks) return this.#output("whole", (document) => document.saveTo(path, options));
    const checked = this.#nodeOutputs.checkPath(path, options, 0);
    this.#checks.push(checked);
    return this.#output("whole", async (document) => document.saveChecked(await checked));
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
    this.#call.fail(reason);
  }

  /** The document chunk by chunk; leaving the loop frees the connection. */
  [Symbol.asyncIterator](): AsyncIterableIterator<Bytes> {
    return iterateChunks(
      () => this.#output("stream", (document) => document.openReader()),
      async () => {
        if (!this.#isAwaited && this.#outputs === 0) await this.cancel();
      },
    );
  }

  #start(): void {
    const checks = this.#checks ?? [];
    this.#checks = undefined;
    if (checks.length > 0) this.#startAfter(checks);
    else this.#call.start();
  }

  async #startAfter(checks: readonly Promise<unknown>[]): Promise<void> {
    // All of them, also of a cancelled call: drafts are removed again, and no rejection is left unhandled.
    const results = await Promise.allSettled(checks);
    const failed = results.find((result) => result.status === "rejected");
    if (failed) this.#call.fail(failed.reason);
    else this.#call.start();
  }

  /**
   * Opens an output of the document. One that shows nothing before it is whole is opened again on another document, if the first
   * one breaks and the call replaces it.
   */
  #output<T>(kind: "whole" | "stream", open: (document: GeneratedPdf) => T | Promise<T>): Promise<T> {
    this.#outputs++;
    if (this.#outputs === 1 && !this.#isAwaited) this.#call.isReplaceable = kind === "whole";
    return new Promise((resolve) => {
      const read = (outcome: Outcome): void => {
        if ("error" in outcome) return rejectWithCaller(resolve, outcome.error);
        const fail = (error: unknown): void => {
          // Another document takes the place of the one that broke.
          if (this.#outcome !== outcome) return this.#whenSettled(read);
          // No other code can reach a document that this output could not read.
          if (this.#outputs === 1 && !this.#isAwaited) this.#call.fail(error);
          rejectWithCaller(resolve, error);
        };
        try {
          Promise.resolve(open(outcome.document)).then(resolve, fail);
        } catch (error) {
          fail(error);
        }
      };
      this.#whenSettled(read);
    });
  }

  #whenSettled(read: (outcome: Outcome) => void): void {
    if (this.#outcome) read(this.#outcome);
    else if (this.#waiting) this.#waiting.push(read);
    else this.#waiting = [read];
  }

  /** @param outcome - missing if the document broke, and another one takes its place */
  #onSettled(outcome: CallOutcome | undefined): void {
    if (outcome === undefined) {
      this.#outcome = undefined;
    } else if (!this.#outcome) {
      const settled =
        "response" in outcome
          ? { document: new GeneratedPdf(outcome.response, this.#call.settings.maxBytes, this.#nodeOutputs) }
          : outcome;
      this.#outcome = settled;
      const waiting = this.#waiting;
      this.#waiting = undefined;
      for (const read of waiting ?? []) read(settled);
      this.#settle();
    }
  }

  /**
   * Settles the promise itself, if it is awaited, or if nothing else handles a failure: otherwise a caught `.bytes()` would leave an
   * unhandled rejection.
   */
  #settle(): void {
    const outcome = this.#outcome;
    const resolve = this.#resolve;
    const isHandled = this.#outputs > 0 || this.#isCancelled || this.#call.bulk !== undefined;
    if (!outcome || !resolve || (isHandled && !this.#isAwaited)) return;
    this.#resolve = undefined;
    if ("document" in outcome) resolve(outcome.document);
    else rejectWithCaller(resolve, outcome.error);
  }
}

const tick = /* @__PURE__ */ Promise.resolve();
