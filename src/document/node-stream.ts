import type { Body } from "../call/body.ts";
import { ChunkRelay } from "../call/chunks.ts";
import type { NodeReadable } from "../runtime/platform-types.ts";

/** Returns a Node `Readable` that reads a body only as fast as it is read itself. */
export function nodeStreamOf(body: Body): NodeReadable {
  // Loaded here, because only this output method needs it.
  const { Readable } = process.getBuiltinModule("node:stream");
  let isWhole = false;
  const readable = new Readable({
    // The default since Node 22. With less, a stream of small chunks pauses its connection many times a read.
    highWaterMark: 64 * 1024,
    read: () => body.resume(),
    destroy: (error, done) => {
      if (!isWhole) body.cancel(error ?? new DOMException("The stream was destroyed.", "AbortError"));
      done(error);
    },
  });
  const relay = new ChunkRelay(
    (chunk) => readable.push(chunk),
    () => readable.readableLength < readable.readableHighWaterMark,
  );
  body.read("nodeStream()", {
    isStream: true,
    isUntouched: () => !readable.readableDidRead,
    write: (chunk) => relay.write(chunk),
    end: () => {
      isWhole = true;
      relay.flush();
      readable.push(null);
    },
    fail: (reason) => {
      relay.drop();
      const error =
        reason instanceof Error ? reason : new Error("The document was cancelled.", { cause: reason });
      // A caller that has just received the stream has had no time to listen, and an unhandled error ends the process.
      if (isListenedTo(readable)) readable.destroy(error);
      else readable.once("newListener", () => process.nextTick(() => readable.destroy(error)));
    },
  });
  return readable;
}

function isListenedTo(readable: NodeReadable): boolean {
  return ["error", "data", "readable", "end"].some((event) => readable.listenerCount(event) > 0);
}
