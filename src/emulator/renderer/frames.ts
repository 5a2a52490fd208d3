import { fileURLToPath } from "node:url";
import { shortPath } from "../short-path.ts";
import { isOfUser } from "./user-file.ts";

/** A line of the user's own code. */
export interface Place {
  readonly path: string;
  readonly line: string;
  readonly column: string | undefined;
}

/** One frame of a stack that lies in the user's files. */
interface Frame extends Place {
  readonly text: string;
}

/**
 * Finds the frames of an error that lie in the user's files, the inmost first.
 *
 * Its message stands before them in the stack and may look like frames, too; it is left out, because it may hold values.
 */
export function userFrames(error: unknown): Frame[] {
  return linesBelowMessage(error).flatMap((text) => {
    const place = placeIn(text.replace(/^ +at (?:async )?/, ""));
    return place && isOfUser(place.path) ? [{ text, ...place }] : [];
  });
}

/** Writes a place as terminals make links of. */
export function formatLine({ path, line, column }: Place): string {
  return [shortPath(path), line, column].filter(Boolean).join(":");
}

/**
 * Finds the place that Node puts before the message of some errors of modules, `file:///a.mjs:1` on a line of its own.
 */
export function placeAbove(error: unknown): Place | undefined {
  const [first = ""] = stackOf(error).split("\n", 1);
  if (!(error instanceof SyntaxError) || !first.startsWith("file://")) return undefined;
  const place = placeIn(first);
  return place && isOfUser(place.path) ? place : undefined;
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
function placeIn(text: string): Place | undefined {
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
