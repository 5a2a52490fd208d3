import type { Stats } from "node:fs";

// The file system calls that saving needs. They use the callback API because the handles of node:fs/promises cost more CPU
// for a small document, and load node:fs late because only `saveTo()` needs it.

type NodeFs = typeof import("node:fs");
type Done<T> = (error: NodeJS.ErrnoException | null, result?: T) => void;

let loaded: NodeFs | undefined;

function nodeFs(): NodeFs {
  loaded ??= process.getBuiltinModule("node:fs");
  return loaded;
}

function promised<T = void>(call: (fs: NodeFs, done: Done<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    call(nodeFs(), (error, result) => {
      if (error) reject(error);
      else resolve(result as T);
    });
  });
}

/** Creates a file for writing, which must not exist yet. Returns its descriptor. */
export function create(path: string, mode: number): Promise<number> {
  return promised((fs, done) => fs.open(path, "wx", mode, done));
}

/** Opens what exists for writing at its end. Returns its descriptor. */
export function openToAppend(path: string): Promise<number> {
  return promised((fs, done) => fs.open(path, fs.constants.O_WRONLY | fs.constants.O_APPEND, done));
}

/** Opens what exists for writing, without waiting for the reader of a pipe. Returns its descriptor. */
export function openUnblocked(path: string): Promise<number> {
  return promised((fs, done) => fs.open(path, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK, done));
}

/** Returns the number of bytes written, which may be less than requested. */
export function writev(descriptor: number, chunks: readonly Uint8Array[]): Promise<number> {
  return promised((fs, done) => fs.writev(descriptor, chunks, done));
}

export function sync(descriptor: number): Promise<void> {
  return promised((fs, done) => fs.fsync(descriptor, done));
}

export function close(descriptor: number): Promise<void> {
  return promised((fs, done) => fs.close(descriptor, done));
}

export function chown(descriptor: number, uid: number, gid: number): Promise<void> {
  return promised((fs, done) => fs.fchown(descriptor, uid, gid, done));
}

export function chmod(descriptor: number, mode: number): Promise<void> {
  return promised((fs, done) => fs.fchmod(descriptor, mode, done));
}

export function rename(from: string, to: string): Promise<void> {
  return promised((fs, done) => fs.rename(from, to, done));
}

export function unlink(path: string): Promise<void> {
  return promised((fs, done) => fs.unlink(path, done));
}

export function readlink(path: string): Promise<string> {
  return promised((fs, done) => fs.readlink(path, done));
}

/** Follows all links. */
export function realpath(path: string): Promise<string> {
  return promised((fs, done) => fs.realpath.native(path, done));
}

/** Returns what is at a path, which may be a link; `undefined` if nothing is there. */
export function lstat(path: string): Promise<Stats | undefined> {
  return promised<Stats>((fs, done) => fs.lstat(path, done)).catch(ignoreMissing);
}

/** Treats the error for a missing file as an answer. */
export function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}
