import { EventEmitter, once } from "node:events";
import { createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { type Fault, pdfHead, type ScriptedFault } from "../../../src/service/faults/faults.ts";
import { play } from "../../../src/service/faults/play-on-socket.ts";
import { open, type SocketServer } from "../sockets.ts";
import { RequestReader, type SeenRequest } from "./request-reader.ts";

/** A fault that does not wait for a complete request. */
interface EarlyFault extends ScriptedFault {
  /** Begins as soon as a connection is open, or when the headers of a request have arrived. */
  readonly at: "connection" | "headers";
}

/** Creates a fault that begins early. */
export function earlyFault(name: string, at: EarlyFault["at"], script: ScriptedFault["script"]): EarlyFault {
  return Object.freeze({ kind: "fault", name, script, documentBytes: 0, at });
}

/** The options of a fault server. */
interface FaultServerOptions {
  /** The document that it sends if no fault is planned. */
  readonly document: Uint8Array;
  /** The key and certificate for TLS. Default: plain HTTP. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  /** The port. Default: a free one. */
  readonly port?: number;
  /** The address to listen on. Default: 127.0.0.1. */
  readonly host?: string;
}

/**
 * A service on loopback that plays the planned faults byte for byte, and sends its document otherwise.
 *
 * @example
 * const server = await FaultServer.start({ document });
 * server.fail(faults.stall({ afterBytes: 1_000 }), { times: 1 });
 */
export class FaultServer {
  /** All complete requests so far. */
  readonly requests: SeenRequest[] = [];
  readonly #document: Uint8Array;
  readonly #changes = new EventEmitter().setMaxListeners(0);
  #server!: SocketServer;
  #plan: { readonly fault: Fault; left: number }[] = [];
  #playing = 0;

  private constructor(document: Uint8Array) {
    this.#document = document;
  }

  /** Starts a server on this machine. */
  static async start({ document, tls, port, host }: FaultServerOptions): Promise<FaultServer> {
    // Not half-open with TLS: a client that disconnects in the middle of the handshake would keep its socket open for ever.
    const server = tls
      ? createTlsServer({ ...tls, noDelay: true })
      : createServer({ allowHalfOpen: true, noDelay: true });
    const faulty = new FaultServer(document);
    faulty.#server = await open(server, port, host);
    server.on("connection", (socket: Socket) => socket.once("close", () => faulty.#changes.emit("change")));
    server.on(tls ? "secureConnection" : "connection", (socket: Socket) => faulty.#serve(socket));
    return faulty;
  }

  /** The scheme, host and port for plain HTTP. */
  get baseUrl(): string {
    return this.#server.origin;
  }

  get port(): number {
    return this.#server.port;
  }

  /** The number of open sockets. */
  get openSockets(): number {
    return this.#server.openSockets;
  }

  /** The number of responses in progress, including those that fail. */
  get playing(): number {
    return this.#playing;
  }

  /**
   * Plans a fault, to be played after those that were planned before.
   *
   * @param times - how many times it is played. Default: always
   */
  fail(fault: Fault, { times = Number.POSITIVE_INFINITY }: { readonly times?: number } = {}): this {
    this.#plan.push({ fault, left: times });
    return this;
  }

  /** Removes all planned faults. */
  reset(): void {
    this.#plan = [];
  }

  /** Closes every connection, as a server does with idle ones. */
  hangUp(): void {
    this.#server.hangUp();
  }

  /** Resolves once the predicate is true. Checks it whenever a request, a response or a socket begins or ends. */
  async until(isSo: (server: this) => boolean): Promise<void> {
    while (!isSo(this)) await once(this.#changes, "change");
  }

  /** Stops listening and closes every socket. */
  async close(): Promise<void> {
    await this.#server.close();
    await this.until(({ openSockets, playing }) => openSockets === 0 && playing === 0);
  }

  #serve(socket: Socket): void {
    socket.on("error", () => {});
    // Half-open, so that the FIN of a client is acknowledged only after the response was sent.
    socket.on("end", () => socket.end());
    const struck = this.#strike("connection", socket);
    let turn = struck ?? Promise.resolve();
    // A fault that was played before the request was complete replaces its response.
    let isAnswered = struck !== undefined;
    const reader = new RequestReader({
      onHeaders: () => {
        turn = turn.then(() => {
          const early = this.#strike("headers", socket);
          isAnswered ||= early !== undefined;
          return early;
        });
      },
      onRequest: (request, body) => {
        this.requests.push({ ...request, body });
        this.#changes.emit("change");
        turn = turn.then(() => {
          const wasAnswered = isAnswered;
          isAnswered = false;
          return wasAnswered ? undefined : this.#answer(socket);
        });
      },
    });
    socket.on("data", (piece: Buffer) => reader.push(piece));
  }

  #answer(socket: Socket): Promise<void> {
    return (
      this.#strike("request", socket) ??
      this.#play([pdfHead(this.#document.length), { do: "write", bytes: this.#document }], socket)
    );
  }

  /** Plays the next planned fault, if it begins at this moment. */
  #strike(moment: EarlyFault["at"] | "request", socket: Socket): Promise<void> | undefined {
    const next = this.#plan.find(({ left }) => left > 0);
    const fault = next?.fault as ScriptedFault | EarlyFault | undefined;
    if (!next || !fault || socket.destroyed || ("at" in fault ? fault.at : "request") !== moment)
      return undefined;
    next.left -= 1;
    return this.#play(fault.script(this.#document), socket);
  }

  async #play(steps: Parameters<typeof play>[0], socket: Socket): Promise<void> {
    this.#playing += 1;
    await play(steps, socket);
    this.#playing -= 1;
    this.#changes.emit("change");
  }
}
