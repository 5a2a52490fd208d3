import type { buildConnector } from "undici";
import { type EndingSocket, wakeParserAtEnd } from "./paused-end.ts";

/** A socket, as far as it is used here. */
interface OpenedSocket extends EndingSocket {
  destroy(error: Error): unknown;
}

/** Opens a socket, as undici asks for it; gives it back while it is still connecting, which undici's types do not tell. */
export type Connector = (options: buildConnector.Options, callback: buildConnector.Callback) => unknown;

/**
 * Knows which request a socket is being opened for. Undici itself does not end what it is connecting: a request
 * that is given up would leave its socket to the network's own time-out, of minutes.
 */
export class SocketOpener {
  #opening: Opening | undefined;

  /** Has this connector tell of every socket that it opens. */
  watch(connector: Connector): Connector {
    return (options, callback) => {
      const socket = connector(options, callback);
      if (isSocket(socket)) {
        this.#opening?.add(socket);
        wakeParserAtEnd(socket);
      }
      return socket;
    };
  }

  /** Runs a dispatch, and gives what is being opened for it: undici connects before `dispatch` returns. */
  openingDuring(dispatch: () => void): Opening {
    const opening = new Opening();
    this.#opening = opening;
    try {
      dispatch();
    } finally {
      this.#opening = undefined;
    }
    return opening;
  }
}

/** What is being opened for one request: nothing where a connection was free. */
export class Opening {
  #socket: OpenedSocket | undefined;

  add(socket: OpenedSocket): void {
    this.#socket = socket;
  }

  /** Ends what is not yet open; with an error, because undici would wait for ever for a socket that just closes. */
  giveUp(): void {
    this.#socket?.destroy(new Error("The request was given up while its connection was being opened."));
  }
}

function isSocket(opened: unknown): opened is OpenedSocket {
  return typeof (opened as OpenedSocket | undefined)?.destroy === "function";
}
