import { ConfigurationError } from "../errors/errors.ts";
import { canDecode, codingsOf, Decoder } from "./decode.ts";
import { explain } from "./explain.ts";
import { giveUpOpening, type OpeningSocket, type SocketOpener, type SocketOwner } from "./socket-opener.ts";
import type { DispatcherLike, Exchange, Receiver, ResponseHead, Transport, WireRequest } from "./types.ts";

/** Gives the dispatcher for an origin; a promise only while it is still being loaded. */
export type DispatcherSource = (origin: string) => DispatcherLike | Promise<DispatcherLike>;

/** Carries requests by `dispatch` of undici 7 or later: no stream and no promise in between. */
export class UndiciTransport implements Transport {
  readonly name = "undici";
  readonly sees: Transport["sees"];
  readonly explain = explain;
  readonly #source: DispatcherSource;
  readonly #opener: SocketOpener | undefined;

  /**
   * @param source - gives the dispatcher
   * @param opener - opens its sockets, where it is our own: then it never queues a request
   */
  constructor(source: DispatcherSource, opener?: SocketOpener) {
    this.#source = source;
    this.#opener = opener;
    this.sees = { connecting: opener !== undefined, sending: true };
  }

  open(request: WireRequest, receiver: Receiver): Exchange {
    return new UndiciExchange(this.#source, this.#opener, request, receiver);
  }
}

/** What undici hands to each event of a new-style handler. */
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
  readonly #opener: SocketOpener | undefined;
  readonly #request: WireRequest;
  readonly #receiver: Receiver;
  /** The socket that is being opened for this request. */
  #opening: OpeningSocket | undefined;
  #controller: DispatchController | undefined;
  #decoder: Decoder | undefined;
  /** A chunk that came though the receiver had paused: undici stops only after the chunk at hand. */
  #late: Uint8Array[] | undefined;
  #endedLate = false;
  #paused = false;
  /** Nothing more is told: the receiver heard the last, or aborted. */
  #over = false;
  #abortReason: unknown;

  constructor(
    source: DispatcherSource,
    opener: SocketOpener | undefined,
    request: WireRequest,
    receiver: Receiver,
  ) {
    this.#source = source;
    this.#opener = opener;
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
    // An exchange that is over has given its socket to the next one.
    if (this.#over) return;
    this.#paused = true;
    if (this.#decoder) this.#decoder.pause();
    else this.#controller?.pause();
  }

  resume(): void {
    if (this.#over) return;
    this.#paused = false;
    while (!this.#paused && !this.#over) {
      const chunk = this.#late?.shift();
      if (chunk === undefined) break;
      this.#receiver.onChunk(chunk);
    }
    if (this.#paused || this.#over) return;
    if (this.#endedLate) this.#end();
    else if (this.#decoder) this.#decoder.resume();
    else this.#controller?.resume();
  }

  abort(reason: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#abortReason = reason;
    this.#decoder?.destroy();
    if (this.#opening) giveUpOpening(this.#opening);
    this.#controller?.abort(reason);
  }

  onOpening(socket: OpeningSocket): void {
    this.#opening = socket;
  }

  // The handler's side, called by undici.

  onRequestStart(controller: DispatchController): void {
    if (this.#over) return controller.abort(this.#abortReason);
    // A dispatcher that tries again by itself tells of every try.
    const isFirst = this.#controller === undefined;
    this.#controller = controller;
    this.#opening = undefined;
    if (isFirst) this.#receiver.onSent();
  }

  onResponseStart(controller: DispatchController, status: number, headers: IncomingHeaders): void {
    if (this.#over || status < 200) return;
    const codings = codingsOf(join(headers["content-encoding"]));
    const decodable = canDecode(codings);
    if (codings.length > 0 && decodable) this.#decoder = this.#openDecoder(codings);
    if (this.#paused) this.#decoder?.pause();
    const undecoded = decodable ? undefined : codings.join(", ");
    this.#receiver.onHead(
      new UndiciHead(status, headers, controller, this.#decoder !== undefined, undecoded),
    );
  }

  onResponseData(controller: DispatchController, chunk: Uint8Array): void {
    // Undici tells of an empty chunk when it is resumed: answered by a pause, that would go on for ever.
    if (this.#over || chunk.length === 0) return;
    if (this.#decoder) {
      if (!this.#decoder.write(chunk)) controller.pause();
    } else if (this.#paused) {
      if (this.#late) this.#late.push(chunk);
      else this.#late = [chunk];
      controller.pause();
    } else {
      this.#receiver.onChunk(chunk);
    }
  }

  onResponseEnd(): void {
    // From here on the socket is another request's; the decoder may still be at work.
    this.#controller = undefined;
    if (this.#decoder) this.#decoder.end();
    else this.#end();
  }

  onResponseError(_controller: DispatchController | undefined, cause: unknown): void {
    this.#decoder?.destroy();
    this.#fail(cause);
  }

  // The old style's two events that come first: only a dispatcher of undici 6 or older calls them.

  onConnect(abort: (reason: unknown) => void): void {
    const error = otherGeneration();
    this.#fail(error);
    abort(error);
  }

  onError(): void {
    this.#fail(otherGeneration());
  }

  #dispatch(dispatcher: DispatcherLike): void {
    if (this.#over) return;
    const { origin, path, body } = this.#request;
    // Somebody's own dispatcher may look at them, and looks for names: as `fetch` and undici's callers have it.
    const headers = this.#opener ? this.#request.headers : byName(this.#request.headers);
    // Without undici's own limits of 300 s: how long to wait is decided by whoever receives.
    const options = { origin, path, method: "POST", headers, body, headersTimeout: 0, bodyTimeout: 0 };
    try {
      if (this.#opener) this.#opener.dispatch(dispatcher, options, this);
      else dispatcher.dispatch(options, this);
    } catch (cause) {
      // Undici 6 looks for its own events before it does anything.
      const old = cause instanceof Error && /invalid on(?:Error|Connect) method/.test(cause.message);
      this.#fail(old ? otherGeneration() : cause);
    }
  }

  #fail(cause: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#receiver.onFailure(cause);
  }

  #end(): void {
    if (this.#over) return;
    if (this.#paused) {
      this.#endedLate = true;
      return;
    }
    this.#over = true;
    this.#receiver.onEnd();
  }

  #openDecoder(codings: readonly string[]): Decoder {
    return new Decoder(codings, {
      onChunk: (chunk) => this.#receiver.onChunk(chunk),
      onEnd: () => this.#end(),
      onFailure: (cause) => {
        this.#fail(cause);
        this.#controller?.abort(cause);
      },
      onDrain: () => this.#controller?.resume(),
    });
  }
}

class UndiciHead implements ResponseHead {
  readonly status: number;
  readonly decoded: boolean;
  readonly undecoded: string | undefined;
  readonly opaqueRedirect = false;
  readonly #headers: IncomingHeaders;
  readonly #controller: DispatchController;

  constructor(
    status: number,
    headers: IncomingHeaders,
    controller: DispatchController,
    decoded: boolean,
    undecoded: string | undefined,
  ) {
    this.status = status;
    this.decoded = decoded;
    this.undecoded = undecoded;
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

function byName(headers: readonly string[]): Record<string, string> {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) pairs.push([headers[at] ?? "", headers[at + 1] ?? ""]);
  return Object.fromEntries(pairs);
}

function append(headers: Headers, name: string, value: string): void {
  try {
    headers.append(name, value);
  } catch {
    // A server may send what `Headers` cannot hold; a document is not refused for that.
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
    "The dispatcher is of undici 6 or older, which speaks another language. Make it with undici 7 or later, or give a `fetch`.",
  );
}
