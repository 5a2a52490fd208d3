import type { FetchLike } from "./fetch.ts";
import type { ResponseHead } from "./response-head.ts";

/** The seam between the life of a request and what carries its bytes over the wire: push, with pause. */
export interface Transport {
  readonly name: "undici" | "fetch";
  /** What this transport can observe. The rest is reported as unknown, never guessed. */
  readonly sees: {
    /** Whether the time before `onSent` is spent on connecting, and on nothing else, such as a queue. */
    readonly connecting: boolean;
    /** Whether `onSent` reports when the request leaves, not only when it was handed over. */
    readonly sending: boolean;
  };
  /** Explains a failure that came before any answer, if the errors of this runtime are known. */
  readonly explain?: ((cause: unknown) => Explanation | undefined) | undefined;
  /** Prepares an exchange. The request is sent by the exchange's `send`. */
  open(request: WireRequest, receiver: Receiver): Exchange;
}

/** One request, ready to be written. */
export interface WireRequest {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The path, percent-encoded, with its leading slash. */
  readonly path: string;
  /** Names and values in turn; the same list for every request of one client and key. */
  readonly headers: readonly string[];
  /** One JSON object. */
  readonly body: string;
}

/** The headers of a request by name and value. */
export function headerPairs(headers: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) pairs.push([headers[at] ?? "", headers[at + 1] ?? ""]);
  return pairs;
}

/**
 * Receives the events of one exchange, in this order: `onSent`, `onHead`, `onChunk`…, and last exactly one of `onEnd` and
 * `onFailure`. No event comes before `Exchange.send` was called, or after `Exchange.abort`.
 */
export interface Receiver {
  /** From here on the request may have reached the server. */
  onSent(): void;
  /** The head of the final answer. Interim answers (1xx) are not reported. */
  onHead(head: ResponseHead): void;
  /** Bytes of the body, never while paused. A chunk may be kept and never changes. */
  onChunk(chunk: Uint8Array): void;
  /** The body is complete. Never while paused. */
  onEnd(): void;
  onFailure(cause: unknown): void;
}

/** One request in flight. */
export interface Exchange {
  /** Sends the request. Never throws: failures are reported to the receiver. */
  send(): void;
  /** Stops the chunks. Meanwhile the server has to wait. */
  pause(): void;
  resume(): void;
  /** Ends the exchange, frees its socket, and silences it. */
  abort(reason: unknown): void;
}

/** Why no answer came. */
export interface Explanation {
  /** In words; default: those of the innermost error. */
  readonly reason?: string;
  /** What to do, as a whole sentence. */
  readonly advice?: string;
  /** Whether another attempt would fail the same way until somebody fixes something. */
  readonly isLasting?: boolean;
  /** Whether it is certain that no byte of the request left. */
  readonly unsent: boolean;
}

/** The client options that select what carries the requests. */
export interface TransportSettings {
  readonly fetch?: FetchLike | undefined;
  readonly dispatcher?: DispatcherLike | undefined;
  readonly credentials?: "omit" | "same-origin" | "include" | undefined;
}

/** What a client shares with the clients derived from it: connections of their own, opened when first needed. */
export interface TransportPool {
  /** Returns what carries the next call. Read again for every call, because mocks come and go. */
  current(settings: TransportSettings): Transport;
  /** Captures the caller's asynchronous context, as loggers and tracers use it, if the runtime allows that. */
  captureContext(): CapturedContext | undefined;
  /** Closes what this pool opened when the calls in flight are done; never a caller's dispatcher. */
  close(): Promise<void>;
}

/** An asynchronous context that was captured: the part of Node's `AsyncResource` that the client uses. */
export interface CapturedContext {
  runInAsyncScope<Args extends unknown[]>(
    run: (...args: Args) => void,
    thisArg: undefined,
    ...args: Args
  ): void;
}

/** The transports of a platform. */
export interface TransportPlatform {
  openPool(): TransportPool;
  /** Says why a caller's dispatcher cannot be used, or returns `undefined` if it can. */
  objectionTo(dispatcher: DispatcherLike): string | undefined;
}

/** A dispatcher of undici 7 or later, as far as it is used here. */
export interface DispatcherLike {
  /** Sends a request. */
  // biome-ignore lint/suspicious/noExplicitAny: undici's own types differ between its versions; any of them fits.
  dispatch(options: any, handler: any): boolean;
}
