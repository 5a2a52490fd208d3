import { type FileHandle, open, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addAbortSignal, type Readable } from "node:stream";
import { describeReadError, Failure, Misuse } from "../../failure.ts";
import { isStdin, openInput } from "../../input.ts";

/** The size of a chunk. */
const chunkBytes = 64 * 1024;

/** Bytes that can be read more than once, either from a file or from a stored copy of a pipe's data. */
export class StoredBytes {
  /** The name of the source in messages. */
  readonly name: string;
  readonly #file: FileHandle;
  readonly #signal: AbortSignal;
  readonly #version: string;

  constructor(name: string, file: FileHandle, version: string, signal: AbortSignal) {
    this.name = name;
    this.#file = file;
    this.#version = version;
    this.#signal = signal;
  }

  /** Reads the bytes from the beginning, each chunk into a new buffer. Throws if the file has changed since it was opened. */
  async *chunks(): AsyncGenerator<Buffer, void, undefined> {
    for (let position = 0; ; ) {
      const chunk = await this.#read(position, chunkBytes);
      if (chunk.length === 0) return;
      position += chunk.length;
      yield chunk;
    }
  }

  /** Returns at most `maxBytes` bytes from the beginning. */
  start(maxBytes: number): Promise<Buffer> {
    return this.#read(0, maxBytes);
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #read(position: number, maxBytes: number): Promise<Buffer> {
    this.#signal.throwIfAborted();
    const buffer = Buffer.allocUnsafeSlow(maxBytes);
    const { bytesRead } = await this.#file.read(buffer, 0, maxBytes, position).catch((cause) => {
      throw unreadable(this.name, cause);
    });
    // Compared before the bytes are returned, so that the run uses the same bytes as the check.
    if ((await versionOf(this.#file)) !== this.#version) {
      throw new Misuse(`${this.name} changed while it was being read. Run the command again.`);
    }
    return buffer.subarray(0, bytesRead);
  }
}

/** Opens a file, or `-`. Input that can be read only once is first copied to a private temporary file. */
export async function storeBytes(path: string, stdin: Readable, signal: AbortSignal): Promise<StoredBytes> {
  const name = isStdin(path) ? "standard input" : path;
  try {
    const input = await openInput(path, stdin);
    const file = "file" in input ? input.file : await writeDown(name, input.pipe, signal);
    return new StoredBytes(name, file, await versionOf(file), signal);
  } catch (cause) {
    signal.throwIfAborted();
    throw cause instanceof Failure ? cause : unreadable(name, cause);
  }
}

async function writeDown(name: string, source: Readable, signal: AbortSignal): Promise<FileHandle> {
  const path = join(tmpdir(), `template-pdf-${crypto.randomUUID()}`);
  let file: FileHandle | undefined;
  try {
    file = await open(path, "wx+", 0o600);
    // The bytes exist until the file is closed, even on Windows.
    await unlink(path).catch(() => {});
    await writeFile(file, addAbortSignal(signal, source));
    return file;
  } catch (cause) {
    await file?.close();
    const isOfSource = file !== undefined && (cause as NodeJS.ErrnoException).syscall !== "write";
    if (isOfSource) throw cause;
    throw new Misuse(
      `Could not store ${name} in ${path} for a second read: ${describeReadError(cause)}. Set TMPDIR to a folder with enough space.`,
      { cause },
    );
  }
}

/** Returns a version that changes if the file is modified. */
async function versionOf(file: FileHandle): Promise<string> {
  const { size, mtimeNs } = await file.stat({ bigint: true });
  return `${size}:${mtimeNs}`;
}

function unreadable(name: string, cause: unknown): Misuse {
  const what = `Could not read ${name}: ${describeReadError(cause)}.`;
  return new Misuse(`${what} Specify a file of rows, or - for standard input.`, { cause });
}
