/** Carries the requests of a client. It pushes events to a receiver, and can be paused. */
export interface Transport {
  readonly name: "undici" | "fetch";
  /** The events that this transport can observe. Everything else is reported as unknown. */
  readonly sees: {
    /** Whether the time before `onSent` is spent only on connecting, and not in a queue. */
    readonly connecting: boolean;
    /** Whether `onSent` fires when the request has been sent, rather than when it has been handed to the runtime. */
    readonly sending: boolean;
  };
  /** Explains a failure of a request to an origin, if the errors from this runtime are known. */
  readonly explain?: ((cause: unknown, origin: string) => Explanation | undefined) | undefined;
  /** Returns the address of the proxy for an origin, without credentials, if there is one and it is known. */
  readonly proxyOf?: ((origin: string) => string | undefined) | undefined;
  /** Prepares an exchange. The request is sent by the exchange's `send`. */
  open(request: WireRequest, receiver: Receiver): Exchange;
}

/** One request, ready to be written. */
export interface WireRequest {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The path, percent-encoded, with its leading slash. */
  readonly path: string;
  /** Alternating names and values. Requests that use the same key and come from the same client share the list. */
  readonly headers: readonly string[];
  /** The body: one JSON object. */
  readonly json: string;
}

/** Returns the headers of a request as pairs of name and value. */
export function headerPairs(headers: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) pairs.push([headers[at] ?? "", headers[at + 1] ?? ""]);
  return pairs;
}

/**
 * Receives the events of one exchange, in this order: `onSent`, `onHead`, `onChunk`…, and then exactly one of `onEnd` and
 * `onFailure`. There are no events before `Exchange.send` or after `Exchange.abort`.
 */
export interface Receiver {
  /** From here on, the request may have reached the server. */
  onSent(): void;
  /** The status and headers of the final response. Interim responses (1xx) are not reported. */
  onHead(head: ResponseHead): void;
  /** Receives bytes of the body, at least one. Not called while paused. A chunk never changes, so receivers may keep it. */
  onChunk(chunk: Uint8Array): void;
  /** The body is complete. Not called while paused. */
  onEnd(): void;
  onFailure(cause: unknown): void;
}

/** The status and headers of a response. */
export interface ResponseHead {
  readonly status: number;
  /** Returns a header's value; multiple values are joined with `, `. */
  header(name: string): string | undefined;
  toHeaders(): Headers;
  /**
   * Whether the transport decoded the bytes, so that `content-length` does not describe them; `undefined` if unknown.
   */
  readonly isDecoded: boolean | undefined;
  /** The content coding that the transport does not decode. */
  readonly unsupportedCoding: string | undefined;
  /** A redirect that a browser hides: no status, no headers, no body. */
  readonly opaqueRedirect: boolean;
}

/**
 * Returns the declared length of a response (RFC 9110, 8.6), or `undefined` if no length is declared or it
 * does not apply to the decoded bytes.
 */
export function contentLengthOf(head: ResponseHead): number | undefined {
  return head.isDecoded === false ? lengthIn(head) : undefined;
}

/** Returns the expected length of a response. The length may refer to the encoded (compressed) bytes. */
export function expectedLengthOf(head: ResponseHead): number | undefined {
  return head.isDecoded ? undefined : lengthIn(head);
}

/** Returns the service's request id. */
export function requestIdOf(head: ResponseHead): string | undefined {
  return head.header("x-request-id") ?? head.header("request-id");
}

function lengthIn(head: ResponseHead): number | undefined {
  const text = head.header("content-length");
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

const noCodings: readonly string[] = [];

/** Returns the codings of a `content-encoding` header in the order in which they were applied (RFC 9110, 8.4). */
export function codingsOf(contentEncoding: string | undefined): readonly string[] {
  if (contentEncoding === undefined) return noCodings;
  const codings = contentEncoding.split(",").map((coding) => coding.trim().toLowerCase());
  return codings.filter((coding) => coding !== "" && coding !== "identity");
}

/** One request in flight. Its methods never throw, whatever a caller's `fetch` or dispatcher does. */
export interface Exchange {
  /** Sends the request. Failures are reported to the receiver. */
  send(): void;
  /** Stops the chunks, which makes the server wait. */
  pause(): void;
  resume(): void;
  /** Ends the exchange, frees its socket, and stops its events. */
  abort(reason: unknown): void;
}

/** Why there was no response, or no more of it. */
export interface Explanation {
  /** The reason in words. Default: the message of the innermost error. */
  readonly reason?: string;
  /** What to do, as a sentence. */
  readonly advice?: string;
  /** Whether a retry would fail in the same way. */
  readonly isLasting?: boolean;
  /** Whether it is certain that no byte of the request was sent. */
  readonly isUnsent: boolean;
  /** Whether the bytes of the body are not in the coding that its headers declare. */
  readonly isUndecodable?: boolean;
}

/** The client options that select the transport. */
export interface TransportSettings {
  readonly fetch?: FetchLike | undefined;
  readonly dispatcher?: DispatcherLike | undefined;
  readonly credentials?: "omit" | "same-origin" | "include" | undefined;
}

/** The connections that a client shares with its derived clients, opened on demand. */
export interface TransportPool {
  /**
   * Returns the transport for the next call. The transport is looked up on every call, because mocks can be
   * installed and removed at any time.
   */
  current(settings: TransportSettings): Transport;
  /** Captures the caller's asynchronous context, which loggers and tracers use, if the runtime supports it. */
  captureContext(): CapturedContext | undefined;
  /**
   * Closes the connections in this pool when the calls in flight have ended, but never a caller's dispatcher.
   */
  close(): Promise<void>;
}

/** A captured asynchronous context: the part of Node's `AsyncResource` that the client uses. */
export interface CapturedContext {
  runInAsyncScope<Args extends unknown[]>(
    run: (...args: Args) => void,
    thisArg: undefined,
    ...args: Args
  ): void;
}

/** The part of `fetch` that the client uses. */
export type FetchLike = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** The arguments for `fetch`. */
export interface FetchInit {
  method: "POST";
  headers: [string, string][];
  body: string;
  redirect: "manual";
  signal: AbortSignal;
  cache?: "no-store";
  credentials?: "omit" | "same-origin" | "include";
}

/**
 * The part of `Response` that the client uses. A body is read as a web stream, else as an async iterable such as a Node stream,
 * else with `arrayBuffer()`.
 */
export interface FetchResponse {
  readonly status: number;
  readonly type?: string | undefined;
  readonly url?: string | undefined;
  readonly redirected?: boolean | undefined;
  readonly headers?:
    | {
        get(name: string): string | null;
        forEach(visit: (value: string, name: string) => void): void;
      }
    | undefined;
  readonly body?: unknown;
  readonly bodyUsed?: boolean | undefined;
  arrayBuffer?(): Promise<unknown>;
}

/** The part of a dispatcher from undici 7 or later that the client uses. */
export interface DispatcherLike {
  /** Sends a request. */
  // biome-ignore lint/suspicious/noExplicitAny: undici's own types differ between its versions; any of them fits.
  dispatch(options: any, handler: any): boolean;
}
