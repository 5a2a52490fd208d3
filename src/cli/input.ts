import type { FileHandle } from "node:fs/promises";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { FileTooLarge, openFile, openPipeSync, readToEnd } from "../files/read-file.ts";

/** The maximum size of a JSON file that the command holds in memory, in bytes. */
export const maxJsonBytes = 256 * 1024 * 1024;

/** Input that the user named on the command line: a file, or the data of a pipe. */
export type Input = { readonly file: FileHandle } | { readonly pipe: Readable };

/** Whether an argument stands for standard input. */
export function isStdin(path: string): boolean {
  return path === "-" || path === "/dev/stdin";
}

/**
 * Opens a file, a named pipe, a pipe from the shell such as `/dev/fd/63`, or standard input.
 *
 * A pipe may wait for its first writer. It is read as a socket, because no thread waits for it then, and the command can be
 * stopped.
 *
 * @throws {PathRefusal} if the path is a folder, a device or a socket
 * @throws the system error
 */
export async function openInput(path: string, stdin: Readable): Promise<Input> {
  if (isStdin(path)) return { pipe: stdin };
  // Opened only once, because the end of a pipe is not visible to a reader that opens it after the last writer has closed it.
  const fd = openPipeSync(path);
  if (fd === undefined) return { file: await openFile(path) };
  return { pipe: new Socket({ fd, readable: true, writable: false }) };
}

/**
 * Reads a whole file or pipe, or standard input.
 *
 * @throws {PathRefusal} if the path cannot be read, or its content is larger than `maxBytes`
 * @throws the system error
 */
export async function readInput(path: string, stdin: Readable, maxBytes: number): Promise<Buffer> {
  const input = await openInput(path, stdin);
  if ("pipe" in input) return readStream(input.pipe, maxBytes);
  try {
    return await readToEnd(input.file, maxBytes);
  } finally {
    await input.file.close();
  }
}

async function readStream(stream: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    // Leaving the loop closes the stream.
    if (length > maxBytes) throw new FileTooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
