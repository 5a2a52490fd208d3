import { TemplatePdfError } from "./errors.ts";

/**
 * Puts the caller's line into the stacks of errors that are created while the caller awaits. It costs nothing until
 * a call fails: V8 finds the code that awaits a promise while a handler of that promise runs.
 */

type CaptureStackTrace = (target: object, above: unknown) => void;

const frame = /^ +at .+/gm;
const place = /:\d+:\d+\)?$/;

/** A frame of the runtime itself: of Node, Deno or Bun. */
const runtimeFrame = /[( ](?:node|ext|native|internal):/;

/** Where the files of this package are, as stacks name it. */
let packageFolder: string | undefined;

/**
 * Rejects a promise that the caller may be awaiting, and adds the line that awaits it to the stack of the error.
 *
 * @param resolve - settles the promise, which must be pending
 */
export function rejectWithCaller(resolve: (outcome: Promise<never>) => void, error: unknown): void {
  settleWithCaller(resolve, error, () => {
    throw error;
  });
}

/**
 * Resolves a promise that the caller may be awaiting, and adds the line that awaits it to the stack of an error
 * within the result.
 *
 * @param resolve - settles the promise, which must be pending
 */
export function resolveWithCaller<T>(
  resolve: (outcome: Promise<T>) => void,
  error: unknown,
  result: T,
): void {
  settleWithCaller(resolve, error, () => result);
}

function settleWithCaller<T>(resolve: (outcome: Promise<T>) => void, error: unknown, outcome: () => T): void {
  let start!: () => void;
  const started = new Promise<void>((resolveStarted) => {
    start = resolveStarted;
  });
  const settle = () => {
    addCaller(error, settle);
    return outcome();
  };
  // In this order: the promise has to follow the handler's before the handler runs.
  resolve(started.then(settle));
  start();
}

/**
 * Puts the caller's frames in place of the stack of an error, if they can be seen from here: in an `async` function or
 * in a handler of a promise. Leaves every other error as it is: the caller's own, and one that shows the caller already.
 *
 * @param above - the function on the stack whose frame is left out, with all frames above it
 * @returns the error
 */
export function addCaller<E>(error: E, above: unknown = addCaller): E {
  try {
    if (!(error instanceof TemplatePdfError) || !isInternal(framesOf(error.stack).find(isPlace) ?? ""))
      return error;
    const seen: { readonly stack?: unknown } = {};
    (Error as { captureStackTrace?: CaptureStackTrace }).captureStackTrace?.(seen, above);
    const all = framesOf(seen.stack);
    const outside = all.filter((line) => !isInternal(line));
    // In a bundle, the caller's frames cannot be told from those of this package.
    const frames = outside.some(isPlace)
      ? outside
      : all.some((line) => line.includes("at async "))
        ? all
        : [];
    if (frames[0]) error.stack = [String(error), ...frames].join("\n");
  } catch {
    // Somebody froze the error, or prepares stacks in a way that throws. It stays as it is.
  }
  return error;
}

/** The frames of a stack, without those of the runtime. */
function framesOf(stack: unknown): string[] {
  const frames = typeof stack === "string" ? stack.match(frame) : [];
  return (frames ?? []).filter((line) => !runtimeFrame.test(line));
}

function isPlace(line: string): boolean {
  return place.test(line);
}

function isInternal(line: string): boolean {
  packageFolder ??= folderOfPackage(framesOf(new Error().stack)[0] ?? "");
  return line.includes(packageFolder);
}

/** @param frameOfThisFile - where this file is: in `dist`, in a bundle, or in `src/errors` of a checkout */
function folderOfPackage(frameOfThisFile: string): string {
  const [folder = ""] = /[^( ]*[/\\].*[/\\]/.exec(frameOfThisFile) ?? [];
  return folder.replace(/(?<=[/\\]src[/\\])errors[/\\]$/, "");
}
