import type { Body } from "../call/body.ts";
import { AtomicFile } from "../files/atomic-file.ts";
import {
  parseSavePath,
  resolveSaveTarget,
  type SavePath,
  type SavePolicy,
  saveError,
} from "../files/save-path.ts";
import type { Bytes, NodeBuffer, NodeReadable } from "../runtime/platform-types.ts";
import { FileSink } from "./file-sink.ts";
import type { Saved } from "./generated-pdf.ts";
import { nodeStreamOf } from "./node-stream.ts";

/** The output methods that need more than a web-standard runtime. */
export interface NodeOutputs {
  /** Returns bytes as a `Buffer` without copying them. */
  toBuffer(bytes: Bytes): NodeBuffer;
  toReadable(body: Body): NodeReadable;
  /**
   * Checks that a document can be saved to a path. Reads a relative path at once, and rejects with a `SaveError` if nothing can be saved
   * there.
   */
  checkPath(given: string | URL, policy?: SavePolicy): Promise<SavePath>;
  /** Saves the document: the whole file or none. */
  save(body: Body, path: SavePath, attempts: number): Promise<Saved>;
}

/** The outputs in Node, and in Deno and Bun, which have Node's modules. */
export const nodeOutputs: NodeOutputs = {
  toBuffer: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  toReadable: nodeStreamOf,
  async checkPath(given, policy) {
    const path = parseSavePath(given, policy);
    await policy?.prepare();
    try {
      const target = await resolveSaveTarget(path);
      // Creating a file is cheaper than rendering a document in vain. A bulk run has checked the folder in `prepare`.
      if (!target.isDirect && !policy) await AtomicFile.probe(target.folder);
      return path;
    } catch (error) {
      throw saveError(path, error);
    }
  },
  async save(body, path, attempts) {
    const sink = new FileSink(body);
    body.read("saveTo()", sink);
    return { path: path.given, bytes: await sink.saveTo(path, attempts) };
  },
};
