import { ConfigurationError } from "../errors/errors.ts";
import { callSafely } from "../errors/foreign-values.ts";
import { describeKind, isBytes } from "../errors/value-kinds.ts";
import { isPage, mayForbidCaching } from "../runtime/environment.ts";
import { withoutPrototype } from "../runtime/own-options.ts";
import { nextLoopTurn, stepsPerTurn } from "../runtime/timers.ts";
import {
  codingsOf,
  type Exchange,
  type FetchInit,
  type FetchLike,
  type FetchReader,
  type FetchResponse,
  headerPairs,
  type ReadResult,
  type Receiver,
  type ResponseHead,
  type Transport,
  type WireRequest,
} from "./transport.ts";

/** Content codings that a `fetch` decodes itself. The PDF check detects bodies that are still encoded. */
const decodedByFetch = /^(?:(?:x-)?gzip|deflate|br|zstd)$/;

/**
 * Sends requests with a `fetch`: the global one, a mock, or the caller's own.
 *
 * @param current - returns the function to call; called for every request
 * @param credentials - whether cookies are sent
 * @param explain - explains the errors from this runtime
 */
export function fetchTransport(
  current: () => FetchLike,
  credentials: FetchInit["credentials"],
  explain?: Transport["explain"],
): Transport {
  return {
    name: "fetch",
    sees: { connecting: false, sending: false },
    explain,
    open(request, receiver) {
      // Called as a bare function: the `fetch` of browsers rejects any other `this`.
      const fetch = current();
      const call = (signal: AbortSignal) => {
        if (typeof fetch !== "function") throw noFetch();
        return fetch(request.origin + request.path, initOf(request, signal, credentials));
      };
      return new FetchExchange(call, receiver);
    },
  };
}

class FetchExchange implements Exchange {
  readonly #fetch: (signal: AbortSignal) => Promise<FetchResponse>;
  readonly #receiver: Receiver;
  readonly #controller = new AbortController();
  /** `over`: the receiver has received its last event, or has aborted. */
  #state: "flowing" | "paused" | "over" = "flowing";
  #response: FetchResponse | undefined;
  #reader: FetchReader | undefined;
  /** Wakes a paused exchange. */
  #wake: (() => void) | undefined;

  constructor(fetch: (signal: AbortSignal) => Promise<FetchResponse>, receiver: Receiver) {
    this.#fetch = fetch;
    this.#receiver = receiver;
  }

  get #isOver(): boolean {
    return this.#state === "over";
  }

  send(): void {
    if (!this.#isOver) void this.#run();
  }

  pause(): void {
    if (!this.#isOver) this.#state = "paused";
  }

  resume(): void {
    if (!this.#isOver) this.#state = "flowing";
    this.#wake?.();
  }

  abort(reason: unknown): void {
    // The signal is not aborted after the end, because other code may watch it.
    if (this.#isOver) return;
    this.#state = "over";
    this.#discard(reason);
    this.#wake?.();
  }

  async #run(): Promise<void> {
    try {
      const fetch = this.#fetch;
      const sent = fetch(this.#controller.signal);
      // That call may have aborted the exchange.
      if (!this.#isOver) this.#receiver.onSent();
      const response = await sent;
      this.#response = response;
      checkResponse(response);
      if (!this.#isOver) this.#receiver.onHead(headOf(response));
      if (this.#isOver) return this.#discard();
      this.#reader = response.body?.getReader();
      // Chunks that are already there, and empty ones, must not keep timers and signals waiting.
      for (let reads = 1; this.#reader; reads++) {
        const { done, value } = Object(await this.#reader.read()) as ReadResult;
        if (reads % stepsPerTurn === 0) await nextLoopTurn();
        while (this.#state === "paused") await this.#untilWoken();
        if (this.#isOver) return;
        if (done) break;
        if (!isBytes(value)) throw notBytes(value);
        if (value.length > 0) this.#receiver.onChunk(value);
      }
    } catch (cause) {
      if (this.#response) this.#discard(cause);
      if (this.#isOver) return;
      this.#state = "over";
      return this.#receiver.onFailure(cause);
    }
    this.#state = "over";
    this.#receiver.onEnd();
  }

  /** Ends the body in addition to the abort, because the body of a mock may ignore our signal. */
  #discard(reason?: unknown): void {
    callSafely(() => {
      const body: ForeignBody | null | undefined = this.#reader ?? this.#response?.body;
      // An error that nobody listens to would end the process.
      body?.on?.("error", () => {});
      return body?.cancel?.(reason) ?? body?.destroy?.() ?? body?.[Symbol.asyncIterator]?.().return();
    });
    this.#controller.abort(reason);
  }

  #untilWoken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

function initOf(
  { headers, json }: WireRequest,
  signal: AbortSignal,
  credentials: FetchInit["credentials"],
): FetchInit {
  // Without a prototype, because `fetch` also reads inherited properties, such as `dispatcher` or `integrity`.
  return withoutPrototype<FetchInit>({
    method: "POST",
    headers: headerPairs(headers),
    body: json,
    redirect: "manual",
    signal,
    ...(mayForbidCaching() && { cache: "no-store" }),
    ...(credentials && { credentials }),
  });
}

/** A mock may return anything. */
function checkResponse(response: FetchResponse): void {
  const isResponse = typeof response?.status === "number" && typeof response.headers?.get === "function";
  if (!isResponse || response.bodyUsed || response.body?.locked) {
    throw new ConfigurationError("Expected `fetch` to return a new Response for every call.");
  }
  if (response.body && typeof response.body.getReader !== "function") throw notBytes(response.body);
}

/** The methods that end a body: those of a web stream or its reader, of a Node stream, or of an iterable. */
interface ForeignBody {
  cancel?(reason: unknown): unknown;
  destroy?(): unknown;
  on?(event: "error", listener: () => void): unknown;
  [Symbol.asyncIterator]?(): { return(): unknown };
}

function headOf({ status, type, headers }: FetchResponse): ResponseHead {
  const codings = codingsOf(textIn(headers, "content-encoding"));
  return {
    status,
    // For cross-origin responses, browsers expose the length, but not the encoding.
    isDecoded: codings.length > 0 || (type === "cors" && isPage() ? undefined : false),
    unsupportedCoding: codings.every((coding) => decodedByFetch.test(coding))
      ? undefined
      : codings.join(", "),
    opaqueRedirect: type === "opaqueredirect",
    header: (name) => textIn(headers, name),
    toHeaders() {
      const copy = new Headers();
      const add = (value: string, name: string) => callSafely(() => copy.append(name, value));
      callSafely(() => headers.forEach(add));
      return copy;
    },
  };
}

/** Reads a header. The headers of a mock may return or throw anything, also after the response has arrived. */
function textIn(headers: FetchResponse["headers"], name: string): string | undefined {
  try {
    const value: unknown = headers.get(name);
    if (typeof value === "string") return value;
    // An asynchronous mock may reject.
    callSafely(() => value);
    return undefined;
  } catch {
    return undefined;
  }
}

/** The body is not a web stream, as that of node-fetch, or a chunk has another type. */
function notBytes(found: unknown): ConfigurationError {
  return new ConfigurationError(
    `Expected \`fetch\` to return a web stream of Uint8Array chunks, got ${describeKind(found)}.`,
  );
}

function noFetch(): ConfigurationError {
  return new ConfigurationError("This runtime, like jsdom, has no `fetch`. Pass one as `fetch`.");
}
