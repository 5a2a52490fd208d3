import type { Body } from "../call/body.ts";
import { ChunkRelay } from "../call/chunks.ts";
import { isInstance } from "../errors/foreign-values.ts";
import {
  type CheckedPath,
  checkSavePath,
  isPolicy,
  type Saved,
  type SaveOptions,
  type SavePolicy,
} from "../files/save-path.ts";
import { checkOptions, isBoolean, type Rules } from "../options/option-rules.ts";
import type { Bytes, NodeBuffer, NodeReadable } from "../runtime/platform-types.ts";
import { FileSink } from "./file-sink.ts";
import { resolveWatched } from "./unread-warning.ts";

/** What documents need of Node APIs. */
export interface NodeOutputs {
  /** Resolves a pending result with its document, and warns if the document is never read. Missing in browsers. */
  readonly resolveWatched?: typeof resolveWatched;
  /** Returns bytes as a `Buffer` without copying them. */
  toBuffer(bytes: Bytes): NodeBuffer;
  toReadable(body: Body): NodeReadable;
  /**
   * Resolves a relative path immediately. Rejects with a `SaveError` if the file cannot be saved there.
   *
   * @param attempts - the number of requests, for that error
   */
  checkPath(
    given: string | URL,
    options: SaveOptions | SavePolicy | undefined,
    attempts: number,
  ): Promise<CheckedPath>;
  /** Saves the document completely or not at all. */
  save(body: Body, path: CheckedPath, attempts: number): Promise<Saved>;
}

const rules: Rules<SaveOptions> = { recursive: isBoolean };

/** The outputs in Node, Deno and Bun. */
export const nodeOutputs: NodeOutputs = {
  resolveWatched,
  toBuffer: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  toReadable: nodeStreamOf,
  async checkPath(given, options = {}, attempts) {
    const checked = isPolicy(options) ? options : checkOptions(options, rules, "saveTo()");
    return checkSavePath(given, checked, attempts);
  },
  async save(body, path, attempts) {
    const sink = new FileSink(body);
    body.read("saveTo()", sink);
    return { path: path.given, bytes: await sink.saveTo(path, attempts) };
  },
};

/** Returns a Node `Readable` that reads a body only as fast as it is read itself. */
function nodeStreamOf(body: Body): NodeReadable {
  // Loaded here, because only this output method needs it.
  const { Readable } = process.getBuiltinModule("node:stream");
  const readable = new Readable({
    // The default since Node 22. With a lower limit, a stream of small chunks would pause its connection often.
    highWaterMark: 64 * 1024,
    read: () => body.resume(),
    destroy: (error, done) => {
      if (!readable.readableEnded) {
        body.cancel(error ?? new DOMException("The stream was destroyed.", "AbortError"));
      }
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
      relay.flush();
      readable.push(null);
    },
    fail: (reason) => {
      const error = isInstance(reason, Error)
        ? reason
        : new Error("The document was cancelled.", { cause: reason });
      // The caller has just received the stream and may not listen yet, and an unhandled error would end the process.
      if (isListenedTo(readable)) readable.destroy(error);
      else readable.once("newListener", () => process.nextTick(() => readable.destroy(error)));
    },
  });
  return readable;
}

function isListenedTo(readable: NodeReadable): boolean {
  return ["error", "data", "readable", "end"].some((event) => readable.listenerCount(event) > 0);
}
