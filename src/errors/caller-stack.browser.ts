import { TemplatePdfError } from "./errors.ts";

type CaptureStackTrace = (target: object, above: unknown) => void;

/** What browsers load in place of `caller-stack.ts`. */
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

/** In a bundle, the caller's frames look like those of this package: so all are shown, if the caller is among them. */
export function addCaller<E>(error: E, above: unknown = addCaller): E {
  const seen: { readonly stack?: string } = {};
  (Error as { captureStackTrace?: CaptureStackTrace }).captureStackTrace?.(seen, above);
  if (error instanceof TemplatePdfError && seen.stack?.includes("at async "))
    error.stack = seen.stack.replace(/^.*/, () => String(error));
  return error;
}
