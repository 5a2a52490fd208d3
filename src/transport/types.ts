/** The seam between the request's life and what carries bytes over the wire: push, with pause. */

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

/** The answer before its body. */
export interface ResponseHead {
  readonly status: number;
  /** A header's value; several of one name are joined with `, `. */
  header(name: string): string | undefined;
  toHeaders(): Headers;
  /**
   * Whether the bytes were decoded on the way, so that `content-length` does not describe them; `undefined` where nobody can
   * see whether they were.
   */
  readonly decoded: boolean | undefined;
  /** The content coding that nobody on the way decodes. */
  readonly undecoded: string | undefined;
  /** A redirect that a page may not look into: no status, no headers, no body. */
  readonly opaqueRedirect: boolean;
}

/**
 * What hears of one exchange. Calls come in this order: `onSent`, `onHead`, `onChunk`…, and last exactly one
 * of `onEnd` and `onFailure`. None comes before `Exchange.send` was called, or after `Exchange.abort`.
 */
export interface Receiver {
  /** From here on the request may have reached the server. */
  onSent(): void;
  /** The head of the final answer; interim ones (1xx) are not told. */
  onHead(head: ResponseHead): void;
  /** Bytes of the body, never while paused. A chunk may be kept and is never changed. */
  onChunk(chunk: Uint8Array): void;
  /** The body is complete; never while paused. */
  onEnd(): void;
  onFailure(cause: unknown): void;
}

/** One request on its way, and the handle on it. */
export interface Exchange {
  /** Sends the request. Never throws: what goes wrong is told to the receiver. */
  send(): void;
  /** Stops the chunks; what the server sends meanwhile backs up to it. */
  pause(): void;
  resume(): void;
  /** Ends the exchange, frees its socket, and silences it. */
  abort(reason: unknown): void;
}

/** Why no answer came. */
export interface Explanation {
  /** In words; else those of the innermost error. */
  readonly reason?: string;
  /** What to do, as a whole sentence. */
  readonly advice?: string;
  /** Whether another try would end the same way, until somebody has mended something. */
  readonly isLasting?: boolean;
  /** Whether it is certain that no byte of the request left. */
  readonly unsent: boolean;
}

/** One way to carry a request. */
export interface Transport {
  readonly name: "undici" | "fetch";
  /** What this way can observe; what it cannot is told as nothing, never guessed. */
  readonly sees: {
    /** Whether the time before `onSent` is spent on connecting, and on nothing else, such as a queue. */
    readonly connecting: boolean;
    /** Whether `onSent` tells when the request leaves, not merely when it was handed over. */
    readonly sending: boolean;
  };
  /** Explains a failure that came before any answer, where this runtime's words are known. */
  readonly explain?: ((cause: unknown) => Explanation | undefined) | undefined;
  /** Prepares an exchange; nothing is sent before its `send`. */
  open(request: WireRequest, receiver: Receiver): Exchange;
}

/** The choices of a client that decide what carries its requests. */
export interface TransportSettings {
  readonly fetch?: FetchLike | undefined;
  readonly dispatcher?: DispatcherLike | undefined;
  readonly credentials?: "omit" | "same-origin" | "include" | undefined;
}

/** What a client and its siblings share: connections of their own, made when first needed. */
export interface TransportPool {
  /** What carries the next call. Asked at every call, because mocks come and go. */
  current(settings: TransportSettings): Transport;
  /** Closes what this pool made, when the calls in flight are done; never a caller's dispatcher. */
  close(): Promise<void>;
}

/** An asynchronous context that was captured: as much of Node's `AsyncResource` as is used here. */
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
  /** Keeps the asynchronous context of the caller, as loggers and tracers use it; where the runtime lets anybody. */
  captureContext(): CapturedContext | undefined;
  /** Says why a caller's dispatcher cannot be used, or `undefined` where it can. */
  objectionTo(dispatcher: DispatcherLike): string | undefined;
}

/** `fetch`, as far as it is used here. */
export type FetchLike = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** What `fetch` is called with. */
export interface FetchInit {
  method: "POST";
  headers: [string, string][];
  body: string;
  redirect: "manual";
  signal: AbortSignal;
  cache?: "no-store";
  credentials?: "omit" | "same-origin" | "include";
}

/** A `Response`, as far as it is used here. */
export interface FetchResponse {
  readonly status: number;
  readonly type: string;
  readonly headers: FetchHeaders;
  readonly body: FetchBody | null;
  readonly bodyUsed?: boolean | undefined;
}

/** A `Headers`, as far as it is used here; every library's own fits, whatever else it has. */
interface FetchHeaders {
  get(name: string): string | null;
  forEach(visit: (value: string, name: string) => void): void;
}

/** A `ReadableStream` of bytes, as far as it is used here. */
interface FetchBody {
  readonly locked?: boolean | undefined;
  getReader(): FetchReader;
  cancel(reason?: unknown): Promise<void>;
}

/** A reader of such a stream, as far as it is used here. */
export interface FetchReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(reason?: unknown): Promise<void>;
}

/** A dispatcher of undici 7 or later, as far as it is used here. */
export interface DispatcherLike {
  /** Sends a request. */
  // biome-ignore lint/suspicious/noExplicitAny: undici's own types differ between its versions; any of them fits.
  dispatch(options: any, handler: any): boolean;
}
