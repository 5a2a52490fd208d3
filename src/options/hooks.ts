import { ownOptions } from "../runtime/own-options.ts";
import { checkNames, checkOption, isFunction } from "./option-rules.ts";

/** The properties of every event. */
export interface CallEvent {
  /** The number of the call within this process. All events of one call have the same number. */
  readonly call: number;
  /** The uid of the template. */
  readonly uid: string;
  /** The number of the attempt, starting at 1; 0 if no request was sent. */
  readonly attempt: number;
  /** Milliseconds since the call began. */
  readonly elapsedMs: number;
}

/** Emitted before a request is sent. */
export interface RequestEvent extends CallEvent {
  /** The HTTP method. */
  readonly method: "POST";
  /** The URL of the request. */
  readonly url: string;
}

/** Emitted when the headers of a response have arrived, with any status. */
export interface ResponseEvent extends CallEvent {
  /** The status code of the response. */
  readonly status: number;
  /** The response's `x-request-id` or `request-id`. */
  readonly requestId: string | undefined;
  /** The length of the body in bytes, if the response declares it. */
  readonly contentLength: number | undefined;
}

/** Emitted when an attempt has failed and will be retried. */
export interface RetryEvent extends CallEvent {
  /** The error that the attempt failed with. */
  readonly error: unknown;
  /** The delay before the next attempt, in milliseconds. */
  readonly delayMs: number;
}

/** Emitted when a call fails or is cancelled, unless its document has been read completely. */
export interface FailureEvent extends CallEvent {
  /** The error that the call rejects with: an error from this package, or the caller's abort reason. */
  readonly error: unknown;
}

/**
 * Functions that observe calls, for logs and metrics. They cannot affect a call: the client does not wait for them and
 * ignores their errors. Events do not contain the API key. Their errors are redacted like all errors.
 *
 * @example
 * ```ts
 * const hooks = { retry: ({ uid, delayMs }) => console.warn(`${uid}: retry in ${Math.round(delayMs)} ms`) };
 * await pdfs.with({ hooks }).generate("invoice", values).bytes();
 * ```
 */
export interface Hooks {
  /** Called for each attempt, before its request is sent. */
  request?: ((event: RequestEvent) => void) | undefined;
  /** Called for each response, when its headers have arrived. */
  response?: ((event: ResponseEvent) => void) | undefined;
  /** Called for each failed attempt that will be retried. */
  retry?: ((event: RetryEvent) => void) | undefined;
  /** Called once for each call that fails or is cancelled before its document has been read completely. */
  error?: ((event: FailureEvent) => void) | undefined;
}

/** The event that the hook with this name receives. */
export type EventOf<Name extends keyof Hooks> = Parameters<NonNullable<Hooks[Name]>>[0];

/** The hooks for a client that has none. */
export const noHooks: Hooks = /* @__PURE__ */ Object.create(null);

const names = ["request", "response", "retry", "error"] as const satisfies (keyof Hooks)[];

/** Checks hooks, and returns a copy. @throws {ConfigurationError} for an unknown hook, or one that is not a function */
export function resolveHooks(given?: Hooks): Hooks {
  if (given === undefined) return noHooks;
  // An instance of the caller's own class may have other properties.
  if (Object.getPrototypeOf(given) === Object.prototype) checkNames(given, names, "hooks");
  const hooks = ownOptions(given, names);
  for (const [name, hook] of Object.entries(hooks)) {
    checkOption(hook, isFunction, `hooks.${name}`);
    // Called as a method of the caller's object.
    (hooks as Record<string, unknown>)[name] = hook.bind(given);
  }
  return hooks;
}
