import { once } from "node:events";
import { inspect } from "node:util";
import { exitCodes } from "./exit-codes.ts";
import { describeReadError, Failure, QuietEnd } from "./failure.ts";
import type { Output } from "./terminal.ts";

/** What a terminal would obey, or show otherwise than it is: control characters, text direction marks, half characters. */
const unprintable = /[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

/** Makes a text one line that a terminal only shows: line breaks become spaces, what it would obey is escaped. */
export function printable(text: string): string {
  // Trimmed line by line: a pattern for the white space around a line break takes quadratic time for a long run of spaces.
  const lines = text.split(/[\r\n]/).map((line) => line.trim());
  return escapeUnprintable(lines.filter((line) => line !== "").join(" "));
}

/** Writes everything that is known of an error, over several lines of which a terminal obeys nothing. */
export function inspected(error: unknown): string {
  return inspect(error).split("\n").map(escapeUnprintable).join("\n");
}

/** Writes what a terminal would obey as `\u` escapes, which JSON and JavaScript read as the same text. */
export function escapeUnprintable(text: string): string {
  return text.replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Names of standard output. */
const stdoutNames: readonly string[] = ["-", "/dev/stdout", "/dev/fd/1"];

/** Whether a path that was given for a file means standard output. */
export function isStdout(path: string): boolean {
  return stdoutNames.includes(path);
}

/** Writes a number of bytes as people read it, such as `36.8 kB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const kilobytes = bytes / 1000;
  if (kilobytes < 999.95) return `${kilobytes.toFixed(1)} kB`;
  return kilobytes < 999_950 ? `${(kilobytes / 1000).toFixed(1)} MB` : `${(kilobytes / 1e6).toFixed(1)} GB`;
}

const grouped = new Intl.NumberFormat("en-US");

/** Writes a number as people read it: `1,200`. */
export function formatCount(count: number): string {
  return grouped.format(count);
}

/** Writes how many there are of something: `1 row`, `1,200 rows`. */
export function countOf(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? "" : "s"}`;
}

/**
 * Writes a chunk, and waits until the reader has taken it.
 *
 * @throws what {@link outputFailure} makes of an error, or the signal's reason
 */
export async function write(output: Output, chunk: Uint8Array, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (output.write(chunk)) return;
  await once(output, "drain", { signal }).catch((error: unknown) => {
    throw signal.aborted ? signal.reason : outputFailure(error);
  });
}

/** Waits until everything written is taken, or cannot be. */
export function flush(output: Output): Promise<void> {
  return new Promise((resolve) => {
    output.write("", () => resolve());
  });
}

/** Of a pipe, of a pipe on Windows, and of a socket in place of a pipe. */
const closedPipeCodes: readonly string[] = ["EPIPE", "EOF", "ECONNRESET"];

/** What it means that standard output cannot be written to: that its reader has seen enough, mostly. */
export function outputFailure(error: unknown): Error {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && closedPipeCodes.includes(code)) return new QuietEnd(exitCodes.closedPipe);
  return new Failure(`Could not write to standard output: ${describeReadError(error)}.`, { cause: error });
}
