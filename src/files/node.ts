import type { Body } from "../call/body.ts";
import { ChunkRelay } from "../call/chunks.ts";
import type { NodeReadable } from "../runtime/platform-types.ts";
import { check, save } from "./save.ts";
import { locate } from "./target.ts";
import type { Files } from "./types.ts";

/** The files of Node, and in Deno and Bun, which have Node's modules. */
export const files: Files = {
  toBuffer: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  toReadable,
  locate,
  check,
  save,
};

function toReadable(source: Body): NodeReadable {
  // Loaded here, because only this form needs it.
  const { Readable } = process.getBuiltinModule("node:stream");
  let whole = false;
  const readable = new Readable({
    // The default since Node 22. With less, a stream of small chunks pauses its connection many times a read.
    highWaterMark: 64 * 1024,
    read: () => source.resume(),
    destroy: (error, done) => {
      if (!whole) source.cancel(error ?? new DOMException("The stream was destroyed.", "AbortError"));
      done(error);
    },
  });
  const relay = new ChunkRelay(
    (chunk) => readable.push(chunk),
    () => readable.readableLength < readable.readableHighWaterMark,
  );
  source.read("nodeStream()", {
    isStream: true,
    isUntouched: () => !readable.readableDidRead,
    write: (chunk) => relay.write(chunk),
    end: () => {
      whole = true;
      relay.flush();
      readable.push(null);
    },
    fail: (reason) => {
      relay.drop();
      const error =
        reason instanceof Error ? reason : new Error("The document was cancelled.", { cause: reason });
      // Whoever got the stream a moment ago has had no time to listen, and an error unheard ends the process.
      if (isListenedTo(readable)) readable.destroy(error);
      else readable.once("newListener", () => process.nextTick(() => readable.destroy(error)));
    },
  });
  return readable;
}

function isListenedTo(readable: NodeReadable): boolean {
  return ["error", "data", "readable", "end"].some((event) => readable.listenerCount(event) > 0);
}
