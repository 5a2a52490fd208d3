/** Reads the contents of an error, which are searched for secrets. */

import { safeString } from "./foreign-values.ts";

/** Matches a stack line that has a position in code. A line of a message may begin like one. */
const stackFrame = /^ +at .*(?::\d+:\d+|<anonymous>|native|index \d+)\)?$/;

/** The maximum length of a stack that is read, in characters: enough for a hundred frames. */
const maxStackLength = 20_000;

/** The maximum number of properties and items that are read. */
const maxParts = 2_000;

/** The maximum depth of nested objects that are read. */
export const maxDepth = 6;

/** Everything that an error shows when it is inspected. */
export interface ErrorContents {
  readonly texts: string[];
  /** The stack frames of the error and of nested errors. The URL of a script in a frame may contain a key. */
  readonly frames: string[];
}

/** Reads an error. Returns `undefined` if it contains more than can be read, for example a request. */
export function contentsOf(error: Error): ErrorContents | undefined {
  const contents = { texts: [], frames: [], parts: 0 };
  return readInto(contents, error, 0) ? contents : undefined;
}

function readInto(contents: ErrorContents & { parts: number }, value: unknown, depth: number): boolean {
  const { texts, frames } = contents;
  if (++contents.parts > maxParts) return false;
  if (typeof value !== "object" || value === null) {
    texts.push(safeString(typeof value === "function" ? value.name : value));
    return typeof value !== "function" || Object.keys(value).length === 0;
  }
  const isError = value instanceof Error;
  const prototypes = isError ? prototypesOf(value) : [];
  if (depth > maxDepth || !(isError ? prototypes.every(showsNothing) : isPlain(value))) return false;
  for (const key of Reflect.ownKeys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key);
    // Newer engines keep the stack behind a getter.
    if (isCustomOutput(key) || !(property && ("value" in property || key === "stack"))) return false;
    const content: unknown = Reflect.get(value, key);
    // The bytes of a response that is not HTTP (undici). They may contain anything, even the credentials of a proxy.
    if (key === "data" && content !== undefined && isParserError(value)) return false;
    if (key === "stack" && typeof content === "string") {
      if (content.length > maxStackLength) return false;
      for (const line of content.split("\n")) (stackFrame.test(line) ? frames : texts).push(line);
    } else if (!readInto(contents, content, depth + 1)) return false;
    // The property names of an object that was created from values may be values.
    if (!isError || !usualNames.has(key)) texts.push(safeString(key));
  }
  // An inspection shows the names of custom error classes.
  const classes = prototypes.map((prototype) => safeString(prototype.constructor?.name));
  texts.push(...classes.filter((name) => !Object.hasOwn(globalThis, name)));
  return true;
}

/** Checks the name, because undici sets a code only if its parser returns one. */
function isParserError(value: object): boolean {
  return (value as { name?: unknown }).name === "HTTPParserError";
}

/** The property names that errors of JavaScript, Node and undici have. */
const usualNames: ReadonlySet<string | symbol> = new Set(
  (
    "stack message cause name code errno syscall address port host hostname errors status statusCode reason " +
    "path dest info library cert data"
  ).split(" "),
);

/** Returns the stack frames of an error, or the outermost ones if there are too many. Omits message lines that look like frames. */
export function framesOf(error: Error): string[] {
  const messageLines = new Set(lastLinesOf(error.message));
  return lastLinesOf(error.stack).filter((line) => stackFrame.test(line) && !messageLines.has(line));
}

function lastLinesOf(stack: unknown): string[] {
  const text = safeString(stack);
  // The first line is truncated and could look like a frame.
  return text.length > maxStackLength ? text.slice(-maxStackLength).split("\n").slice(1) : text.split("\n");
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Array.isArray(value);
}

/** Returns the prototypes of an error, except `Error.prototype` or `DOMException.prototype` and those above it. */
function prototypesOf(error: Error): object[] {
  const found: object[] = [];
  const ends: unknown[] = [Error.prototype, globalThis.DOMException?.prototype];
  for (let at: object = Object.getPrototypeOf(error); !ends.includes(at); at = Object.getPrototypeOf(at)) {
    found.push(at);
  }
  return found;
}

/** Whether a prototype adds nothing to the output of its errors. */
function showsNothing(prototype: object): boolean {
  return Reflect.ownKeys(prototype).every((key) => {
    // Node's own errors have a getter for `constructor`, which returns their class.
    const isShown = typeof key === "string" && key !== "constructor";
    const isGetter = isShown && Object.getOwnPropertyDescriptor(prototype, key)?.get !== undefined;
    return !isGetter && !isCustomOutput(key);
  });
}

function isCustomOutput(key: string | symbol): boolean {
  return key === "toJSON" || key === Symbol.for("nodejs.util.inspect.custom");
}
