import type { Stats } from "node:fs";

// The calls to the file system that saving needs. By callbacks, because the handles of node:fs/promises cost a small
// document more; and loaded late, because only this form needs them.

type NodeFs = typeof import("node:fs");

let loaded: NodeFs | undefined;

function nodeFs(): NodeFs {
  loaded ??= process.getBuiltinModule("node:fs");
  return loaded;
}

type Done<T> = (error: NodeJS.ErrnoException | null, result?: T) => void;

function ask<T = void>(call: (done: Done<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, result) => {
      if (error) reject(error);
      else resolve(result as T);
    });
  });
}

/** How to open what is no regular file. */
export function waysToOpen(): { readonly append: number; readonly unblocked: number } {
  const { O_WRONLY, O_APPEND, O_NONBLOCK } = nodeFs().constants;
  return { append: O_WRONLY | O_APPEND, unblocked: O_WRONLY | O_NONBLOCK };
}

/** Gives a descriptor. */
export function open(path: string, flags: string | number, mode?: number): Promise<number> {
  return ask((done) => nodeFs().open(path, flags, mode, done));
}

/** Gives the number of bytes that were written: the system may write less than asked. */
export function writev(descriptor: number, chunks: readonly Uint8Array[]): Promise<number> {
  return ask((done) => nodeFs().writev(descriptor, chunks, done));
}

export function sync(descriptor: number): Promise<void> {
  return ask((done) => nodeFs().fsync(descriptor, done));
}

export function close(descriptor: number): Promise<void> {
  return ask((done) => nodeFs().close(descriptor, done));
}

export function chown(descriptor: number, uid: number, gid: number): Promise<void> {
  return ask((done) => nodeFs().fchown(descriptor, uid, gid, done));
}

export function chmod(descriptor: number, mode: number): Promise<void> {
  return ask((done) => nodeFs().fchmod(descriptor, mode, done));
}

export function rename(from: string, to: string): Promise<void> {
  return ask((done) => nodeFs().rename(from, to, done));
}

export function unlink(path: string): Promise<void> {
  return ask((done) => nodeFs().unlink(path, done));
}

/** Checks that a file may be written to; by opening it, as the `access` of Deno ends a program that may not ask who it is. */
export async function checkWritable(path: string): Promise<void> {
  await close(await open(path, waysToOpen().unblocked));
}

export function readlink(path: string): Promise<string> {
  return ask((done) => nodeFs().readlink(path, done));
}

/** Follows all links, by one call of the system's own. */
export function realpath(path: string): Promise<string> {
  return ask((done) => nodeFs().realpath.native(path, done));
}

/** What stands at a path, be it a link. */
export function lstat(path: string): Promise<Stats> {
  return ask((done) => nodeFs().lstat(path, done));
}
