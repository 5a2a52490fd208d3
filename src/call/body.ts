import { ChunkList, smallestChunkBytes } from "./chunks.ts";
import type { ReadState } from "./phase-timeouts.ts";

/** The output that receives the bytes of a document. */
export interface Sink {
  /**
   * Whether the sink forwards bytes as they arrive. Otherwise, the result is available when the document is
   * complete.
   */
  readonly isStream: boolean;
  /** For streams, whether nothing has been read yet. */
  isUntouched?(): boolean;
  /** Receives the next bytes, which never change. Returns `false` to pause until `Body.resume`. */
  write(chunk: Uint8Array): boolean;
  /** Called after the last byte. A returned promise means that the sink is still working, and may still fail. */
  end(): void | Promise<void>;
  /**
   * Called at most once, when the document is incomplete or no longer needed. A returned promise means that the sink is cleaning
   * up.
   */
  fail(error: unknown): void | Promise<void>;
}

/** Sends the bytes of a body. */
export interface BodySource {
  /** An output begins to read. */
  onRead(): void;
  /** No more bytes can be held. */
  onPaused(): void;
  onResumed(): void;
}

/** How a body ends. */
export interface BodyEvents {
  /** An output has the complete document. */
  onWhole(): void;
  /** The document is not needed any more, or was not read in time. */
  onCancelled(reason: unknown): void;
}

/** The maximum number of unread bytes. After that, the connection is paused. */
const maxHeldBytes = 64 * 1024;

/** The bytes of one document, on their way to the one output that reads them. */
export class Body {
  readonly #source: BodySource;
  readonly #events: BodyEvents;
  #state: "arriving" | "arrived" | "failed" = "arriving";
  #error: unknown;
  /** Bytes that arrived before an output was chosen. */
  #held: ChunkList | undefined;
  /** The name of the current output, for the error of a second one. */
  #output: string | undefined;
  #sink: Sink | undefined;
  /** Whether the reader, or its absence, pauses the connection. */
  #isPaused = false;
  /** Whether the sink has requested more since the last chunk. */
  #wasResumed = false;

  /** Called when an output begins to read, or with the error if the body fails before. */
  onUsed: ((error?: unknown) => void) | undefined;

  constructor(source: BodySource, events: BodyEvents) {
    this.#source = source;
    this.#events = events;
  }

  get readState(): ReadState {
    if (!this.#sink) return "nobody";
    return this.#sink.isUntouched?.() === true ? "untouched" : "reading";
  }

  get isStream(): boolean {
    return this.#sink?.isStream === true;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  write(chunk: Uint8Array): void {
    if (this.#state === "failed") return;
    const wantsMore = this.#sink ? this.#give(this.#sink, chunk) : this.#hold(chunk);
    if (!wantsMore) this.#pause();
  }

  /** Called when every byte has arrived. */
  end(): void {
    this.#state = "arrived";
    if (this.#sink) this.#finish(this.#sink);
  }

  fail(error: unknown): void | Promise<void> {
    if (this.#state === "failed") return;
    this.#state = "failed";
    this.#error = error;
    this.#held = undefined;
    this.onUsed?.(error);
    return this.#sink?.fail(error);
  }

  /**
   * Chooses the sink. A document can be read once.
   *
   * @param output - the name of the output method
   * @throws {TypeError} if the document has already been read
   */
  read(output: string, sink: Sink): void {
    if (this.#output !== undefined) {
      throw new TypeError(
        `${output} cannot read the document, because ${this.#output} has already read it. Reuse the value it returned, or generate the document again.`,
      );
    }
    this.#output = output;
    this.onUsed?.();
    this.#sink = sink;
    if (this.#state === "failed") return void sink.fail(this.#error);
    this.#source.onRead();
    let wantsMore = true;
    for (const chunk of this.#held?.take() ?? []) wantsMore = !this.#hasFailed && this.#give(sink, chunk);
    this.#held = undefined;
    if (this.#hasFailed) return;
    if (this.#state === "arrived") this.#finish(sink);
    else if (wantsMore) this.resume();
    else this.#pause();
  }

  /** Called when the sink can take more. */
  resume(): void {
    this.#wasResumed = true;
    if (!this.#isPaused || this.#held || this.#hasFailed) return;
    this.#isPaused = false;
    this.#source.onResumed();
  }

  /** Ends the transfer, and fails the sink with `reason`. */
  cancel(reason: unknown): void {
    if (!this.#hasFailed) this.#events.onCancelled(reason);
  }

  /** A sink may cancel the body whenever it is called. */
  get #hasFailed(): boolean {
    return this.#state === "failed";
  }

  #give(sink: Sink, chunk: Uint8Array): boolean {
    this.#wasResumed = false;
    return sink.write(chunk) || this.#wasResumed;
  }

  /** Returns whether more bytes can be held. */
  #hold(chunk: Uint8Array): boolean {
    this.#held ??= new ChunkList();
    // A small chunk may be a slice of a much larger buffer.
    this.#held.add(chunk.length < smallestChunkBytes ? chunk.slice() : chunk);
    return this.#held.byteLength < maxHeldBytes;
  }

  #pause(): void {
    if (this.#isPaused || this.#hasFailed) return;
    this.#isPaused = true;
    this.#source.onPaused();
  }

  #finish(sink: Sink): void {
    this.#isPaused = false;
    const finishing = sink.end();
    const settle = () => {
      if (!this.#hasFailed) this.#events.onWhole();
    };
    if (finishing) finishing.then(settle, settle);
    else settle();
  }
}
