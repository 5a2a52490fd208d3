import { constants } from "node:fs";
import { type FileHandle, lstat, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { ignoreMissing, privateMode, renamePatiently } from "../../files/file-system.ts";
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

/** An open journal file. Only the holder of its lock may open it. */
export class JournalFile {
  readonly #path: string;
  #handle: FileHandle;
  /** The position after the last complete line. */
  #end = 0;

  /** @param handle - the handle of a regular file that is open for reading and writing */
  constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  /** Opens or creates a file. Returns `undefined` if the path is not a file. */
  static async open(path: string): Promise<JournalFile | undefined> {
    const handle = await openHandle(path);
    if ((await handle.stat()).isFile()) return new JournalFile(path, handle);
    await handle.close();
    return undefined;
  }

  /** Reads the header. Until the lines are read, new lines are added after the header. */
  async readBeginning(): Promise<Beginning> {
    const beginning = readBeginning(await this.#read(Buffer.allocUnsafe(chunkBytes), 0));
    if (beginning.kind === "header") this.#end = beginning.bytes;
    return beginning;
  }

  /**
   * Removes the permissions that earlier versions gave to other users, also from `<path>.old`. Must not be called before the file is
   * known to be a journal.
   */
  async makePrivate(): Promise<void> {
    await makePrivate(this.#handle);
    const handle = await openShared(`${this.#path}.old`);
    if (handle === undefined) return;
    const old = new JournalFile(`${this.#path}.old`, handle);
    try {
      if ((await old.readBeginning()).kind !== "foreign") await makePrivate(handle);
    } finally {
      await old.close();
    }
  }

  /** Reads all lines, and removes an incomplete last line. */
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

  /** Replaces the content of the file with an empty journal. */
  async begin(header: JournalHeader): Promise<void> {
    this.#end = 0;
    await this.#handle.truncate(0);
    await this.append(encodeHeader(header));
    // Makes the folder entry durable, if the platform supports it.
    await syncFolder(dirname(this.#path)).catch(() => {});
  }

  /** Renames the file to `<path>.old`, replacing an older one, and continues with a new file. */
  async putAside(): Promise<void> {
    await this.#handle.close();
    await renamePatiently(() => rename(this.#path, `${this.#path}.old`));
    this.#handle = await openHandle(this.#path);
  }

  /**
   * Appends lines and syncs them, all or none as far as the disk allows.
   *
   * @throws the system error. Earlier lines are unchanged
   */
  async append(lines: Uint8Array): Promise<void> {
    try {
      for (let written = 0; written < lines.length; ) {
        const left = lines.length - written;
        const { bytesWritten } = await this.#handle.write(lines, written, left, this.#end + written);
        if (bytesWritten === 0) throw new Error("no bytes were written");
        written += bytesWritten;
      }
      await this.#handle.datasync();
    } catch (error) {
      // If this also fails, the next run removes the incomplete line.
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
  // Opening a pipe or a terminal would wait.
  return open(path, constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK, privateMode);
}

/** Opens a file for reading if other users have permissions for it. Does not follow links. */
async function openShared(path: string): Promise<FileHandle | undefined> {
  const stats = await lstat(path).catch(ignoreMissing);
  if (!stats?.isFile() || (stats.mode & 0o077) === 0) return undefined;
  return open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error) => {
    // It belongs to another user, so this process cannot change its mode.
    if (error.code !== "EACCES") throw error;
    return undefined;
  });
}

/** The error codes of file systems without modes, and of files that belong to another user. */
const codesOfNoModes: readonly (string | undefined)[] = ["EPERM", "EACCES", "EINVAL", "ENOSYS", "ENOTSUP"];

/** Removes the permissions of other users from an open file, if the system supports it. */
async function makePrivate(file: FileHandle): Promise<void> {
  if (process.platform === "win32" || ((await file.stat()).mode & 0o077) === 0) return;
  await file.chmod(privateMode).catch((error) => {
    if (!codesOfNoModes.includes(error.code)) throw error;
  });
}
