import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { describeReadError, Failure, Misuse } from "../../failure.ts";
import { untilAborted } from "../../session.ts";

/** How much is read at once. */
const chunkBytes = 64 * 1024;

/** Bytes that can be read more than once: those of a file, or of a pipe that was written down. */
export class StoredBytes {
  /** What to call them in messages. */
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

  /**
   * Reads them from the beginning; every chunk is the reader's own.
   *
   * @throws {Misuse} when they were changed since they were opened, or cannot be read
   * @throws the signal's reason
   */
  async *chunks(): AsyncGenerator<Buffer, void, undefined> {
    for (let position = 0; ; ) {
      this.#signal.throwIfAborted();
      const chunk = await this.#read(position);
      // Before it is handed out: what was checked is what is used.
      if ((await versionOf(this.#file)) !== this.#version) throw changed(this.name);
      if (chunk.length === 0) return;
      position += chunk.length;
      yield chunk;
    }
  }

  /** Gives up to so many bytes of the beginning. */
  async start(maxBytes: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of this.chunks()) {
      pieces.push(chunk);
      bytes += chunk.length;
      if (bytes >= maxBytes) break;
    }
    return Buffer.concat(pieces).subarray(0, maxBytes);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #read(position: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafeSlow(chunkBytes);
    try {
      const { bytesRead } = await this.#file.read(buffer, 0, chunkBytes, position);
      return buffer.subarray(0, bytesRead);
    } catch (cause) {
      throw new Misuse(`Could not read ${this.name}: ${describeReadError(cause)}.`, { cause });
    }
  }
}

/**
 * Opens a file, or standard input. What can be read only once is written down first, where nobody else can read it.
 *
 * @param path - `-` for standard input
 * @throws {Misuse} when it cannot be opened
 * @throws {Misuse} when there is no room to write it down
 * @throws the signal's reason
 */
export async function storeBytes(path: string, stdin: Readable, signal: AbortSignal): Promise<StoredBytes> {
  if (path === "-" || path === "/dev/stdin") return writeDown("standard input", stdin, signal);
  const opening = open(path);
  let file: FileHandle;
  try {
    // Whoever opens a pipe waits for somebody who writes to it.
    file = await untilAborted(opening, signal);
  } catch (cause) {
    opening.then((late) => late.close()).catch(() => {});
    signal.throwIfAborted();
    throw unreadable(path, cause);
  }
  try {
    const stats = await file.stat();
    if (stats.isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" });
    if (stats.isFile()) return new StoredBytes(path, file, await versionOf(file), signal);
  } catch (cause) {
    await file.close();
    throw unreadable(path, cause);
  }
  return writeDown(path, file.createReadStream(), signal);
}

async function writeDown(name: string, source: Readable, signal: AbortSignal): Promise<StoredBytes> {
  signal.throwIfAborted();
  const path = join(tmpdir(), `template-pdf-${crypto.randomUUID()}`);
  const refused = (cause: unknown) =>
    new Misuse(
      `Could not keep ${name} in ${path}, to read it twice: ${describeReadError(cause)}. Let TMPDIR name a folder with room for it.`,
      { cause },
    );
  const file = await open(path, "wx+", 0o600).catch((cause: unknown) => {
    throw refused(cause);
  });
  // Its bytes stay until it is closed, on Windows, too.
  await unlink(path).catch(() => {});
  const stop = () => source.destroy(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const chunk of source) {
      await file.appendFile(chunk as Buffer).catch((cause: unknown) => {
        throw refused(cause);
      });
    }
    signal.throwIfAborted();
    return new StoredBytes(name, file, await versionOf(file), signal);
  } catch (cause) {
    await file.close();
    signal.throwIfAborted();
    throw cause instanceof Failure ? cause : unreadable(name, cause);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** What is another one when a file was written to. */
async function versionOf(file: FileHandle): Promise<string> {
  const { size, mtimeNs } = await file.stat({ bigint: true });
  return `${size}:${mtimeNs}`;
}

function changed(name: string): Misuse {
  return new Misuse(`${name} was changed while it was read. Run the command again.`);
}

function unreadable(name: string, cause: unknown): Misuse {
  return new Misuse(
    `Could not read ${name}: ${describeReadError(cause)}. Give a file of rows, or - for standard input.`,
    {
      cause,
    },
  );
}
