import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../client/every-form.ts";

/** Creates a pipe that is full. A write to it waits until `close` is called, and then fails. */
export function fullPipe(): { readonly path: string; close(): void } {
  const path = join(temporaryFolder(), "pipe");
  execFileSync("mkfifo", [path]);
  const descriptor = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  try {
    for (;;) writeSync(descriptor, Buffer.alloc(4096));
  } catch {
    // The pipe is full.
  }
  return { path, close: () => closeSync(descriptor) };
}
