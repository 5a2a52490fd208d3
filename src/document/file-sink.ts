import type { Body, Sink } from "../call/body.ts";
import { ChunkList } from "../call/chunks.ts";
import type { AtomicFile } from "../files/atomic-file.ts";
import { type CheckedPath, saveError, saveFile } from "../files/save-path.ts";

/** The maximum number of unwritten bytes. After that, the connection is paused. */
const maxQueuedBytes = 1024 * 1024;

/** Writes a document to a file as fast as the disk accepts it. */
export class FileSink implements Sink {
  readonly isStream = false;
  readonly #body: Body;
  readonly #queue = new ChunkList();
  #state: "receiving" | "received" | { readonly error: unknown } = "receiving";
  /** Wakes the writer when more bytes arrive. */
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

  /** The promise keeps the timeouts of the call running until the file is renamed. */
  end(): Promise<void> {
    this.#state = "received";
    this.#wake?.();
    return this.#closed;
  }

  /** The promise makes a retry wait until the draft is removed. */
  fail(error: unknown): Promise<void> {
    this.#state = { error };
    this.#wake?.();
    return this.#closed;
  }

  /**
   * Writes the document to a path, completely or not at all.
   *
   * @returns the number of bytes
   * @throws {SaveError} with the path, and the system error as its cause
   */
  async saveTo(path: CheckedPath, attempts: number): Promise<number> {
    const throwIfFailed = () => this.#throwIfFailed();
    try {
      return await saveFile(path, (file) => this.#drainInto(file), throwIfFailed);
    } catch (error) {
      // An error from `fail` is the caller's reason, or already describes the failure.
      this.#throwIfFailed();
      const failure = saveError(path, error, attempts);
      this.#body.cancel(failure);
      throw failure;
    } finally {
      this.#reportClosed?.();
    }
  }

  async #drainInto(file: AtomicFile): Promise<number> {
    let bytes = 0;
    for (;;) {
      this.#throwIfFailed();
      if (this.#queue.byteLength > 0) {
        bytes += this.#queue.byteLength;
        await file.write(this.#queue.take());
        this.#body.resume();
      } else if (this.#state === "received") {
        return bytes;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  #throwIfFailed(): void {
    if (typeof this.#state === "object") throw this.#state.error;
  }
}
