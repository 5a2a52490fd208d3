import type { buildConnector } from "undici";
import type { DispatcherLike, WireRequest } from "./transport.ts";

/**
 * What undici 7.30.2 does wrong for this client, except the tunnels, which `proxies.ts` opens. `test/transport/undici-7.test.ts`
 * fails when undici no longer does it, so that the part of this file can be deleted. See docs/decisions/0014.
 */

/**
 * Options that undici and Node would otherwise take from `Object.prototype`, to which any code in the process may have added them:
 * where to connect, whom to trust, and what to send to a proxy. Undici copies the objects that it receives, so an object without a
 * prototype would not help; own properties stay in the copies
 * (https://github.com/nodejs/undici/blob/v7.30.2/lib/dispatcher/agent.js#L50).
 */
export const notInherited: { readonly [option: string]: undefined } = Object.fromEntries(
  [
    // For connections.
    "family fd handle hints localAddress localPort lookup onread path signal socketPath",
    // For TLS.
    "ca cert clientCertEngine crl key maxVersion minVersion passphrase pfx privateKeyEngine pskCallback",
    "secureContext secureProtocol servername session",
    // For agents and their pools.
    "allowH2 connections factory interceptors maxOrigins tls useH2c",
    // For CONNECT, which Node sends.
    "agent auth defaultPort host hostname insecureHTTPParser maxHeaderSize port protocol setHost timeout",
  ].flatMap((names) => names.split(" ").map((name) => [name, undefined])),
);

/**
 * Returns the options of a request for `dispatch`, which disable undici's timeouts of 300 s: the receiver has its own. Written out,
 * because every request needs them.
 */
export function dispatchOptions({ origin, path, json }: WireRequest, headers: object): object {
  return {
    origin,
    path,
    method: "POST",
    headers,
    body: json,
    headersTimeout: 0,
    bodyTimeout: 0,
    // Undici would otherwise take these from `Object.prototype`, as above.
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
}

/**
 * Whether a chunk contains nothing, because undici reports an empty one when it resumes. A receiver that pauses again at each chunk
 * would be called in an endless loop.
 */
export function isFromResume(chunk: Uint8Array): boolean {
  return chunk.length === 0;
}

/** Opens a socket for undici, and returns it while it is still connecting, which undici's types do not mention. */
export type Connector = (options: buildConnector.Options, callback: buildConnector.Callback) => unknown;

/** The part of a connecting socket that is used here. */
export interface OpeningSocket {
  destroy(error: Error): unknown;
}

/** Destroys a connecting socket with an error, because undici would wait forever for a socket that only closes. */
export function destroyOpening(socket: OpeningSocket): void {
  socket.destroy(new Error("The request was aborted while connecting."));
}

/** The owner of a socket that is being opened. */
export interface SocketOwner {
  /** Receives the socket that is opened for it. Not called if a connection is free. */
  onOpening(socket: OpeningSocket): void;
}

/**
 * Tracks which request a socket is opened for. Undici does not close connecting sockets, so an aborted request would leave its
 * socket open until the network times out.
 */
export class SocketTracker {
  #owner: SocketOwner | undefined;

  /** Returns a connector that reports every socket it opens. */
  track(connector: Connector): Connector {
    return (options, callback) => {
      const socket = connector(options, callback) as OpeningSocket;
      this.#owner?.onOpening(socket);
      return socket;
    };
  }

  /** Dispatches for an owner, which receives the socket that is opened for it. Undici connects before `dispatch` returns. */
  dispatch(dispatcher: DispatcherLike, options: object, owner: SocketOwner): void {
    this.#owner = owner;
    try {
      dispatcher.dispatch(options, owner);
    } finally {
      this.#owner = undefined;
    }
  }
}

/** The part of undici's parser of responses that is used here. */
interface Parser {
  readonly ptr: number | null;
  readonly llhttp: { llhttp_resume(pointer: number): void };
  paused: boolean;
  resume(): void;
  onHeadersComplete(status: number, ...rest: unknown[]): number;
}

/** A socket of undici, which stores its parser under a symbol. */
interface ParsedSocket {
  on(event: "end", listener: () => void): unknown;
  readonly [parser: symbol]: Parser | null;
}

/** Returns a connector whose sockets have undici's two faults fixed. */
export function withFixedParser(connector: Connector): Connector {
  return (options, callback) =>
    connector(options, (...opened: Parameters<typeof callback>) => {
      const socket = opened[1] as ParsedSocket | null;
      // Before undici listens for the same event.
      socket?.on("end", () => wakeParser(parserOf(socket)));
      // Undici creates the parser before this returns.
      callback(...opened);
      if (socket) acceptContinue(parserOf(socket));
    });
}

function parserOf(socket: ParsedSocket): Parser | null | undefined {
  const key = Object.getOwnPropertySymbols(socket).find(({ description }) => description === "parser");
  return key && socket[key];
}

/**
 * Undici ends the process if a connection ends while its response is paused: an uncatchable assertion fails in a listener of the
 * socket (https://github.com/nodejs/undici/issues/5360, fixed in undici 8). All bytes are read by then, and only the end is left to
 * parse.
 */
function wakeParser(parser: Parser | null | undefined): void {
  if (!parser?.paused) return;
  // A body of known length ends here. A body that ends with its connection pauses once more.
  parser.resume();
  if (!parser.paused || parser.ptr === null) return;
  parser.llhttp.llhttp_resume(parser.ptr);
  parser.paused = false;
}

/**
 * Undici disconnects at an unexpected `100 Continue`, which older servers send (https://github.com/nodejs/undici/issues/197).
 * Clients must skip it (RFC 9110, 15.2). Undici skips all other interim responses, so the parser takes it for one of them.
 */
function acceptContinue(parser: Parser | null | undefined): void {
  const parse = parser?.onHeadersComplete;
  if (!parser || !parse) return;
  parser.onHeadersComplete = (status, ...rest) => parse.call(parser, status === 100 ? 102 : status, ...rest);
}
