import type { Body, Sink } from "../call/body.ts";
import { ChunkList } from "../call/chunks.ts";
import { Draft } from "../files/draft.ts";
import { resolveSaveTarget, type SavePath } from "../files/save-target.ts";
import { asSaveError } from "../files/system-errors.ts";

/** How much may wait to be written before the service has to wait. */
const maxQueuedBytes = 1024 * 1024;

/** How often a pipe without a reader is checked again. */
const readerPollMs = 50;

/** Writes a document to a file as fast as the disk takes it. */
export class FileSink implements Sink {
  readonly isStream = false;
  readonly #body: Body;
  readonly #queue = new ChunkList();
  #state: "receiving" | "received" | { readonly error: unknown } = "receiving";
  /** Ends the wait for more bytes, or for the reader of a pipe. */
  #wake: (() => void) | undefined;
  #reportClosed: (() => void) | undefined;
  readonly #closed = new Promise<void>((resolve) => {
    this.#reportClosed = resolve;
  });

  constructor(body: Body) {
    this.#body = body;
  }

  write(chunk: Uint8Array): boolean {
    this.#queue.add(chunk);
    this.#wake?.();
    return this.#queue.byteLength < maxQueuedBytes;
  }

  /** The promise keeps the deadlines of the call running until the file has its name. */
  end(): Promise<void> {
    this.#state = "received";
    this.#wake?.();
    return this.#closed;
  }

  /** The promise makes a retry wait until the temporary file is removed. */
  fail(error: unknown): Promise<void> {
    this.#state = { error };
    this.#wake?.();
    return this.#closed;
  }

  /**
   * Writes the document to a path: the whole file or none.
   *
   * @returns the number of bytes
   * @throws {SaveError} with the path, and the system's own error as its cause
   */
  async saveTo(path: SavePath, attempts: number): Promise<number> {
    let draft: Draft | undefined;
    try {
      draft = await this.#open(path);
      const bytes = await this.#drainInto(draft);
      await draft.finish(() => this.#throwIfFailed());
      return bytes;
    } catch (error) {
      // If the temporary file cannot be removed, the first error is still the one to report.
      await draft?.discard().catch(() => {});
      // An error from `fail` is the caller's own reason, or already says what is wrong.
      this.#throwIfFailed();
      const failure = asSaveError(error, path.given, attempts);
      this.#body.cancel(failure);
      throw failure;
    } finally {
      this.#reportClosed?.();
    }
  }

  async #open(path: SavePath): Promise<Draft> {
    const target = await resolveSaveTarget(path);
    for (;;) {
      this.#throwIfFailed();
      const draft = await Draft.open(target, path);
      if (draft) return draft;
      await this.#wait(readerPollMs);
    }
  }

  async #drainInto(draft: Draft): Promise<number> {
    let bytes = 0;
    for (;;) {
      this.#throwIfFailed();
      if (this.#queue.byteLength > 0) {
        bytes += this.#queue.byteLength;
        await draft.write(this.#queue.take());
        this.#body.resume();
      } else if (this.#state === "received") {
        return bytes;
      } else {
        await this.#wait();
      }
    }
  }

  #wait(limitMs?: number): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (limitMs !== undefined) setTimeout(resolve, limitMs);
    });
  }

  #throwIfFailed(): void {
    if (typeof this.#state === "object") throw this.#state.error;
  }
}
