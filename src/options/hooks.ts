import { checkNames, isFunction, optional } from "./option-rules.ts";

/** The properties of every event. */
export interface CallEvent {
  /** The number of the call in this process; the same for all events of one call. */
  readonly call: number;
  /** The uid of the template. */
  readonly uid: string;
  /** The number of the attempt, from 1; 0 if no request was sent. */
  readonly attempt: number;
  /** Milliseconds since the call began. */
  readonly elapsedMs: number;
}

/** A request is about to be sent. */
export interface RequestEvent extends CallEvent {
  /** The HTTP method. */
  readonly method: "POST";
  /** The URL of the request. */
  readonly url: string;
}

/** The headers of a response have arrived, whatever its status. */
export interface ResponseEvent extends CallEvent {
  /** The status code of the response. */
  readonly status: number;
  /** The response's `x-request-id` or `request-id`. */
  readonly requestId: string | undefined;
  /** The length of the body in bytes, if the response says so. */
  readonly contentLength: number | undefined;
}

/** An attempt has failed, and a retry follows. */
export interface RetryEvent extends CallEvent {
  /** The error of the attempt. */
  readonly error: unknown;
  /** The delay before the next attempt, in milliseconds. */
  readonly delayMs: number;
}

/** A call has ended, and nothing has read a whole document: the call failed or was cancelled. */
export interface FailureEvent extends CallEvent {
  /** What the call rejects with: an error of this package, or the caller's own reason. */
  readonly error: unknown;
}

/**
 * Functions that observe calls, for logs and metrics. They cannot affect a call: the client does not wait for them, and
 * ignores their errors. Events contain neither the API key nor values.
 *
 * @example
 * ```ts
 * const hooks = { retry: ({ uid, delayMs }) => console.warn(`${uid}: again in ${Math.round(delayMs)} ms`) };
 * await pdfs.with({ hooks }).generate("invoice", values).bytes();
 * ```
 */
export interface Hooks {
  /** Every attempt, before its request is sent. */
  request?: ((event: RequestEvent) => void) | undefined;
  /** Every response, when its headers have arrived. */
  response?: ((event: ResponseEvent) => void) | undefined;
  /** Every failed attempt that is retried. */
  retry?: ((event: RetryEvent) => void) | undefined;
  /** Every call that ends without a whole document, once. A cancelled call counts. */
  error?: ((event: FailureEvent) => void) | undefined;
}

/** The event of the hook with this name. */
export type EventOf<Name extends keyof Hooks> = Parameters<NonNullable<Hooks[Name]>>[0];

/** The hooks of a client without any. */
export const noHooks: Hooks = {};

const names = ["request", "response", "retry", "error"] as const satisfies (keyof Hooks)[];

/** Checks hooks. @throws {ConfigurationError} for an unknown hook, or one that is not a function */
export function resolveHooks(hooks: Hooks = noHooks): Hooks {
  // An instance of the caller's own class may have other properties.
  if (Object.getPrototypeOf(hooks) === Object.prototype) checkNames(hooks, names, "hooks");
  for (const name of names) optional(hooks, name, isFunction, `hooks.${name}`);
  return hooks;
}

/** Calls a hook, as a method of its object, and ignores what goes wrong there. */
export function tell<Name extends keyof Hooks>(hooks: Hooks, name: Name, event: () => EventOf<Name>): void {
  unharmedBy(() =>
    (hooks as { [name: string]: (event: CallEvent) => unknown })[name]?.(Object.freeze(event())),
  );
}

/** Runs a caller's observer of a call, and ignores what it throws or rejects with. */
export function unharmedBy(observer: () => unknown): void {
  try {
    const result = observer();
    // Nobody else handles the rejection of an asynchronous observer.
    if (result instanceof Object) Promise.resolve(result).catch(() => {});
  } catch {
    // A failing log must not fail the call.
  }
}
