import type { Body, Sink } from "../call/body.ts";
import { ChunkRelay } from "../call/chunks.ts";
import type { Bytes } from "../runtime/platform-types.ts";

/** How many bytes are fetched ahead of a reader. */
const highWaterMark = 64 * 1024;

/** Gives a document as a web stream: fetched only as fast as it is read, ended by an error when it is not whole. */
export function webStreamOf(source: Body, form: string): ReadableStream<Bytes> {
  return new ReadableStream<Bytes>(
    {
      start: (controller) => source.read(form, new StreamSink(controller)),
      pull: () => source.resume(),
      cancel: (reason) => source.cancel(reason),
    },
    { highWaterMark, size: (chunk) => chunk.byteLength },
  );
}

class StreamSink implements Sink {
  readonly isStream = true;
  readonly #controller: ReadableStreamDefaultController<Bytes>;
  readonly #relay = new ChunkRelay(
    (chunk) => this.#enqueue(chunk),
    () => (this.#controller.desiredSize ?? 0) > 0,
  );
  #givenBytes = 0;

  constructor(controller: ReadableStreamDefaultController<Bytes>) {
    this.#controller = controller;
  }

  write(chunk: Uint8Array): boolean {
    return this.#relay.write(chunk);
  }

  isUntouched(): boolean {
    return this.#controller.desiredSize === highWaterMark - this.#givenBytes;
  }

  end(): void {
    this.#relay.flush();
    this.#controller.close();
  }

  fail(error: unknown): void {
    this.#relay.drop();
    this.#controller.error(error);
  }

  #enqueue(chunk: Uint8Array): void {
    this.#givenBytes += chunk.length;
    this.#controller.enqueue(ownBytes(chunk));
  }
}

/**
 * Gives bytes that own their memory. Chunks from the wire may share one buffer, and whoever transfers one to a
 * worker would take the others' along.
 */
function ownBytes(chunk: Uint8Array): Bytes {
  const whole = chunk.byteLength === chunk.buffer.byteLength && chunk.buffer instanceof ArrayBuffer;
  return whole ? new Uint8Array(chunk.buffer) : new Uint8Array(chunk);
}
