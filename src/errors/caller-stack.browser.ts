import { TemplatePdfError } from "./errors.ts";

type CaptureStackTrace = (target: object, above: unknown) => void;

/** Replaces `caller-stack.ts` in browsers. */
export function rejectWithCaller(resolve: (outcome: Promise<never>) => void, error: unknown): void {
  const reject = () => {
    throw addCaller(error, reject);
  };
  resolve(afterFollowing(reject));
}

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

function afterFollowing<T>(settle: () => T): Promise<T> {
  return Promise.resolve().then().then(settle);
}

/** Keeps all frames if the caller is among them, because in a bundle its frames look like those of this package. */
export function addCaller<E>(error: E, above: unknown = addCaller): E {
  try {
    const seen: { readonly stack?: string } = {};
    (Error as { captureStackTrace?: CaptureStackTrace }).captureStackTrace?.(seen, above);
    if (error instanceof TemplatePdfError && seen.stack?.includes("at async "))
      error.stack = seen.stack.replace(/^.*/, () => String(error));
  } catch {
    // The error cannot be read or changed. It stays as it is.
  }
  return error;
}
