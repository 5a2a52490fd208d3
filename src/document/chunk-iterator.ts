import { abortError } from "../call/abort-signals.ts";
import { addCaller } from "../errors/caller-stack.ts";
import type { Bytes } from "../runtime/platform-types.ts";

type Reader = ReadableStreamDefaultReader<Bytes>;

/**
 * Iterates over the chunks of a document. It is not a generator, because a generator that never started does not run its
 * `finally` block, so the connection would stay open.
 *
 * @param open - opens the document when the first chunk is requested
 * @param giveUp - releases a document that was not opened
 */
export function iterateChunks(
  open: () => Reader | Promise<Reader>,
  giveUp: () => Promise<void>,
): AsyncIterableIterator<Bytes> {
  let reader: Promise<Reader> | undefined;
  return {
    async next() {
      reader ??= (async () => open())();
      try {
        const { done, value } = await (await reader).read();
        return done ? { done, value: undefined } : { done, value };
      } catch (error) {
        throw addCaller(error);
      }
    },
    async return() {
      if (reader === undefined) await giveUp();
      else await reader.then((opened) => opened.cancel(abortError())).catch(() => {});
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
