import type { buildConnector } from "undici";
import type { DispatcherLike } from "./transport.ts";

/** Opens a socket for undici, and returns it while it is still connecting, which undici's types do not mention. */
export type Connector = (options: buildConnector.Options, callback: buildConnector.Callback) => unknown;

/** The part of a connecting socket that is used here. */
export interface OpeningSocket {
  on(event: "end", listener: () => void): unknown;
  destroy(error: Error): unknown;
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
      const socket = connector(options, callback) as OpeningSocket | undefined;
      if (typeof socket?.destroy === "function") {
        this.#owner?.onOpening(socket);
        wakeParserAtEnd(socket);
      }
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

/** The part of undici's response parser that is used here. */
interface Parser {
  paused: boolean;
  readonly ptr: number;
  readonly llhttp: { llhttp_resume(pointer: number): void };
  resume(): void;
}

/**
 * Undici 7 ends the process if a connection ends while its response is paused: an uncatchable assertion fails in a socket
 * listener (nodejs/undici#5360, fixed in undici 8). This listener runs first, because it is added while the socket connects. All
 * bytes are read by then, and only the end is left to parse.
 */
function wakeParserAtEnd(socket: OpeningSocket): void {
  socket.on("end", () => {
    const key = Object.getOwnPropertySymbols(socket).find(({ description }) => description === "parser");
    const parser = key && (socket as unknown as Record<symbol, Parser | null>)[key];
    if (!parser?.paused) return;
    // A body of known length ends here. A body that ends with its connection pauses once more.
    parser.resume();
    if (!parser.paused || parser.ptr === null) return;
    parser.llhttp.llhttp_resume(parser.ptr);
    parser.paused = false;
  });
}

/** The part of a socket that the HTTP parser uses. */
interface ParsedSocket {
  read(size?: number): Buffer | null;
  write(...args: unknown[]): boolean;
}

/** Undici's limit for the headers of a response. */
const maxHeldBytes = 16 * 1024;

const interimStart = "HTTP/1.1 1";
const firstDigit = interimStart.charCodeAt(interimStart.length - 1);

/** An interim response, except 101, which changes the protocol. */
const interim = /^HTTP\/1\.1 1(?!01)/;

/**
 * Removes interim responses from the data of a socket (RFC 9110, 15.2: clients must be able to skip them, even unexpected ones).
 * Undici disconnects at an unexpected `100 Continue`, which older servers send.
 *
 * Only the bytes between a request and the start of its response are inspected. Undici writes a request at once, and reads
 * nothing before.
 */
export function skipInterimAnswers<S>(socket: S & ParsedSocket): S {
  const { read, write } = socket;
  let isAwaiting = false;
  let held: Buffer | undefined;
  socket.write = function (...args) {
    isAwaiting = true;
    return write.apply(this, args);
  };
  socket.read = function (size) {
    for (;;) {
      const bytes = read.call(this, size);
      if (!isAwaiting || bytes === null) return bytes;
      const rest = afterInterim(held ? Buffer.concat([held, bytes]) : bytes);
      // Undici refuses a response whose headers do not end.
      held = rest.isOpen && rest.bytes.length <= maxHeldBytes ? rest.bytes : undefined;
      if (held) continue;
      isAwaiting = false;
      return rest.bytes;
    }
  };
  return socket;
}

/** Returns the data after interim responses, and `isOpen` if it may still be the start of one. */
function afterInterim(bytes: Buffer): { readonly bytes: Buffer; readonly isOpen: boolean } {
  let rest = bytes;
  for (;;) {
    // Nearly every response is final, which the first digit of its status shows.
    const digit = rest[interimStart.length - 1];
    if (digit !== undefined && digit !== firstDigit) return { bytes: rest, isOpen: false };
    const line = rest.toString("latin1", 0, interimStart.length + 2);
    if (line.length < interimStart.length + 2)
      return { bytes: rest, isOpen: interimStart.startsWith(line.slice(0, interimStart.length)) };
    if (!interim.test(line)) return { bytes: rest, isOpen: false };
    const end = rest.indexOf("\r\n\r\n");
    if (end === -1) return { bytes: rest, isOpen: true };
    rest = rest.subarray(end + 4);
  }
}
