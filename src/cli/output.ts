import { once } from "node:events";
import { inspect } from "node:util";
import { readForeignText } from "../errors/foreign-values.ts";
import { exitCodes } from "./exit-codes.ts";
import { describeReadError, Failure, QuietEnd } from "./failure.ts";
import type { Output } from "./terminal.ts";

/** Characters that a terminal would interpret or misrepresent: control characters, bidi marks, lone surrogates. */
const unprintable = /[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

/** Returns a string as one line that is safe to print: line breaks become spaces, and control characters are escaped. */
export function printable(text: string): string {
  // Trimmed line by line, because a pattern for white space around line breaks takes quadratic time on long runs of spaces.
  const lines = text.split(/[\r\n]/).map((line) => line.trim());
  return escapeUnprintable(lines.filter((line) => line !== "").join(" "));
}

/** Returns all details of an error, on several lines that are safe to print. */
export function inspected(error: unknown): string {
  return inspectedSafely(error).split("\n").map(escapeUnprintable).join("\n");
}

function inspectedSafely(error: unknown): string {
  try {
    return inspect(error);
  } catch {
    return "an error that cannot be read";
  }
}

/** Escapes control characters as `\u` sequences, which JSON and JavaScript read as the same text. */
export function escapeUnprintable(text: string): string {
  return text.replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Names of standard output. */
const stdoutNames: readonly string[] = ["-", "/dev/stdout", "/dev/fd/1"];

/** Whether an output path means standard output. */
export function isStdout(path: string): boolean {
  return stdoutNames.includes(path);
}

/** Formats a number of bytes: `36.8 kB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const kilobytes = bytes / 1000;
  if (kilobytes < 999.95) return `${kilobytes.toFixed(1)} kB`;
  return kilobytes < 999_950 ? `${(kilobytes / 1000).toFixed(1)} MB` : `${(kilobytes / 1e6).toFixed(1)} GB`;
}

const grouped = new Intl.NumberFormat("en-US");

/** Formats a number: `1,200`. */
export function formatCount(count: number): string {
  return grouped.format(count);
}

/** Formats a count with its noun: `1 row`, `1,200 rows`. */
export function countOf(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? "" : "s"}`;
}

/** Returns the verb for a count: `is` or `are`. */
export function areOf(count: number): string {
  return count === 1 ? "is" : "are";
}

/**
 * Writes a chunk and waits while the output applies backpressure.
 *
 * @throws the result of {@link outputFailure}, or the signal's reason
 */
export async function write(output: Output, chunk: Uint8Array, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (output.write(chunk)) return;
  await once(output, "drain", { signal }).catch((error: unknown) => {
    throw signal.aborted ? signal.reason : outputFailure(error);
  });
}

/** Waits until all written data is flushed, or cannot be. */
export function flush(output: Output): Promise<void> {
  return new Promise((resolve) => {
    output.write("", () => resolve());
  });
}

/** The codes of a closed pipe, of a closed pipe on Windows, and of a closed socket. */
const closedPipeCodes: readonly string[] = ["EPIPE", "EOF", "ECONNRESET"];

/** Returns the error for a failed write to standard output. If the reader closed the pipe, the error ends the command quietly. */
export function outputFailure(error: unknown): Error {
  const code = readForeignText(error, "code");
  if (code !== undefined && closedPipeCodes.includes(code)) return new QuietEnd(exitCodes.closedPipe);
  return new Failure(`Could not write to standard output: ${describeReadError(error)}.`, { cause: error });
}
