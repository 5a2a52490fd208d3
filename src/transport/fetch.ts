import { ConfigurationError } from "../errors/errors.ts";
import { isPage } from "../runtime/environment.ts";
import type { ResponseHead } from "./response-head.ts";
import type { Exchange, Receiver, Transport, WireRequest } from "./transport.ts";

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

/** A `Headers`, as far as it is used here; that of every library fits. */
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
interface FetchReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(reason?: unknown): Promise<void>;
}

/** Content codings that a `fetch` decodes itself. The PDF check detects what it left encoded. */
const decodedByFetch = /^(?:gzip|x-gzip|deflate|br|zstd)$/;

/** Sends requests with a `fetch`: the global one, a mock of it, or the caller's own. */
export class FetchTransport implements Transport {
  readonly name = "fetch";
  readonly sees = { connecting: false, sending: false };
  readonly #fetch: () => FetchLike;
  readonly #credentials: FetchInit["credentials"];
  readonly explain: Transport["explain"];

  /**
   * @param fetch - returns the function to call; called for every request
   * @param credentials - whether cookies are sent
   * @param explain - knows the errors of this runtime
   */
  constructor(fetch: () => FetchLike, credentials: FetchInit["credentials"], explain?: Transport["explain"]) {
    this.#fetch = fetch;
    this.#credentials = credentials;
    this.explain = explain;
  }

  open(request: WireRequest, receiver: Receiver): Exchange {
    return new FetchExchange(this.#fetch(), request, receiver, this.#credentials);
  }
}

class FetchExchange implements Exchange {
  readonly #fetch: FetchLike;
  readonly #request: WireRequest;
  readonly #receiver: Receiver;
  readonly #credentials: FetchInit["credentials"];
  readonly #controller = new AbortController();
  /** Over: the receiver got its last event, or aborted. */
  #state: "flowing" | "paused" | "over" = "flowing";
  #reader: FetchReader | undefined;
  /** Ends the wait of a paused exchange. */
  #wake: (() => void) | undefined;

  constructor(
    fetch: FetchLike,
    request: WireRequest,
    receiver: Receiver,
    credentials: FetchInit["credentials"],
  ) {
    this.#fetch = fetch;
    this.#request = request;
    this.#receiver = receiver;
    this.#credentials = credentials;
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
    // After the end the signal is left alone, because others may watch it.
    if (this.#isOver) return;
    this.#state = "over";
    this.#controller.abort(reason);
    // Cancelled as well as aborted: the body of a mock may not know of our signal.
    this.#reader?.cancel(reason).catch(ignore);
    this.#wake?.();
  }

  async #run(): Promise<void> {
    try {
      const response = await this.#callFetch();
      checkResponse(response);
      if (!this.#isOver) this.#receiver.onHead(headOf(response));
      if (this.#isOver) return void response.body?.cancel().catch(ignore);
      if (response.body) await this.#pump(response.body.getReader());
      await this.#whilePaused();
    } catch (cause) {
      if (this.#isOver) return;
      this.#state = "over";
      return this.#receiver.onFailure(cause);
    }
    if (this.#isOver) return;
    this.#state = "over";
    this.#receiver.onEnd();
  }

  #callFetch(): Promise<FetchResponse> {
    // Called as a bare function: a browser's own fetch refuses any other `this`.
    const fetch = this.#fetch;
    if (typeof fetch !== "function") throw noFetch();
    const sent = fetch(this.#request.origin + this.#request.path, this.#init());
    // That very call may have aborted the exchange.
    if (!this.#isOver) this.#receiver.onSent();
    return sent;
  }

  async #pump(reader: FetchReader): Promise<void> {
    this.#reader = reader;
    while (!this.#isOver) {
      await this.#whilePaused();
      const { done, value } = await reader.read();
      if (done || value === undefined) return;
      // A pause during the read holds the chunk back.
      await this.#whilePaused();
      if (!this.#isOver) this.#receiver.onChunk(value);
    }
  }

  async #whilePaused(): Promise<void> {
    while (this.#state === "paused") {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #init(): FetchInit {
    const { headers, body } = this.#request;
    const pairs: [string, string][] = [];
    for (let at = 0; at < headers.length; at += 2) pairs.push([headers[at] ?? "", headers[at + 1] ?? ""]);
    return {
      method: "POST",
      headers: pairs,
      body,
      redirect: "manual",
      signal: this.#controller.signal,
      ...(mayForbidCaching() && { cache: "no-store" }),
      ...(this.#credentials && { credentials: this.#credentials }),
    };
  }
}

/** A mock may return anything. */
function checkResponse(response: FetchResponse): void {
  if (typeof response?.status !== "number" || typeof response.headers?.get !== "function") {
    throw new ConfigurationError(
      "The `fetch` in use gave no Response. If it is a mock, let it give `new Response(…)`, a new one for every call.",
    );
  }
  if (response.bodyUsed || response.body?.locked) {
    throw new ConfigurationError(
      "The `fetch` in use gave a Response that has been read before. If it is a mock, let it give a new one for every call.",
    );
  }
}

function headOf({ status, type, headers }: FetchResponse): ResponseHead {
  const coding = headers.get("content-encoding")?.trim().toLowerCase() || "identity";
  const isCoded = coding !== "identity";
  const isDecoded = coding.split(",").every((one) => decodedByFetch.test(one.trim()));
  return {
    status,
    // For an answer from another origin a browser exposes the length, but not whether it was encoded.
    decoded: isCoded || (type === "cors" && isPage() ? undefined : false),
    undecoded: isCoded && !isDecoded ? coding : undefined,
    opaqueRedirect: type === "opaqueredirect",
    header: (name) => headers.get(name) ?? undefined,
    toHeaders() {
      const copy = new Headers();
      headers.forEach((value, name) => {
        copy.append(name, value);
      });
      return copy;
    },
  };
}

let forbidsCaching: boolean | undefined;

/**
 * Whether the runtime accepts `cache: "no-store"`. Without it Next.js would cache documents; but some versions of Workers
 * throw at it.
 */
function mayForbidCaching(): boolean {
  try {
    forbidsCaching ??= new Request("https://localhost", { cache: "no-store" }).cache === "no-store";
  } catch {
    forbidsCaching = false;
  }
  return forbidsCaching;
}

function noFetch(): ConfigurationError {
  return new ConfigurationError(
    "This runtime has no `fetch`. Give the client one as `fetch`; under Jest, jsdom has none, and the node environment has.",
  );
}

function ignore(): void {}
