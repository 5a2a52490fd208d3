import { readForeign } from "../errors/foreign-values.ts";
import { readSmallFileSync } from "./read-file.ts";
import { mayBeHeld } from "./system-errors.ts";

/** The mode of files that only their owner may read and write. */
export const privateMode = 0o600;

const maxStatusBytes = 1024 * 1024;

/** The functions of node:fs that write files. File handles would cost more CPU for a small document. */
type FileSystem = ReturnType<typeof load>;

let loaded: FileSystem | undefined;

/** Loads `node:fs` from the process itself, so that module mocks of test runners do not affect it. */
export function fileSystem(): FileSystem {
  loaded ??= load();
  return loaded;
}

function load() {
  const fs = process.getBuiltinModule("node:fs");
  const { promisify } = process.getBuiltinModule("node:util");
  return {
    chmod: promisify(fs.fchmod),
    close: promisify(fs.close),
    closeSync: fs.closeSync,
    fstatSync: (descriptor: number) => fs.fstatSync(descriptor),
    mkdir: promisify(fs.mkdir),
    lstat: promisify(fs.lstat),
    open: promisify(fs.open),
    readlink: promisify(fs.readlink),
    /** The state of this process on Linux. Synchronous, because it waits for no disk. */
    processStatus: () => readSmallFileSync("/proc/self/status", maxStatusBytes).toString(),
    readlinkSync: (path: string) => fs.readlinkSync(path),
    realpath: promisify(fs.realpath.native),
    rename: promisify(fs.rename),
    stat: promisify(fs.stat),
    sync: promisify(fs.fsync),
    unlink: promisify(fs.unlink),
    /** Resolves to the number of bytes written. A function from `promisify` does so only in Deno. */
    writev: (descriptor: number, chunks: Uint8Array[]) =>
      new Promise<number>((resolve, reject) => {
        fs.writev(descriptor, chunks, (error, bytes) => (error ? reject(error) : resolve(bytes)));
      }),
    constants: fs.constants,
    path: process.getBuiltinModule("node:path"),
  };
}

/** Returns `undefined` for a missing file. */
export function ignoreMissing(error: unknown): undefined {
  if (readForeign(error, "code") !== "ENOENT") throw error;
}

/** The delays before each retry, in milliseconds: about a second in all. */
const delaysMs = [10, 20, 40, 80, 160, 320, 640];

/**
 * Renames a file. On Windows it retries for about a second if another program may hold the file or the one it replaces open.
 *
 * @param rename - renames once; other errors that it throws end the retries
 * @param platform - a value of `process.platform`
 */
export async function renamePatiently<T>(
  rename: () => Promise<T>,
  platform: string = process.platform,
): Promise<T> {
  for (const delayMs of delaysMs) {
    try {
      return await rename();
    } catch (error) {
      if (!mayBeHeld(error, platform)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, delayMs));
  }
  return rename();
}
