import type { Body } from "../call/body.ts";
import { ChunkRelay } from "../call/chunks.ts";
import type { Bytes } from "../runtime/platform-types.ts";

/** The number of bytes to buffer ahead of a reader. */
const highWaterMark = 64 * 1024;

/**
 * Returns a web stream of a body, with backpressure. It fails if the document is incomplete.
 *
 * @param output - the name of the output method
 */
export function webStreamOf(body: Body, output: string): ReadableStream<Bytes> {
  return new ReadableStream<Bytes>(
    {
      start: (controller) => writeTo(controller, body, output),
      pull: () => body.resume(),
      cancel: (reason) => body.cancel(reason),
    },
    { highWaterMark, size: (chunk) => chunk.byteLength },
  );
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
