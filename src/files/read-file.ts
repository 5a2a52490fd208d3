import type { Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { PathRefusal } from "./system-errors.ts";

// All files are opened for reading here, because a folder can contain a named pipe or a link to a device where a program expects
// a file. Opening a pipe waits for a writer, in a thread of which Node has four, and the process cannot exit until then. A device
// such as /dev/zero never ends.

/** Thrown if a file is larger than its limit. */
export class FileTooLarge extends PathRefusal {
  constructor(maxBytes: number) {
    super(`it is larger than ${formatLimit(maxBytes)}`);
  }
}

/** Loaded late, because runtimes without files load this module, too. */
function fileSystem() {
  return process.getBuiltinModule("node:fs");
}

/** Returns flags with which opening a pipe or a terminal never waits. They do not affect files. Windows has neither flag. */
function withoutWaiting(access?: number): number {
  const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = fileSystem().constants;
  return (access ?? O_RDONLY) | O_NONBLOCK | O_NOCTTY;
}

/**
 * Opens a file without waiting.
 *
 * @param access - flags such as `O_RDWR`; the default is `O_RDONLY`
 * @throws {PathRefusal} if the path is not a file
 * @throws the system error
 */
export async function openFile(path: string, access?: number): Promise<FileHandle> {
  const handle = await fileSystem().promises.open(path, withoutWaiting(access)).catch(refuseSocket);
  try {
    refuseUnlessFile(await handle.stat());
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Reads an open file from its current position to its end.
 *
 * @throws {FileTooLarge} if that is more than `maxBytes`
 */
export async function readToEnd(handle: FileHandle, maxBytes: number): Promise<Buffer> {
  let buffer = bufferFor((await handle.stat()).size, maxBytes);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
    if (bytesRead === 0) return buffer.subarray(0, length);
    length += bytesRead;
    if (length === buffer.length) buffer = enlarged(buffer, maxBytes);
  }
}

/**
 * Reads a file without waiting for a pipe or a device.
 *
 * @throws {PathRefusal} if the path is not a file, or the file is larger than `maxBytes`
 * @throws the system error
 */
export async function readSmallFile(path: string, maxBytes: number): Promise<Buffer> {
  const handle = await openFile(path);
  try {
    return await readToEnd(handle, maxBytes);
  } finally {
    await handle.close();
  }
}

/** The same as {@link readSmallFile}, for callers that cannot wait. */
export function readSmallFileSync(path: string, maxBytes: number): Buffer {
  return useFileSync(path, (descriptor, { size }) => {
    let buffer = bufferFor(size, maxBytes);
    let length = 0;
    for (;;) {
      const bytesRead = fileSystem().readSync(descriptor, buffer, { offset: length });
      if (bytesRead === 0) return buffer.subarray(0, length);
      length += bytesRead;
      if (length === buffer.length) buffer = enlarged(buffer, maxBytes);
    }
  });
}

/**
 * Returns why readers that are not ours, such as Node's module loader, must not open a path, or `undefined` if they may. They
 * report a missing file themselves.
 */
export function objectionToReading(path: string): string | undefined {
  try {
    useFileSync(path, () => {});
  } catch (error) {
    if (error instanceof PathRefusal) return error.message;
  }
  return undefined;
}

function useFileSync<T>(path: string, use: (descriptor: number, stats: Stats) => T): T {
  const { fstatSync, closeSync } = fileSystem();
  const descriptor = openSync(path);
  try {
    const stats = fstatSync(descriptor);
    refuseUnlessFile(stats);
    return use(descriptor, stats);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Opens a named pipe without waiting for its first writer.
 *
 * @returns its descriptor, or `undefined` if the path is not a pipe
 * @throws {PathRefusal} if the path is a socket
 * @throws the system error
 */
export function openPipeSync(path: string): number | undefined {
  const { fstatSync, closeSync } = fileSystem();
  const descriptor = openSync(path);
  if (fstatSync(descriptor).isFIFO()) return descriptor;
  closeSync(descriptor);
  return undefined;
}

function openSync(path: string): number {
  try {
    return fileSystem().openSync(path, withoutWaiting());
  } catch (error) {
    return refuseSocket(error);
  }
}

/** Sockets cannot be opened. */
function refuseSocket(error: unknown): never {
  if ((error as NodeJS.ErrnoException).code !== "ENXIO") throw error;
  throw new PathRefusal("it is a socket or a missing device, not a file", { cause: error });
}

function refuseUnlessFile(stats: Stats): void {
  if (stats.isFile()) return;
  const kind = stats.isDirectory() ? "folder" : stats.isFIFO() ? "named pipe" : "device";
  throw new PathRefusal(`it is a ${kind}, not a file`);
}

/** The size is not trusted: it is 0 for files in /proc, and a file may grow. One more byte shows that the file has ended. */
function bufferFor(size: number, maxBytes: number): Buffer {
  if (size > maxBytes) throw new FileTooLarge(maxBytes);
  return Buffer.allocUnsafeSlow(size + 1);
}

function enlarged(full: Buffer, maxBytes: number): Buffer {
  if (full.length > maxBytes) throw new FileTooLarge(maxBytes);
  const larger = Buffer.allocUnsafeSlow(Math.min(full.length * 2 + minGrowthBytes, maxBytes + 1));
  full.copy(larger);
  return larger;
}

const minGrowthBytes = 4_096;

function formatLimit(bytes: number): string {
  const [size, unit] = bytes >= 2 ** 20 ? [bytes / 2 ** 20, "MiB"] : [bytes / 1_024, "KiB"];
  return `${size} ${unit}`;
}
