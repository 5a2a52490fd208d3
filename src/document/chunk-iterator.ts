import { abortError } from "../call/abort-signals.ts";
import { addCaller } from "../errors/caller-stack.ts";
import type { Bytes } from "../runtime/platform-types.ts";

type Reader = ReadableStreamDefaultReader<Bytes>;

/**
 * Goes through a document chunk by chunk. No generator: one that was never started runs no `finally`, and would
 * leave the connection behind when its loop is left at once.
 */
export class ChunkIterator implements AsyncIterableIterator<Bytes> {
  readonly #open: () => Reader | Promise<Reader>;
  readonly #giveUp: () => Promise<void>;
  #reader: Promise<Reader> | undefined;

  /**
   * @param open - opens the document, at the first chunk that is asked for
   * @param giveUp - frees a document that was not opened
   */
  constructor(open: () => Reader | Promise<Reader>, giveUp: () => Promise<void>) {
    this.#open = open;
    this.#giveUp = giveUp;
  }

  async next(): Promise<IteratorResult<Bytes, undefined>> {
    this.#reader ??= this.#begin();
    try {
      const { done, value } = await (await this.#reader).read();
      return done ? { done, value: undefined } : { done, value };
    } catch (error) {
      throw addCaller(error);
    }
  }

  async return(): Promise<IteratorResult<Bytes, undefined>> {
    if (this.#reader === undefined) await this.#giveUp();
    else await this.#reader.then((reader) => reader.cancel(abortError())).catch(() => {});
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #begin(): Promise<Reader> {
    return this.#open();
  }
}
