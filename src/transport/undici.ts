import { ConfigurationError } from "../errors/errors.ts";
import { readForeignText } from "../errors/foreign-values.ts";
import { describeKind, isBytes } from "../errors/value-kinds.ts";
import { canDecode, codingsOf, Decoder } from "./decode.ts";
import { explain } from "./explain.ts";
import type { ResponseHead } from "./response-head.ts";
import type { OpeningSocket, SocketOwner, SocketTracker } from "./sockets.ts";
import {
  type DispatcherLike,
  type Exchange,
  headerPairs,
  type Receiver,
  type Transport,
  type WireRequest,
} from "./transport.ts";

/** Returns the dispatcher for an origin, or a promise while it is being loaded. */
type DispatcherSource = (origin: string) => DispatcherLike | Promise<DispatcherLike>;

/**
 * Sends requests with `dispatch` from undici 7 or later, without a stream or a promise in between.
 *
 * @param source - returns the dispatcher
 * @param sockets - tracks the sockets of our own dispatcher, which never queues a request
 */
export function undiciTransport(source: DispatcherSource, sockets?: SocketTracker): Transport {
  return {
    name: "undici",
    sees: { connecting: sockets !== undefined, sending: true },
    explain,
    open: (request, receiver) => new UndiciExchange(source, sockets, request, receiver),
  };
}

/** The controller that undici passes to new-style handlers. */
interface DispatchController {
  pause(): void;
  resume(): void;
  abort(reason: unknown): void;
  readonly rawHeaders?: readonly (Uint8Array | string)[] | null;
}

type IncomingHeaders = Record<string, string | string[] | undefined>;

/** One request, and the handler of its events. */
class UndiciExchange implements Exchange, SocketOwner {
  readonly #source: DispatcherSource;
  readonly #sockets: SocketTracker | undefined;
  readonly #request: WireRequest;
  readonly #receiver: Receiver;
  /** The socket that is being opened for this request. */
  #opening: OpeningSocket | undefined;
  #controller: DispatchController | undefined;
  #decoder: Decoder | undefined;
  /** `over`: the receiver has received its last event, or has aborted. */
  #state: "flowing" | "paused" | "over" = "flowing";
  /** The chunk that arrived while paused, because undici stops after the current chunk. */
  #held: (Uint8Array | "end")[] | undefined;
  #abortReason: unknown;

  constructor(
    source: DispatcherSource,
    sockets: SocketTracker | undefined,
    request: WireRequest,
    receiver: Receiver,
  ) {
    this.#source = source;
    this.#sockets = sockets;
    this.#request = request;
    this.#receiver = receiver;
  }

  send(): void {
    try {
      const dispatcher = this.#source(this.#request.origin);
      if (!(dispatcher instanceof Promise)) return this.#dispatch(dispatcher);
      dispatcher.then(
        (loaded) => this.#dispatch(loaded),
        (cause) => this.#fail(cause),
      );
    } catch (cause) {
      this.#fail(cause);
    }
  }

  pause(): void {
    // After the end, the socket belongs to another exchange.
    if (this.#state === "over") return;
    this.#state = "paused";
    if (this.#decoder) this.#decoder.pause();
    else this.#controller?.pause();
  }

  resume(): void {
    if (this.#state === "over") return;
    this.#state = "flowing";
    while (this.#isFlowing && this.#held?.length) {
      const next = this.#held.shift();
      if (next === "end") this.#end();
      else if (next) this.#receiver.onChunk(next);
    }
    if (!this.#isFlowing) return;
    if (this.#decoder) this.#decoder.resume();
    else this.#controller?.resume();
  }

  abort(reason: unknown): void {
    if (this.#state === "over") return;
    this.#state = "over";
    this.#abortReason = reason;
    this.#decoder?.destroy();
    // Destroyed with an error, because undici would wait forever for a socket that only closes.
    this.#opening?.destroy(new Error("The request was aborted while connecting."));
    this.#controller?.abort(reason);
  }

  get #isFlowing(): boolean {
    return this.#state === "flowing";
  }

  onOpening(socket: OpeningSocket): void {
    this.#opening = socket;
  }

  // Undici calls the following methods.

  onRequestStart(controller: DispatchController): void {
    if (this.#state === "over") return controller.abort(this.#abortReason);
    // A dispatcher that retries by itself reports every attempt.
    const isFirst = this.#controller === undefined;
    this.#controller = controller;
    this.#opening = undefined;
    if (isFirst) this.#receiver.onSent();
  }

  onResponseStart(controller: DispatchController, status: number, headers: IncomingHeaders): void {
    if (this.#state === "over" || status < 200) return;
    const head = new UndiciHead(status, headers, controller);
    if (head.decoded) this.#decoder = this.#openDecoder(head.codings);
    this.#receiver.onHead(head);
  }

  onResponseData(controller: DispatchController, chunk: Uint8Array): void {
    if (this.#state === "over") return;
    if (!isBytes(chunk)) return this.#refuse(controller, chunk);
    // Undici reports an empty chunk when it resumes. If the receiver paused again, this would be an endless loop.
    if (chunk.length === 0) return;
    if (this.#decoder) {
      if (!this.#decoder.write(chunk)) controller.pause();
    } else if (this.#isFlowing) {
      this.#receiver.onChunk(chunk);
    } else {
      this.#hold(chunk);
      controller.pause();
    }
  }

  onResponseEnd(): void {
    // From here on, the socket belongs to another request. The decoder may still be working.
    this.#controller = undefined;
    if (this.#decoder) this.#decoder.end();
    else this.#end();
  }

  onResponseError(_controller: DispatchController | undefined, cause: unknown): void {
    this.#decoder?.destroy();
    this.#fail(cause);
  }

  // The first events of old-style handlers, which only undici 6 or older calls.

  onConnect(abort: (reason: unknown) => void): void {
    const error = otherGeneration();
    this.#fail(error);
    abort(error);
  }

  onError(): void {
    this.#fail(otherGeneration());
  }

  #dispatch(dispatcher: DispatcherLike): void {
    if (this.#state === "over") return;
    const { origin, path, body } = this.#request;
    // A caller's dispatcher may read the headers, and expects an object.
    const headers = this.#sockets
      ? this.#request.headers
      : Object.fromEntries(headerPairs(this.#request.headers));
    // Disables undici's timeouts of 300 s: the receiver has its own.
    const options = {
      origin,
      path,
      method: "POST",
      headers,
      body,
      headersTimeout: 0,
      bodyTimeout: 0,
      // Undici would otherwise take these from `Object.prototype`.
      blocking: undefined,
      expectContinue: undefined,
      idempotent: undefined,
      maxRedirections: undefined,
      query: undefined,
      reset: undefined,
      servername: undefined,
      throwOnError: undefined,
      typeOfService: undefined,
      upgrade: undefined,
    };
    try {
      if (this.#sockets) this.#sockets.dispatch(dispatcher, options, this);
      else dispatcher.dispatch(options, this);
    } catch (cause) {
      // Undici 6 checks the handler for its own events first.
      const old = /invalid on(?:Error|Connect) method/.test(readForeignText(cause, "message") ?? "");
      this.#fail(old ? otherGeneration() : cause);
    }
  }

  #fail(cause: unknown): void {
    if (this.#state === "over") return;
    this.#state = "over";
    this.#receiver.onFailure(cause);
  }

  /** Ends the exchange at a chunk from a caller's dispatcher that is not bytes. */
  #refuse(controller: DispatchController, chunk: unknown): void {
    const error = new ConfigurationError(
      `Expected the dispatcher to deliver Uint8Array chunks, got ${describeKind(chunk)}.`,
    );
    this.#decoder?.destroy();
    this.#fail(error);
    controller.abort(error);
  }

  #end(): void {
    if (this.#state === "over") return;
    if (!this.#isFlowing) return this.#hold("end");
    this.#state = "over";
    this.#receiver.onEnd();
  }

  #hold(what: Uint8Array | "end"): void {
    this.#held ??= [];
    this.#held.push(what);
  }

  #openDecoder(codings: readonly string[]): Decoder {
    const decoder = new Decoder(codings, {
      onChunk: (chunk) => this.#receiver.onChunk(chunk),
      onEnd: () => this.#end(),
      onFailure: (cause) => {
        this.#fail(cause);
        this.#controller?.abort(cause);
      },
      onDrain: () => this.#controller?.resume(),
    });
    if (!this.#isFlowing) {
      // From here on, the decoder delivers the bytes.
      decoder.pause();
      this.#controller?.resume();
    }
    return decoder;
  }
}

class UndiciHead implements ResponseHead {
  readonly status: number;
  /** The content codings, in the order in which they were applied. */
  readonly codings: readonly string[];
  readonly decoded: boolean;
  readonly undecoded: string | undefined;
  readonly opaqueRedirect = false;
  readonly #headers: IncomingHeaders;
  readonly #controller: DispatchController;

  constructor(status: number, headers: IncomingHeaders, controller: DispatchController) {
    this.status = status;
    this.codings = codingsOf(join(headers["content-encoding"]));
    this.undecoded = canDecode(this.codings) ? undefined : this.codings.join(", ");
    this.decoded = this.codings.length > 0 && this.undecoded === undefined;
    this.#headers = headers;
    this.#controller = controller;
  }

  header(name: string): string | undefined {
    return join(this.#headers[name]);
  }

  toHeaders(): Headers {
    const headers = new Headers();
    const raw = this.#controller.rawHeaders;
    if (raw) {
      for (let at = 0; at + 1 < raw.length; at += 2) append(headers, text(raw[at]), text(raw[at + 1]));
    } else {
      for (const [name, value] of Object.entries(this.#headers)) {
        for (const one of Array.isArray(value) ? value : [value ?? ""]) append(headers, name, one);
      }
    }
    return headers;
  }
}

function append(headers: Headers, name: string, value: string): void {
  try {
    headers.append(name, value);
  } catch {
    // A server may send headers that `Headers` rejects. The document is still valid.
  }
}

function join(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(", ") : value;
}

/** Header bytes are Latin-1, as `fetch` reads them (Fetch standard, "isomorphic decode"). */
function text(raw: Uint8Array | string | undefined): string {
  return typeof raw === "string" || raw === undefined ? (raw ?? "") : Buffer.from(raw).toString("latin1");
}

function otherGeneration(): ConfigurationError {
  return new ConfigurationError(
    "The dispatcher comes from undici 6 or older, which is incompatible. Use a dispatcher from undici 7 or later, or pass `fetch`.",
  );
}
