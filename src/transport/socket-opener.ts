import type { buildConnector } from "undici";
import { type EndingSocket, wakeParserAtEnd } from "./paused-end.ts";
import type { DispatcherLike } from "./types.ts";

/** A socket that is being opened, as far as it is used here. */
export interface OpeningSocket extends EndingSocket {
  destroy(error: Error): unknown;
}

/** Opens a socket, as undici asks for it; gives it back while it is still connecting, which undici's types do not tell. */
export type Connector = (options: buildConnector.Options, callback: buildConnector.Callback) => unknown;

/**
 * Knows which request a socket is being opened for. Undici itself does not end what it is connecting: a request
 * that is given up would leave its socket to the network's own time-out, of minutes.
 */
export class SocketOpener {
  #opening: SocketOwner | undefined;

  /** Has this connector tell of every socket that it opens. */
  watch(connector: Connector): Connector {
    return (options, callback) => {
      const socket = connector(options, callback);
      if (isSocket(socket)) {
        this.#opening?.onOpening(socket);
        wakeParserAtEnd(socket);
      }
      return socket;
    };
  }

  /** Dispatches; the handler hears of a socket that is opened for it: undici connects before `dispatch` returns. */
  dispatch(dispatcher: DispatcherLike, options: object, handler: SocketOwner): void {
    this.#opening = handler;
    try {
      dispatcher.dispatch(options, handler);
    } finally {
      this.#opening = undefined;
    }
  }
}

/** What a socket is opened for. */
export interface SocketOwner {
  /** Hears of the socket; of none where a connection was free. */
  onOpening(socket: OpeningSocket): void;
}

/** Ends what is not yet open; with an error, because undici would wait for ever for a socket that just closes. */
export function giveUpOpening(socket: OpeningSocket): void {
  socket.destroy(new Error("The request was given up while its connection was being opened."));
}

function isSocket(opened: unknown): opened is OpeningSocket {
  return typeof (opened as OpeningSocket | undefined)?.destroy === "function";
}
