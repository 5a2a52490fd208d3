import { checkNames, isFunction, isObject, optional } from "./option-rules.ts";

/** What a client tells of its calls while they run. */

/** What every event tells. */
export interface CallEvent {
  /** Numbers the calls of this process: the events of one call have the same. */
  readonly call: number;
  /** The template that was asked for. */
  readonly uid: string;
  /** Which try it is about, from 1; 0 where nothing was sent. */
  readonly attempt: number;
  /** Milliseconds since the call began. */
  readonly elapsedMs: number;
}

/** A request is about to be sent. */
export interface RequestEvent extends CallEvent {
  /** How the service is asked. */
  readonly method: "POST";
  /** Where it is asked. */
  readonly url: string;
}

/** The head of an answer has arrived, whatever its status. */
export interface ResponseEvent extends CallEvent {
  /** The status code of the answer. */
  readonly status: number;
  /** The answer's `x-request-id` or `request-id`. */
  readonly requestId: string | undefined;
  /** Length of what follows, in bytes, where the answer tells. */
  readonly contentLength: number | undefined;
}

/** An attempt has failed, and another follows. */
export interface RetryEvent extends CallEvent {
  /** What the attempt failed with. */
  readonly error: unknown;
  /** How long the call waits before the next, in milliseconds. */
  readonly delayMs: number;
}

/** A call has ended without a whole document that was read: it failed, or was given up. */
export interface FailureEvent extends CallEvent {
  /** What it rejects with: an error of this package, or the caller's own reason. */
  readonly error: unknown;
}

/**
 * Hears of calls while they run, for logs and metrics. Nothing that a hook does changes a call: it is not waited
 * for, and what it throws is dropped. No event holds the API key or a value.
 *
 * @example
 * ```ts
 * const hooks = { retry: ({ uid, delayMs }) => console.warn(`${uid}: again in ${Math.round(delayMs)} ms`) };
 * await pdfs.with({ hooks }).generate("invoice", values).bytes();
 * ```
 */
export interface Hooks {
  /** Every attempt, before it is sent. */
  request?: ((event: RequestEvent) => void) | undefined;
  /** Every answer, when its head has arrived. */
  response?: ((event: ResponseEvent) => void) | undefined;
  /** Every attempt that is followed by another. */
  retry?: ((event: RetryEvent) => void) | undefined;
  /** Every call that ends without a whole document in some form, once: also one that was given up on purpose. */
  error?: ((event: FailureEvent) => void) | undefined;
}

/** What a hook of this name hears. */
export type EventOf<Name extends keyof Hooks> = Parameters<NonNullable<Hooks[Name]>>[0];

/** The hooks of a client that was given none. */
export const noHooks: Hooks = Object.freeze({});

/** Tells a hook, as a method of the object that holds it, and takes no harm from it. */
export function tell<Name extends keyof Hooks>(hooks: Hooks, name: Name, event: () => EventOf<Name>): void {
  unharmedBy(() =>
    (hooks as { [name: string]: (event: CallEvent) => unknown })[name]?.(Object.freeze(event())),
  );
}

/** Runs what the caller gave to be told of a call; what goes wrong there is dropped. */
export function unharmedBy(listener: () => unknown): void {
  try {
    const result = listener();
    // An asynchronous one may reject, and nobody else would hear of it.
    if (result instanceof Object) Promise.resolve(result).catch(() => {});
  } catch {
    // Dropped: a document is not lost for a line in a log.
  }
}

/**
 * Checks hooks.
 *
 * @throws {ConfigurationError} for one that does not exist, or is no function
 */
export function resolveHooks(hooks: Hooks = noHooks): Hooks {
  optional({ hooks }, "hooks", isObject);
  const names = ["request", "response", "retry", "error"] as const satisfies (keyof Hooks)[];
  // An object of a class of the caller's own has fields of its own.
  if (Object.getPrototypeOf(hooks) === Object.prototype) checkNames(hooks, names, "hooks");
  for (const name of names) optional(hooks, name, isFunction, `hooks.${name}`);
  return hooks;
}
