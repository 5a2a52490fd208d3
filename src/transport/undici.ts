import type { Transform } from "node:stream";
import { ConfigurationError } from "../errors/errors.ts";
import { callSafely, readForeignText } from "../errors/foreign-values.ts";
import { describeKind, isBytes } from "../errors/value-kinds.ts";

import { explain } from "./explain.ts";
import {
  type DispatcherLike,
  type Exchange,
  headerPairs,
  type Receiver,
  type Transport,
  type WireRequest,
} from "./transport.ts";
import {
  destroyOpening,
  dispatchOptions,
  isFromResume,
  type OpeningSocket,
  type SocketOwner,
  type SocketTracker,
} from "./undici-7.ts";
import {
  type DispatchController,
  type IncomingHeaders,
  openDecoders,
  telltaleBytes,
  UndiciHead,
} from "./undici-response.ts";

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

/** One request, and the handler of its events. */
class UndiciExchange implements Exchange, SocketOwner {
  readonly #source: DispatcherSource;
  readonly #sockets: SocketTracker | undefined;
  readonly #request: WireRequest;
  readonly #receiver: Receiver;
  /** The socket that is being opened for this request. */
  #opening: OpeningSocket | undefined;
  #controller: DispatchController | undefined;
  /** The content codings of the body, if it must be decoded. */
  #codings: readonly string[] | undefined;
  /** One decoder for each coding, in the order of decoding. Created for the first byte. */
  #decoders: Transform[] = noDecoders;
  /** `over`: the receiver has received its last event, or has aborted. */
  #state: "flowing" | "paused" | "over" = "flowing";
  /** What arrived while paused, because undici stops after the current chunk. */
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
    // Its backpressure pauses undici.
    const output = this.#decoders.at(-1);
    if (output) output.pause();
    else this.#control("pause");
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
    this.#decoders.at(-1)?.resume();
    this.#control("resume");
  }

  abort(reason: unknown): void {
    if (this.#state === "over") return;
    this.#abortReason = reason;
    this.#close();
    if (this.#opening) destroyOpening(this.#opening);
    this.#abortController(reason);
  }

  get #isFlowing(): boolean {
    return this.#state === "flowing";
  }

  onOpening(socket: OpeningSocket): void {
    this.#opening = socket;
  }

  // Undici calls the following methods.

  onRequestStart(controller: DispatchController): void {
    // A dispatcher that retries by itself reports every attempt.
    const isFirst = this.#controller === undefined;
    this.#controller = controller;
    if (this.#state === "over") return this.#abortController(this.#abortReason);
    this.#opening = undefined;
    if (this.#state === "paused") this.#control("pause");
    if (isFirst) this.#receiver.onSent();
  }

  onResponseStart(controller: DispatchController, status: number, headers: IncomingHeaders): void {
    if (this.#state === "over" || status < 200) return;
    const head = new UndiciHead(status, headers, controller);
    if (head.isDecoded) this.#codings = head.codings;
    this.#receiver.onHead(head);
  }

  onResponseData(controller: DispatchController, chunk: Uint8Array): void {
    if (this.#state === "over") return;
    // Older versions of undici's RetryAgent retry without reporting it.
    this.#controller = controller;
    if (!isBytes(chunk)) return this.#refuse(notBytes(chunk));
    if (isFromResume(chunk)) return;
    if (this.#codings) this.#decode(this.#codings, chunk);
    else if (!this.#deliver(chunk)) this.#control("pause");
  }

  onResponseEnd(): void {
    // From here on, the socket belongs to another request. The decoders may still be working.
    this.#controller = undefined;
    const [input] = this.#decoders;
    if (input) input.end();
    else this.#end();
  }

  onResponseError(_controller: DispatchController | undefined, cause: unknown): void {
    this.#fail(cause);
  }

  // The first events of old-style handlers, which only undici 6 or older calls.

  onConnect(abort: (reason: unknown) => void): void {
    const error = otherGeneration();
    this.#fail(error);
    callSafely(() => abort(error));
  }

  onError(): void {
    this.#fail(otherGeneration());
  }

  #dispatch(dispatcher: DispatcherLike): void {
    if (this.#state === "over") return;
    // A caller's dispatcher may read the headers, and expects an object.
    const headers = this.#sockets
      ? this.#request.headers
      : Object.fromEntries(headerPairs(this.#request.headers));
    const options = dispatchOptions(this.#request, headers);
    try {
      if (this.#sockets) this.#sockets.dispatch(dispatcher, options, this);
      else this.#dispatchTo(dispatcher, options);
    } catch (cause) {
      this.#failDispatch(cause);
    }
  }

  #dispatchTo(dispatcher: DispatcherLike, options: object): void {
    const result: unknown = dispatcher.dispatch(options, this);
    // An asynchronous function fits the type of a dispatcher that a caller wrote in JavaScript.
    if (result instanceof Promise) result.catch((cause) => this.#failDispatch(cause));
  }

  #failDispatch(cause: unknown): void {
    // Undici 6 checks the handler for its own events first.
    const old = /invalid on(?:Error|Connect) method/.test(readForeignText(cause, "message") ?? "");
    this.#fail(old ? otherGeneration() : cause);
  }

  #fail(cause: unknown): void {
    if (this.#state === "over") return;
    this.#close();
    this.#receiver.onFailure(cause);
  }

  /** Ends the exchange because of bytes that are of no use. */
  #refuse(error: unknown): void {
    this.#fail(error);
    this.#abortController(error);
  }

  /** A caller's dispatcher has its own controller, which may throw. */
  #control(action: "pause" | "resume"): void {
    callSafely(() => this.#controller?.[action]());
  }

  #abortController(reason: unknown): void {
    callSafely(() => this.#controller?.abort(reason));
  }

  #end(): void {
    if (this.#state === "over") return;
    if (!this.#isFlowing) return this.#hold("end");
    this.#close();
    // A coding may end before the response does, which may go on forever (see `onResponseEnd`).
    if (this.#controller) {
      this.#abortController(new Error("The response goes on after the end of its content coding."));
    }
    this.#receiver.onEnd();
  }

  #close(): void {
    this.#state = "over";
    for (const decoder of this.#decoders) decoder.destroy();
  }

  /** Returns whether more chunks are welcome. */
  #deliver(chunk: Uint8Array): boolean {
    if (this.#isFlowing) this.#receiver.onChunk(chunk);
    else if (this.#state === "paused") this.#hold(chunk);
    return this.#state !== "paused";
  }

  #hold(what: Uint8Array | "end"): void {
    this.#held ??= [];
    this.#held.push(what);
  }

  #decode(codings: readonly string[], chunk: Uint8Array): void {
    const isFirst = this.#decoders === noDecoders;
    if (isFirst) this.#openDecoders(codings, chunk);
    const [input] = this.#decoders;
    // The first bytes are decoded alone, so that a fault after them is not mistaken for a body without this coding.
    if (isFirst) input?.write(chunk.subarray(0, telltaleBytes));
    if (!input?.write(isFirst ? chunk.subarray(telltaleBytes) : chunk)) this.#control("pause");
  }

  #openDecoders(codings: readonly string[], chunk: Uint8Array): void {
    this.#decoders = openDecoders(codings, chunk);
    for (const decoder of this.#decoders) decoder.on("error", (cause) => this.#refuse(cause));
    this.#decoders[0]?.on("drain", () => this.#control("resume"));
    const output = this.#decoders.at(-1);
    output?.on("data", (decoded: Uint8Array) => this.#deliver(decoded));
    output?.on("end", () => this.#end());
  }
}

const noDecoders: Transform[] = [];

/** Creates the error for a chunk from a caller's dispatcher that is not bytes. */
function notBytes(chunk: unknown): ConfigurationError {
  return new ConfigurationError(
    `Expected the dispatcher to deliver Uint8Array chunks, got ${describeKind(chunk)}.`,
  );
}

function otherGeneration(): ConfigurationError {
  return new ConfigurationError(
    "The dispatcher comes from undici 6 or older, which is incompatible. Use a dispatcher from undici 7 or later, or pass `fetch`.",
  );
}
