import { ConfigurationError } from "../errors/errors.ts";
import { callSafely, isInstance } from "../errors/foreign-values.ts";
import { isPage, mayForbidCaching } from "../runtime/environment.ts";
import { withoutPrototype } from "../runtime/own-options.ts";
import { nextLoopTurn, stepsPerTurn } from "../runtime/timers.ts";
import { type BodyReader, checkChunk, endBody, notNew, openBody, type ReadResult } from "./fetch-body.ts";
import {
  codingsOf,
  type Exchange,
  type FetchInit,
  type FetchLike,
  type FetchResponse,
  headerPairs,
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
      const url = request.origin + request.path;
      const call = (signal: AbortSignal) => {
        if (typeof fetch !== "function") throw noFetch();
        return fetch(url, initOf(request, signal, credentials));
      };
      return new FetchExchange(url, call, receiver);
    },
  };
}

class FetchExchange implements Exchange {
  readonly #url: string;
  readonly #fetch: (signal: AbortSignal) => Promise<FetchResponse>;
  readonly #receiver: Receiver;
  readonly #controller = new AbortController();
  /** `over`: the receiver has received its last event, or has aborted. */
  #state: "flowing" | "paused" | "over" = "flowing";
  #response: FetchResponse | undefined;
  #reader: BodyReader | undefined;
  /** Wakes a paused exchange. */
  #wake: (() => void) | undefined;

  constructor(url: string, fetch: (signal: AbortSignal) => Promise<FetchResponse>, receiver: Receiver) {
    this.#url = url;
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
      const reader = this.#open(response);
      const redirect = redirectOf(response, this.#url);
      if (!this.#isOver) this.#receiver.onHead(headOf(response, redirect));
      if (this.#isOver) return this.#discard();
      // What another address returned is not read.
      if (redirect !== undefined) this.#discard();
      // Chunks that are already there, and empty ones, must not keep timers and signals waiting.
      for (let reads = 1; redirect === undefined; reads++) {
        const { done, value } = Object(await reader.read()) as ReadResult;
        if (reads % stepsPerTurn === 0) await nextLoopTurn();
        while (this.#state === "paused") await this.#untilWoken();
        if (this.#isOver) return;
        if (done) break;
        const chunk = checkChunk(value);
        if (chunk.length > 0) this.#receiver.onChunk(chunk);
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

  /** @throws {ConfigurationError} whatever an unusable response throws, because a retry would render for it again */
  #open(response: FetchResponse): BodyReader {
    try {
      checkResponse(response);
      this.#reader = openBody(response);
      return this.#reader;
    } catch (error) {
      throw isInstance(error, ConfigurationError) ? error : notNew();
    }
  }

  /** Ends the body in addition to the abort, because the body of a mock may ignore our signal. */
  #discard(reason?: unknown): void {
    const reader = this.#reader;
    callSafely(() => (reader ? reader.cancel(reason) : endBody(this.#response?.body, reason)));
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
    headers: headersFrom(headerPairs(headers)),
    body: json,
    redirect: "manual",
    signal,
    ...(mayForbidCaching() && { cache: "no-store" }),
    ...(credentials && { credentials }),
  });
}

/** whatwg-fetch, on which React Native's is based, would also send the indexes of an array. Only its `Headers` have a `map`. */
function headersFrom(pairs: FetchInit["headers"]): FetchInit["headers"] {
  const headers: object | undefined = typeof Headers === "undefined" ? undefined : new Headers(pairs);
  return headers && "map" in headers ? (headers as typeof pairs) : pairs;
}

/** A mock may return anything. It may omit the headers. */
function checkResponse(response: FetchResponse): void {
  const { status, headers } = Object(response) as FetchResponse;
  if (typeof status !== "number" || (headers && typeof headers.get !== "function")) throw notNew();
}

/**
 * Returns where a response comes from if `fetch` followed a redirect. Those that are built on XMLHttpRequest, such as React
 * Native's, cannot refuse one, and only the URL of the response tells.
 */
function redirectOf({ redirected, url }: FetchResponse, requested: string): string | undefined {
  const isOther =
    redirected ?? (typeof url === "string" && url !== "" && normalize(url) !== normalize(requested));
  return isOther ? String(url) : undefined;
}

/**
 * Normalizes an address for a comparison, because the HTTP clients of React Native do, but its `URL` does not. The case of a path that
 * differs is ignored, too.
 */
function normalize(url: string): string {
  const address = encodeURI(url).replaceAll("%25", "%").toLowerCase();
  return address.replace(/^(http:[^:]*):80(?=\/)|^(https:[^:]*):443(?=\/)|#.*/g, "$1$2");
}

/** @param redirect - the address of the response, if `fetch` followed a redirect */
function headOf({ status, type, headers }: FetchResponse, redirect: string | undefined): ResponseHead {
  const codings = codingsOf(textIn(headers, "content-encoding"));
  return {
    // As for a redirect that the browser hides. The response of another address must not count as a document.
    status: redirect === undefined ? status : 0,
    // For cross-origin responses, browsers expose the length, but not the encoding.
    isDecoded: codings.length > 0 || (type === "cors" && isPage() ? undefined : false),
    unsupportedCoding: codings.every((coding) => decodedByFetch.test(coding))
      ? undefined
      : codings.join(", "),
    opaqueRedirect: type === "opaqueredirect" || redirect !== undefined,
    header: (name) => (name === "location" && redirect) || textIn(headers, name),
    toHeaders() {
      const copy = new Headers();
      const add = (value: string, name: string) => callSafely(() => copy.append(name, value));
      callSafely(() => headers?.forEach(add));
      return copy;
    },
  };
}

/** Reads a header. The headers of a mock may return or throw anything, also after the response has arrived. */
function textIn(headers: FetchResponse["headers"], name: string): string | undefined {
  try {
    const value: unknown = headers?.get(name);
    if (typeof value === "string") return value;
    // An asynchronous mock may reject.
    callSafely(() => value);
    return undefined;
  } catch {
    return undefined;
  }
}

function noFetch(): ConfigurationError {
  return new ConfigurationError("This runtime, like jsdom, has no `fetch`. Pass one as `fetch`.");
}
