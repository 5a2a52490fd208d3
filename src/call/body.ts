import type { Exchange } from "../transport/transport.ts";
import type { Attempt } from "./attempt.ts";
import { smallestChunkBytes } from "./chunks.ts";

/** Where the bytes of a document go: one output. */
export interface Sink {
  /** Whether it passes bytes on while they arrive. Otherwise its result appears only when the document is whole. */
  readonly isStream: boolean;
  /** Of a stream: whether the reader has not taken a byte yet. */
  isUntouched?(): boolean;
  /** Takes the next bytes, which never change. `false` asks to wait until `Body.resume`. */
  write(chunk: Uint8Array): boolean;
  /** Called after the last byte. A returned promise means that the sink is still at work, and may yet be failed. */
  end(): void | Promise<void>;
  /**
   * Called at most once, when the document will never be whole or is no longer wanted. A returned promise means that the sink still
   * cleans up.
   */
  fail(error: unknown): void | Promise<void>;
}

/** The maximum number of bytes that are held while nothing reads them. Then the service has to wait. */
const maxHeldBytes = 64 * 1024;

/** The maximum number of held chunks; each has a fixed overhead. */
const maxHeldChunks = 1024;

/** The bytes of one document, from the transport to the one output that reads them. */
export class Body {
  readonly #exchange: Exchange;
  readonly #attempt: Attempt;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  /** The output that reads, for the error of a second one. */
  #output: string | undefined;
  #sink: Sink | undefined;
  /** The reader, or the lack of one, makes the service wait. */
  #isPaused = false;
  /** The sink asked for more while it was given a chunk. */
  #wasResumed = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(exchange: Exchange, attempt: Attempt) {
    this.#exchange = exchange;
    this.#attempt = attempt;
  }

  /** Whether an output has begun to read. */
  get isRead(): boolean {
    return this.#output !== undefined;
  }

  /** Whether it is read by an output that passes bytes on while they arrive. */
  get isStream(): boolean {
    return this.#sink?.isStream === true;
  }

  /** Whether a stream was handed out, and nothing was taken from it yet. */
  get isUntouched(): boolean {
    return this.#sink?.isUntouched?.() === true;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  // Called by the attempt.

  write(chunk: Uint8Array): void {
    if (this.#sink && !this.#isPaused) {
      if (!this.#give(this.#sink, chunk) && !this.#failure) this.#pause();
    } else {
      this.#hold(chunk);
    }
  }

  /** Every byte has arrived. */
  end(): void {
    if (!this.#sink) this.#attempt.onUnread();
    else if (this.#held.length === 0) this.#finish(this.#sink);
  }

  fail(error: unknown): void | Promise<void> {
    if (this.#failure) return;
    this.#failure = { error };
    this.#held = [];
    return this.#sink?.fail(error);
  }

  // Called by the output.

  /**
   * Chooses the sink. A document can be read once.
   *
   * @param output - its name, as the caller knows it
   * @throws {TypeError} if the document was read before
   */
  read(output: string, sink: Sink): void {
    if (this.#output !== undefined) {
      throw new TypeError(
        `This document was already read by ${this.#output}, so ${output} finds nothing. A document can be read once: keep what the first form gave, or generate it again.`,
      );
    }
    this.#output = output;
    this.#sink = sink;
    if (this.#failure) return void sink.fail(this.#failure.error);
    this.#attempt.onRead(sink.isStream);
    this.#flow(sink);
  }

  /** The sink can take more. */
  resume(): void {
    this.#wasResumed = true;
    if (this.#sink && this.#isPaused) this.#flow(this.#sink);
  }

  /** Ends the transfer, frees its socket, and fails the sink with `reason`. */
  cancel(reason: unknown): void {
    if (!this.#failure) this.#attempt.call.fail(reason);
  }

  /** Gives the sink what was held, then lets the transport continue. */
  #flow(sink: Sink): void {
    const wasPaused = this.#isPaused;
    // Before the sink is given anything: it may call `resume` meanwhile.
    this.#isPaused = false;
    let wantsMore = true;
    while (wantsMore && this.#held.length > 0) wantsMore = this.#give(sink, this.#held.shift() as Uint8Array);
    if (this.#failure) return;
    if (!wantsMore) {
      if (wasPaused) this.#isPaused = true;
      else this.#pause();
      return;
    }
    if (this.#attempt.hasEnded) return this.#finish(sink);
    if (!wasPaused) return;
    this.#attempt.onResumed();
    this.#exchange.resume();
  }

  #give(sink: Sink, chunk: Uint8Array): boolean {
    this.#wasResumed = false;
    return sink.write(chunk) || this.#wasResumed;
  }

  #hold(chunk: Uint8Array): void {
    // A small chunk may be a slice of a buffer that is much larger.
    const isSlice = chunk.length < smallestChunkBytes && chunk.buffer.byteLength > chunk.length;
    this.#held.push(isSlice ? chunk.slice() : chunk);
    this.#heldBytes += chunk.length;
    const isFull = this.#heldBytes >= maxHeldBytes || this.#held.length >= maxHeldChunks;
    if (isFull && !this.#isPaused) this.#pause();
  }

  #pause(): void {
    this.#isPaused = true;
    if (this.#attempt.hasEnded) return;
    this.#attempt.onPaused();
    this.#exchange.pause();
  }

  #finish(sink: Sink): void {
    this.#isPaused = false;
    const finishing = sink.end();
    if (!finishing) return this.#attempt.onWhole();
    const settle = () => {
      if (!this.#failure) this.#attempt.onWhole();
    };
    finishing.then(settle, settle);
  }
}
