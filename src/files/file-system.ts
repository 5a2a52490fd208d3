/** The calls of node:fs that files are written with. File handles would cost more CPU for a small document. */
type FileSystem = ReturnType<typeof load>;

let loaded: FileSystem | undefined;

/** Loads Node's modules late, because only `saveTo()` needs them, and browsers load this file. */
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
    lstat: promisify(fs.lstat),
    open: promisify(fs.open),
    readlink: promisify(fs.readlink),
    realpath: promisify(fs.realpath.native),
    rename: promisify(fs.rename),
    stat: promisify(fs.stat),
    sync: promisify(fs.fsync),
    unlink: promisify(fs.unlink),
    /** Resolves to the number of bytes written. The one of `promisify` does so in Deno only. */
    writev: (descriptor: number, chunks: Uint8Array[]) =>
      new Promise<number>((resolve, reject) => {
        fs.writev(descriptor, chunks, (error, bytes) => (error ? reject(error) : resolve(bytes)));
      }),
    constants: fs.constants,
    path: process.getBuiltinModule("node:path"),
  };
}

/** Treats the error for a missing file as an answer. */
export function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}
