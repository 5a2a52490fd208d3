import type { Exchange } from "../transport/transport.ts";
import { smallestChunkBytes } from "./chunks.ts";

/** Where the bytes of a document go: one form of it. Chosen late, and once. */
export interface Sink {
  /** Whether it hands bytes on while they arrive; else what it makes is seen only when it is whole. */
  readonly isStream: boolean;
  /** Of a stream: whether nobody has taken a byte of it yet. */
  isUntouched?(): boolean;
  /** Takes the next bytes, which never change; `false` asks to wait until `Body.resume`. */
  write(chunk: Uint8Array): boolean;
  /** Hears that all bytes were given. A promise tells that the sink is still at work and may yet be failed. */
  end(): void | Promise<void>;
  /** Hears that the document will never be whole, or is no longer wanted. Comes at most once. */
  fail(error: unknown): void;
}

/** What a form reads from: the readable side of a body. */
export interface Source {
  /** Chooses the sink. `form` names it, for the error that a second reader gets. */
  read(form: string, sink: Sink): void;
  /** Hears that the sink can take more. */
  resume(): void;
  /** Ends the transfer, frees its socket, and fails the sink with `reason`. */
  cancel(reason: unknown): void;
}

/** How much of a document nobody has asked for yet is held before the service has to wait. */
const maxHeldBytes = 64 * 1024;

/** The maximum number of held chunks; each has a fixed overhead. */
const maxHeldChunks = 1024;

/** The bytes of one document on their way from the wire to the one form that was asked for. */
export class Body implements Source {
  readonly #exchange: Exchange;
  readonly #owner: BodyOwner;
  #held: Uint8Array[] | undefined;
  #heldBytes = 0;
  #form: string | undefined;
  #sink: Sink | undefined;
  /** The sink, or the missing sink, has had enough for now. */
  #paused = false;
  #ended = false;
  #failure: { readonly error: unknown } | undefined;
  /** The sink is being given what was held. */
  #isFlowing = false;
  /** The sink asked for more since it was given the last chunk. */
  #wasResumed = false;
  /** The sink was told that it has everything. */
  #finished = false;
  /** The sink has heard its last. */
  #settled = false;

  constructor(exchange: Exchange, owner: BodyOwner) {
    this.#exchange = exchange;
    this.#owner = owner;
  }

  /** Whether a form has begun to read. */
  get isRead(): boolean {
    return this.#form !== undefined;
  }

  /** Whether a stream was given out that nobody has taken a byte of. */
  get isUntouched(): boolean {
    return this.#sink?.isUntouched?.() === true;
  }

  /** Whether the service has to wait for whoever reads. */
  get isPaused(): boolean {
    return this.#paused;
  }

  // From the wire.

  write(chunk: Uint8Array): void {
    if (this.#sink && !this.#paused) {
      if (!this.#give(this.#sink, chunk)) this.#pause();
      return;
    }
    // A small chunk may be a slice of a buffer that is much larger.
    const held =
      chunk.length < smallestChunkBytes && chunk.buffer.byteLength > chunk.length ? chunk.slice() : chunk;
    if (this.#held) this.#held.push(held);
    else this.#held = [held];
    this.#heldBytes += chunk.length;
    if (this.#heldBytes >= maxHeldBytes || this.#held.length >= maxHeldChunks) this.#pause();
  }

  end(): void {
    this.#ended = true;
    if (!this.#sink) this.#owner.onRest();
    else if (!this.#held) this.#finish(this.#sink);
  }

  fail(error: unknown): void {
    if (this.#failure || this.#settled) return;
    this.#failure = { error };
    this.#held = undefined;
    if (this.#sink) this.#settle(() => this.#sink?.fail(error));
    else this.#owner.onRest();
  }

  // From the form.

  read(form: string, sink: Sink): void {
    if (this.#form !== undefined) {
      throw new TypeError(
        `This document was already read by ${this.#form}, so ${form} finds nothing. A document can be read once: keep what the first form gave, or generate it again.`,
      );
    }
    this.#form = form;
    this.#sink = sink;
    this.#owner.onRead(sink.isStream);
    if (this.#failure) {
      const { error } = this.#failure;
      this.#settle(() => sink.fail(error));
      return;
    }
    this.#flow(sink);
  }

  resume(): void {
    this.#wasResumed = true;
    if (this.#sink && this.#paused && !this.#failure && !this.#isFlowing) this.#flow(this.#sink);
  }

  cancel(reason: unknown): void {
    this.#owner.cancel(reason);
  }

  /** Gives the sink what was held, then lets the wire go on. */
  #flow(sink: Sink): void {
    this.#isFlowing = true;
    const wantsMore = this.#giveHeld(sink);
    this.#isFlowing = false;
    if (this.#failure) return;
    if (!wantsMore) return this.#pause();
    if (this.#ended) return this.#finish(sink);
    if (!this.#paused) return;
    this.#paused = false;
    this.#owner.onFlow(true);
    this.#exchange.resume();
  }

  #giveHeld(sink: Sink): boolean {
    const held = this.#held;
    if (!held) return true;
    this.#held = undefined;
    for (let index = 0; index < held.length; index++) {
      const wantsMore = this.#give(sink, held[index] as Uint8Array);
      if (this.#failure) return false;
      if (wantsMore) continue;
      const rest = held.slice(index + 1);
      if (rest.length > 0) this.#held = rest;
      return false;
    }
    return true;
  }

  /** Gives the sink one chunk; it may ask for more before it answers that it has enough. */
  #give(sink: Sink, chunk: Uint8Array): boolean {
    this.#wasResumed = false;
    return sink.write(chunk) || this.#wasResumed;
  }

  #pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    if (this.#ended) return;
    this.#owner.onFlow(false);
    this.#exchange.pause();
  }

  #finish(sink: Sink): void {
    if (this.#finished) return;
    this.#finished = true;
    const finishing = sink.end();
    if (!finishing) return this.#settle();
    const settle = () => this.#settle();
    finishing.then(settle, settle);
  }

  #settle(last?: () => void): void {
    if (this.#settled) return;
    this.#settled = true;
    last?.();
    this.#owner.onRest();
  }
}

/** What a body belongs to: the attempt that fetched it. */
export interface BodyOwner {
  /** A form has begun to read. */
  onRead(isStream: boolean): void;
  /** The bytes were stopped, because whoever reads is slower than the service, or flow again. */
  onFlow(isFlowing: boolean): void;
  /** Nothing of the caller's waits for this body at the moment; what watches over the call may go. */
  onRest(): void;
  cancel(reason: unknown): void;
}
