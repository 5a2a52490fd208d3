import type { PdfResponse } from "../call/attempt.ts";
import type { Call, CallListener } from "../call/call.ts";
import { rejectWithCaller } from "../errors/caller-stack.ts";
import type { CheckedPath, Saved, SaveOptions, SavePolicy } from "../files/save-path.ts";
import type { Bytes } from "../runtime/platform-types.ts";
import { GeneratedPdf } from "./generated-pdf.ts";
import type { NodeOutputs } from "./node-outputs.ts";

/** A document that has begun to arrive, or the error of its call. */
type Settled =
  | { readonly document: GeneratedPdf; readonly response: PdfResponse }
  | { readonly document: undefined; readonly error: unknown };

/** Settles the pending result itself. */
type Resolve = (document: GeneratedPdf | Promise<GeneratedPdf>) => void;

/** The outputs that were requested from a pending result, until they have their document or its error. */
export class PendingOutputs implements CallListener {
  readonly #call: Call;
  readonly #nodeOutputs: NodeOutputs;
  /** Missing once the pending result is settled. */
  #resolve: Resolve | undefined;
  /** Checks that must succeed before the call starts. */
  #checks: Promise<unknown>[] | undefined;
  #hasStarted = false;
  #settled: Settled | undefined;
  #waiting: ((settled: Settled) => void)[] | undefined;
  #count = 0;
  #failedCount = 0;
  /** Whether the first output needs the whole document, so that it does not see a truncated one. */
  #isFirstWhole = false;
  #isAwaited = false;
  #isCancelled = false;

  constructor(call: Call, nodeOutputs: NodeOutputs, resolve: Resolve) {
    this.#call = call;
    this.#nodeOutputs = nodeOutputs;
    this.#resolve = resolve;
    call.reportTo(this);
    // Deferred, because an output that is requested in the same tick may have to check its path first. A promise is used, because
    // fake timers of test runners replace `queueMicrotask`.
    tick.then(() => this.#start());
  }

  get isReplaceable(): boolean {
    return this.#isFirstWhole && !this.#isAwaited;
  }

  /** Whether nothing has requested the document. */
  get isUnused(): boolean {
    return !this.#isAwaited && this.#count === 0;
  }

  /**
   * Opens an output of the document. If the call replaces a truncated document, the output is opened again, unless it is a
   * stream.
   */
  add<T>(kind: "whole" | "stream", open: (document: GeneratedPdf) => T | Promise<T>): Promise<T> {
    return this.#add(kind, (document, resolve, reject) => {
      Promise.resolve(open(document)).then(resolve, reject);
    });
  }

  /** Adds the most frequent output, which needs no promise in between. */
  addBytes(): Promise<Bytes> {
    return this.#add("whole", (document, resolve, reject) => document.collect("bytes()", resolve, reject));
  }

  #add<T>(
    kind: "whole" | "stream",
    read: (document: GeneratedPdf, resolve: (output: T) => void, reject: (error: unknown) => void) => void,
  ): Promise<T> {
    if (this.#count === 0) this.#isFirstWhole = kind === "whole";
    this.#count++;
    return new Promise((resolve) => {
      const readSettled = (settled: Settled): void => {
        if (!settled.document) return rejectWithCaller(resolve, settled.error);
        const fail = (error: unknown): void => {
          // Another document replaces the truncated one.
          if (this.#settled !== settled) return this.#whenSettled(readSettled);
          this.#failedCount++;
          // No other code can read this document.
          if (this.#failedCount === this.#count && !this.#isAwaited) this.#call.fail(error);
          rejectWithCaller(resolve, error);
        };
        try {
          read(settled.document, resolve, fail);
        } catch (error) {
          fail(error);
        }
      };
      this.#whenSettled(readSettled);
    });
  }

  /** Adds a file, and checks its path before the call starts. */
  addFile(path: string | URL, options: SaveOptions | SavePolicy | undefined): Promise<Saved> {
    if (this.#hasStarted) return this.add("whole", (document) => document.saveTo(path, options));
    let checked: CheckedPath | undefined;
    const check = this.#nodeOutputs.checkPath(path, options, 0).then((result) => {
      checked = { ...result, target: undefined };
    });
    this.#checks ??= [];
    this.#checks.push(check);
    // Not after a promise: the whole document may arrive with its first bytes, and other outputs may want to read it, too.
    return this.add("whole", (document) => document.saveChecked(checked as CheckedPath));
  }

  /** Called when the caller awaits the pending result itself. */
  await(): void {
    this.#isAwaited = true;
    this.#settle();
  }

  cancel(reason: unknown): void {
    this.#isCancelled = true;
    this.#call.fail(reason);
  }

  onDocument(response: PdfResponse): void {
    this.#onSettled({
      document: new GeneratedPdf(response, this.#call, this.#nodeOutputs),
      response,
    });
  }

  onReplaced(): void {
    this.#settled = undefined;
  }

  onFailed(error: unknown): void {
    // If the document has already begun to arrive, its body fails.
    if (!this.#settled) this.#onSettled({ document: undefined, error });
  }

  #start(): void {
    this.#hasStarted = true;
    if (this.#checks) this.#startAfter(this.#checks);
    else this.#call.start();
  }

  async #startAfter(checks: readonly Promise<unknown>[]): Promise<void> {
    // Waits for all of them, even if the call was cancelled, so that drafts are removed and no rejection is unhandled.
    const results = await Promise.allSettled(checks);
    const failed = results.find((result) => result.status === "rejected");
    if (failed) this.#call.fail(failed.reason);
    else this.#call.start();
  }

  #onSettled(settled: Settled): void {
    this.#settled = settled;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    for (const read of waiting ?? []) read(settled);
    this.#settle();
  }

  #whenSettled(read: (settled: Settled) => void): void {
    if (this.#settled) read(this.#settled);
    else if (this.#waiting) this.#waiting.push(read);
    else this.#waiting = [read];
  }

  /**
   * Settles the pending result if it is awaited, or if nothing else handles a failure. Otherwise, catching `.bytes()` would leave
   * an unhandled rejection.
   */
  #settle(): void {
    const settled = this.#settled;
    const resolve = this.#resolve;
    const isHandled = this.#count > 0 || this.#isCancelled || this.#call.bulk !== undefined;
    if (!settled || !resolve || (isHandled && !this.#isAwaited)) return;
    this.#resolve = undefined;
    if (!settled.document) return rejectWithCaller(resolve, settled.error);
    // A bulk run reports documents that its own code does not read.
    const { resolveWatched } = this.#call.bulk ? {} : this.#nodeOutputs;
    if (resolveWatched && this.#count === 0) resolveWatched(resolve, settled.document, settled.response);
    else resolve(settled.document);
  }
}

const tick = /* @__PURE__ */ Promise.resolve();
