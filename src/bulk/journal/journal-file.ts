import { constants } from "node:fs";
import { type FileHandle, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { renamePatiently } from "../../files/file-system.ts";
import { syncFolder } from "../folder/writable-folder.ts";
import {
  type Beginning,
  encodeHeader,
  type JournalHeader,
  LineReader,
  type LinesRead,
  readBeginning,
} from "./journal-format.ts";
import type { JobRecord } from "./key-table.ts";

const chunkBytes = 1024 * 1024;

/** The file of a journal, open: only whoever has its lock may have one. */
export class JournalFile {
  readonly #path: string;
  #handle: FileHandle;
  /** Where the last whole line ends, and the next begins. */
  #end = 0;

  /** @param handle - of a regular file, open for reading and writing */
  constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  /** Opens a file, or creates it; returns nothing if something else than a file is there. */
  static async open(path: string): Promise<JournalFile | undefined> {
    const handle = await openHandle(path);
    if ((await handle.stat()).isFile()) return new JournalFile(path, handle);
    await handle.close();
    return undefined;
  }

  /** Tells what the file begins with. What is added comes behind its header, until the lines are read. */
  async readBeginning(): Promise<Beginning> {
    const beginning = readBeginning(await this.#read(Buffer.allocUnsafe(chunkBytes), 0));
    if (beginning.kind === "header") this.#end = beginning.bytes;
    return beginning;
  }

  /** Reads all lines, and cuts off a last one that was not written to its end. */
  async readLines(take: (record: JobRecord) => void): Promise<LinesRead> {
    const reader = new LineReader(take);
    const chunk = Buffer.allocUnsafe(chunkBytes);
    let at = this.#end;
    for (;;) {
      const bytes = await this.#read(chunk, at);
      if (bytes.length === 0) break;
      reader.read(bytes);
      at += bytes.length;
    }
    const lines = reader.end();
    this.#end += lines.wholeBytes;
    if (this.#end < at) await this.#handle.truncate(this.#end);
    return lines;
  }

  /** Makes the file a journal without lines, whatever stood in it. */
  async begin(header: JournalHeader): Promise<void> {
    this.#end = 0;
    await this.#handle.truncate(0);
    await this.append(encodeHeader(header));
    // Makes durable that the file is in its folder, if the platform can.
    await syncFolder(dirname(this.#path)).catch(() => {});
  }

  /** Renames the file to `<path>.old`, in place of an older one, and goes on with a new one. */
  async putAside(): Promise<void> {
    await this.#handle.close();
    await renamePatiently(() => rename(this.#path, `${this.#path}.old`));
    this.#handle = await openHandle(this.#path);
  }

  /**
   * Adds lines and syncs them: all or none, as far as the disk still allows.
   *
   * @throws the system's own error; the lines before stay as they are
   */
  async append(lines: Uint8Array): Promise<void> {
    try {
      for (let written = 0; written < lines.length; ) {
        const left = lines.length - written;
        const { bytesWritten } = await this.#handle.write(lines, written, left, this.#end + written);
        if (bytesWritten === 0) throw new Error("the system writes nothing of it");
        written += bytesWritten;
      }
      await this.#handle.datasync();
    } catch (error) {
      // Where this fails, too, the next run cuts off what is not whole.
      await this.#handle.truncate(this.#end).catch(() => {});
      throw error;
    }
    this.#end += lines.length;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  async #read(into: Buffer, at: number): Promise<Buffer> {
    const { bytesRead } = await this.#handle.read(into, 0, into.length, at);
    return into.subarray(0, bytesRead);
  }
}

function openHandle(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDWR | constants.O_CREAT);
}
