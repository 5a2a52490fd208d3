import { fileURLToPath } from "node:url";
import { shortPath } from "../short-path.ts";
import { isOfUser } from "./user-file.ts";

/** A line in the user's own code. */
export interface SourceLocation {
  readonly path: string;
  readonly line: string;
  readonly column: string | undefined;
}

/** One frame of a stack that lies in the user's files. */
interface StackFrame extends SourceLocation {
  readonly text: string;
}

/**
 * Finds the frames of an error that lie in the user's files, the inmost first.
 *
 * Its message stands before them in the stack and may look like frames, too; it is left out, because it may hold values.
 */
export function userFrames(error: unknown): StackFrame[] {
  return linesBelowMessage(error).flatMap((text) => {
    const location = parseLocation(text.replace(/^ +at (?:async )?/, ""));
    return location && isOfUser(location.path) ? [{ text, ...location }] : [];
  });
}

/** Writes a location in the form that terminals turn into links. */
export function formatLocation({ path, line, column }: SourceLocation): string {
  return [shortPath(path), line, column].filter(Boolean).join(":");
}

/**
 * Finds the location that Node puts before the message of some errors of modules, `file:///a.mjs:1` on a line of its own.
 */
export function locationAboveMessage(error: unknown): SourceLocation | undefined {
  const [first = ""] = stackOf(error).split("\n", 1);
  if (!(error instanceof SyntaxError) || !first.startsWith("file://")) return undefined;
  const location = parseLocation(first);
  return location && isOfUser(location.path) ? location : undefined;
}

function linesBelowMessage(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const stack = stackOf(error);
  const message = String(error.message);
  const at = stack.indexOf(message);
  // A message that was changed later cannot be told from the frames.
  if (at === -1) return [];
  return stack
    .slice(at + message.length)
    .split("\n")
    .filter((line) => /^ +at /.test(line));
}

function stackOf(error: unknown): string {
  return error instanceof Error && typeof error.stack === "string" ? error.stack : "";
}

/** Reads `f (file:///folder (1)/a.mjs:1:2)`, `/a.cjs:1:2`, `C:\a.cjs:1:2` or `file:///a.mjs:1`. */
function parseLocation(text: string): SourceLocation | undefined {
  const position = /:(\d+)(?::(\d+))?\)?$/.exec(text);
  if (position === null) return undefined;
  const [, line = "", column] = position;
  // From the end: one pattern for both would look for a position from every bracket.
  const before = text.slice(0, position.index);
  const beginning = /(?:^|\()(?=file:\/\/|\/|[A-Za-z]:[\\/])/.exec(before);
  if (beginning === null) return undefined;
  const file = before.slice(beginning.index + beginning[0].length);
  try {
    return { path: file.startsWith("file:") ? fileURLToPath(file) : file, line, column };
  } catch {
    return undefined;
  }
}
