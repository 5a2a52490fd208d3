import { ConfigurationError } from "../errors/errors.ts";
import { isPage } from "../runtime/environment.ts";
import type {
  Exchange,
  FetchInit,
  FetchLike,
  FetchReader,
  FetchResponse,
  Receiver,
  ResponseHead,
  Transport,
  WireRequest,
} from "./types.ts";

/** Content codings that a `fetch` decodes by itself; what it leaves alone is proved by the PDF check. */
const decodedByFetch = /^(?:gzip|x-gzip|deflate|br|zstd)$/;

/** Carries requests by a `fetch`: the global one, a mock of it, or the caller's own. */
export class FetchTransport implements Transport {
  readonly name = "fetch";
  readonly sees = { connecting: false, sending: false };
  readonly #fetch: () => FetchLike;
  readonly #credentials: FetchInit["credentials"];
  readonly explain: Transport["explain"];

  /**
   * @param fetch - gives the function to call; asked for every request
   * @param credentials - whether cookies go along
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
  #paused = false;
  #aborted = false;
  /** The receiver has heard its last; the signal is left alone, because others may watch it. */
  #over = false;
  #reader: FetchReader | undefined;
  /** Lets the pump go on. */
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

  send(): void {
    if (!this.#aborted) void this.#run();
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#wake?.();
  }

  abort(reason: unknown): void {
    if (this.#aborted || this.#over) return;
    this.#aborted = true;
    this.#controller.abort(reason);
    // Cancelled as well as aborted: the body of a mock may not know of our signal.
    this.#reader?.cancel(reason).catch(ignore);
    this.#wake?.();
  }

  async #run(): Promise<void> {
    const receiver = this.#receiver;
    try {
      // Called as a bare function: a browser's own fetch refuses any other `this`.
      const fetch = this.#fetch;
      if (typeof fetch !== "function") throw noFetch();
      const sent = fetch(this.#request.origin + this.#request.path, this.#init());
      // It may have been given up by that very call.
      if (!this.#aborted) receiver.onSent();
      const response = await sent;
      if (typeof response?.status !== "number" || typeof response.headers?.get !== "function")
        throw noResponse();
      if (response.bodyUsed || response.body?.locked) throw readBefore();
      if (!this.#aborted) receiver.onHead(headOf(response));
      if (this.#aborted) return void response.body?.cancel().catch(ignore);
      if (response.body) await this.#pump(response.body.getReader());
      await this.#whilePaused();
    } catch (cause) {
      this.#over = true;
      if (!this.#aborted) receiver.onFailure(cause);
      return;
    }
    this.#over = true;
    if (!this.#aborted) receiver.onEnd();
  }

  async #pump(reader: FetchReader): Promise<void> {
    this.#reader = reader;
    while (!this.#aborted) {
      await this.#whilePaused();
      const { done, value } = await reader.read();
      if (done || value === undefined) return;
      // Paused while the read was under way: the chunk waits with the pump.
      await this.#whilePaused();
      if (!this.#aborted) this.#receiver.onChunk(value);
    }
  }

  async #whilePaused(): Promise<void> {
    while (this.#paused && !this.#aborted) {
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

function headOf({ status, type, headers }: FetchResponse): ResponseHead {
  const coding = headers.get("content-encoding")?.trim().toLowerCase() || "identity";
  const isCoded = coding !== "identity";
  const isDecoded = coding.split(",").every((one) => decodedByFetch.test(one.trim()));
  return {
    status,
    // Of an answer from another origin a page may see the length, but not whether it was encoded.
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
 * Whether `cache: "no-store"` may be said. Next.js would otherwise keep a document and hand it out again;
 * some versions of Workers throw at the very word.
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

function noResponse(): ConfigurationError {
  return new ConfigurationError(
    "The `fetch` in use gave no Response. If it is a mock, let it give `new Response(…)`, a new one for every call.",
  );
}

function readBefore(): ConfigurationError {
  return new ConfigurationError(
    "The `fetch` in use gave a Response that has been read before. If it is a mock, let it give a new one for every call.",
  );
}

function ignore(): void {}
