/** Reads what an error holds, to search it for secrets. */

/** A line of a stack that names a place in code. A message may hold lines that merely begin like one. */
export const frame = /^ +at .*(?::\d+:\d+|<anonymous>|native|index \d+)\)?$/;

/** How much of a stack is read, in characters: enough for a hundred frames. */
const maxStackLength = 20_000;

/** How many properties and items of an error are searched before it is taken for one that may hold anything. */
const maxParts = 2_000;

/** How deep an error is searched before it is taken for one that may hold anything. */
export const maxDepth = 6;

/**
 * Everything that an error would show when it is inspected, as one text; `undefined` where it holds something
 * that cannot be read through, such as a request.
 */
export function contentsOf(value: unknown, depth = 0, budget = { parts: maxParts }): string | undefined {
  if (--budget.parts < 0) return undefined;
  if (typeof value === "function") return Object.keys(value).length === 0 ? textOf(value.name) : undefined;
  if (typeof value !== "object" || value === null) return textOf(value);
  if (depth > maxDepth || !(hasPlainPrototype(value) || isPlainError(value))) return undefined;
  const texts: string[] = [];
  for (const key of Reflect.ownKeys(value)) {
    // It shows itself in a way of its own.
    if (key === "toJSON" || key === inspection) return undefined;
    const property = Object.getOwnPropertyDescriptor(value, key);
    // The bytes of an answer that is not HTTP (undici): they may repeat anything, the credentials of a proxy, too.
    if (key === "data" && isParserError(value) && property?.value !== undefined) return undefined;
    // Newer engines keep the stack behind a getter of their own.
    const isReadable = property !== undefined && ("value" in property || key === "stack");
    const member: unknown = isReadable ? Reflect.get(value, key) : undefined;
    if (key === "stack" && textOf(member).length > maxStackLength) return undefined;
    // Of a stack the frames are code, and hold nothing that was sent.
    const shown = key === "stack" ? linesOf(member).filter((line) => !frame.test(line)) : member;
    const text = isReadable ? contentsOf(shown, depth + 1, budget) : undefined;
    if (text === undefined) return undefined;
    texts.push(text);
    // Of an object that was made from values, the names are values.
    if (!(value instanceof Error && isUsualName(key))) texts.push(textOf(key));
  }
  if (value instanceof Error) texts.push(...classNamesOf(value));
  return texts.join("\n");
}

/** By its name: undici gives it a code only if its parser has one. */
function isParserError(value: object): boolean {
  return (value as { name?: unknown }).name === "HTTPParserError";
}

/** What errors of JavaScript, Node and undici call their properties. */
const usualNames = new Set(
  "stack message cause name code errno syscall address port host hostname errors status statusCode reason path dest info library cert data".split(
    " ",
  ),
);

function isUsualName(key: string | symbol): boolean {
  return typeof key === "string" && usualNames.has(key);
}

/** The names of an error's own classes, which an inspection shows. */
function classNamesOf(error: Error): string[] {
  const names: string[] = [];
  for (
    let at: object = Object.getPrototypeOf(error);
    at !== Error.prototype;
    at = Object.getPrototypeOf(at)
  ) {
    const name = textOf(at.constructor?.name);
    if (!Object.hasOwn(globalThis, name)) names.push(name);
  }
  return names;
}

/** The frames of an error and of its causes. They are code, but a script's address may hold a key. */
export function framesOf(error: Error): string {
  const frames: string[] = [];
  let at: unknown = error;
  for (let depth = 0; depth <= maxDepth && at instanceof Error; depth++) {
    frames.push(...linesOf(at.stack).filter((line) => frame.test(line)));
    at = at.cause;
  }
  return frames.join("\n");
}

/** The lines of a stack or a message; the last ones, if there are more than anybody reads. */
export function linesOf(stack: unknown): string[] {
  const text = textOf(stack);
  // The line that this cuts is left out: the rest of it could pass for a frame.
  return text.length > maxStackLength ? text.slice(-maxStackLength).split("\n").slice(1) : text.split("\n");
}

function hasPlainPrototype(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Array.isArray(value);
}

/** An error whose class shows nothing by itself: no getter, `toJSON` or inspection of its own. */
function isPlainError(value: object): boolean {
  if (!(value instanceof Error)) return false;
  for (
    let at: object = Object.getPrototypeOf(value);
    at !== Error.prototype;
    at = Object.getPrototypeOf(at)
  ) {
    if (at === globalThis.DOMException?.prototype) return true;
    const showsMore = Reflect.ownKeys(at).some((key) => {
      const property = Object.getOwnPropertyDescriptor(at, key);
      // Node's own errors have a getter named "constructor", which tells their class.
      const isGetter = property?.get !== undefined && typeof key === "string" && key !== "constructor";
      return isGetter || key === "toJSON" || key === inspection;
    });
    if (showsMore) return false;
  }
  return true;
}

const inspection = Symbol.for("nodejs.util.inspect.custom");

/** Something that was thrown, in words; it can be anything, even an object that refuses to become a string. */
export function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return "something that is no error";
  }
}
