import { TemplatePdfError } from "./errors.ts";

/**
 * Adds the caller's line to the stack of an error that is created while the caller awaits a promise. Successful calls have no
 * extra work: V8 finds the code that awaits a promise while a handler of that promise runs.
 */

type CaptureStackTrace = (target: object, above: unknown) => void;

/** Matches a frame that has a position, unless it is one of Node, Deno or Bun. */
const frame = /^ +at (?!(?:.*[( ])?(?:node|ext|native|internal):).+:\d+:\d+\)?$/gm;

/** The folder of this package, as it appears in stacks. */
let packageFolder: string | undefined;

/**
 * Rejects a promise, and adds the line that awaits it to the error's stack.
 *
 * @param resolve - settles the promise, which must be pending
 */
export function rejectWithCaller(resolve: (outcome: Promise<never>) => void, error: unknown): void {
  const reject = () => {
    throw addCaller(error, reject);
  };
  resolve(afterFollowing(reject));
}

/**
 * Resolves a promise, and adds the line that awaits it to the stack of an error within the result.
 *
 * @param resolve - settles the promise, which must be pending
 */
export function resolveWithCaller<T>(
  resolve: (outcome: Promise<T>) => void,
  error: unknown,
  result: T,
): void {
  const fulfill = () => {
    addCaller(error, fulfill);
    return result;
  };
  resolve(afterFollowing(fulfill));
}

/** Runs `settle` one microtask later, when the promise that was resolved with the returned one follows it. */
export function afterFollowing<T>(settle: () => T): Promise<T> {
  return Promise.resolve().then().then(settle);
}

/**
 * Replaces the frames of an error with the caller's frames, if these are on the current stack. They are in an `async` function
 * and in a promise handler. Does not change errors from other packages, or errors whose stack starts with the caller.
 *
 * @param above - a function on the stack; its frame and all frames above it are omitted
 * @returns the error
 */
export function addCaller<E>(error: E, above: unknown = addCaller): E {
  try {
    if (!(error instanceof TemplatePdfError)) return error;
    const [top] = framesIn(error.stack);
    if (top === undefined || !isInternal(top)) return error;
    const seen: { readonly stack?: unknown } = {};
    (Error as { captureStackTrace?: CaptureStackTrace }).captureStackTrace?.(seen, above);
    const frames = callersFrames(seen.stack);
    if (frames.length > 0) error.stack = [String(error), ...frames].join("\n");
  } catch {
    // The error is frozen, or `Error.prepareStackTrace` throws. The error stays as it is.
  }
  return error;
}

/** Returns the frames of a stack that are not in this package. */
export function callersFrames(stack: unknown): readonly string[] {
  const all = framesIn(stack);
  const callers = all.filter((line) => !isInternal(line));
  // In a bundle, the caller's frames look like those of this package.
  const bundled = all.some((line) => line.includes("at async ")) ? all : [];
  return callers.length > 0 ? callers : bundled;
}

function framesIn(stack: unknown): readonly string[] {
  return (typeof stack === "string" && stack.match(frame)) || [];
}

function isInternal(line: string): boolean {
  packageFolder ??= folderOfPackage(framesIn(new Error().stack)[0] ?? "");
  return line.includes(packageFolder);
}

/** @param line - a frame of this file: in `dist`, in a bundle, or in `src/errors` of a checkout */
function folderOfPackage(line: string): string {
  const [folder = ""] = /[^( ]*[/\\].*[/\\]/.exec(line) ?? [];
  return folder.replace(/(?<=[/\\]src[/\\])errors[/\\]$/, "");
}
