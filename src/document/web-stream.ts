import { abortError } from "../call/abort-signals.ts";
import type { Body } from "../call/body.ts";
import { ChunkRelay } from "../call/chunks.ts";
import { addCaller } from "../errors/caller-stack.ts";
import { ConfigurationError } from "../errors/errors.ts";
import type { Bytes } from "../runtime/platform-types.ts";

/** The number of bytes to buffer ahead of a reader. */
const highWaterMark = 64 * 1024;

/**
 * Returns a web stream of a body, with backpressure. It fails if the document is incomplete.
 *
 * @param output - the name of the output method
 * @throws {ConfigurationError} in a runtime without web streams
 */
export function webStreamOf(body: Body, output: string): ReadableStream<Bytes> {
  if (typeof ReadableStream === "undefined") throw missing(output, "`ReadableStream`");
  return new ReadableStream<Bytes>(
    {
      start: (controller) => writeTo(controller, body, output),
      pull: () => body.resume(),
      cancel: (reason) => body.cancel(reason),
    },
    { highWaterMark, size: (chunk) => chunk.byteLength },
  );
}

/** An output needs a feature of the runtime that React Native does not have. */
export function missing(output: string, feature: string, cause?: unknown): ConfigurationError {
  const message = `${output} needs ${feature}, which this runtime does not have. Use bytes().`;
  return new ConfigurationError(message, { cause });
}

function writeTo(controller: ReadableStreamDefaultController<Bytes>, body: Body, output: string): void {
  let givenBytes = 0;
  const relay = new ChunkRelay(
    (chunk) => {
      givenBytes += chunk.length;
      controller.enqueue(ownBytes(chunk));
    },
    () => (controller.desiredSize ?? 0) > 0,
  );
  body.read(output, {
    isStream: true,
    isUntouched: () => controller.desiredSize === highWaterMark - givenBytes,
    write: (chunk) => relay.write(chunk),
    end() {
      relay.flush();
      controller.close();
    },
    fail(error) {
      relay.drop();
      controller.error(error);
    },
  });
}

/** Returns bytes that own their memory. Chunks may share a buffer, and transferring one would transfer the others. */
function ownBytes(chunk: Uint8Array): Bytes {
  const whole = chunk.byteLength === chunk.buffer.byteLength && chunk.buffer instanceof ArrayBuffer;
  return whole ? new Uint8Array(chunk.buffer) : new Uint8Array(chunk);
}

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
