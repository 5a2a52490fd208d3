import { EventEmitter, once } from "node:events";
import { createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { type Fault, pdfHead, type ScriptedFault } from "../../../src/service/faults/fault-script.ts";
import { play } from "../../../src/service/faults/play-on-socket.ts";
import { open, type SocketServer } from "../sockets.ts";
import { RequestReader, type SeenRequest } from "./request-reader.ts";

/**
 * The moment at which a server begins to go wrong, before a whole request has come: as soon as a connection is there,
 * or when the headers of a request have come, whose body may still be on its way.
 */
type EarlyMoment = "connection" | "head";

/** A fault that does not wait for a request. */
interface EarlyFault extends ScriptedFault {
  readonly at: EarlyMoment;
}

/** Makes a fault that happens early. */
export function earlyFault(name: string, at: EarlyMoment, script: ScriptedFault["script"]): EarlyFault {
  return Object.freeze({ kind: "fault", name, script, documentBytes: 0, at });
}

/** What a server of faults can be told beforehand. */
interface FaultServerOptions {
  /** What it sends where nothing is to go wrong. */
  readonly document: Uint8Array;
  /** Speaks TLS with this key and certificate. Default: plain text. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  /** The port. Default: a free one. */
  readonly port?: number;
  /** The address of this machine. Default: 127.0.0.1. */
  readonly host?: string;
}

/**
 * A service on loopback that goes wrong as it is told, byte for byte, and sends its document otherwise.
 *
 * @example
 * const server = await FaultServer.start({ document });
 * server.fail(faults.stall({ afterBytes: 1_000 }), { times: 1 });
 */
export class FaultServer {
  /** All whole requests so far. */
  readonly requests: SeenRequest[] = [];
  readonly #document: Uint8Array;
  readonly #changes = new EventEmitter().setMaxListeners(0);
  #server!: SocketServer;
  #plan: { readonly fault: Fault; left: number }[] = [];
  #playing = 0;

  private constructor(document: Uint8Array) {
    this.#document = document;
  }

  /** Starts one on this machine. */
  static async start({ document, tls, port, host }: FaultServerOptions): Promise<FaultServer> {
    // Not half-open under TLS: there, a client that leaves in the middle of the handshake would never be gone.
    const server = tls
      ? createTlsServer({ ...tls, noDelay: true })
      : createServer({ allowHalfOpen: true, noDelay: true });
    const faulty = new FaultServer(document);
    faulty.#server = await open(server, port, host);
    server.on("connection", (socket: Socket) => socket.once("close", () => faulty.#changes.emit("change")));
    server.on(tls ? "secureConnection" : "connection", (socket: Socket) => faulty.#serve(socket));
    return faulty;
  }

  /** Scheme, host and port of it as a plain service. */
  get baseUrl(): string {
    return this.#server.origin;
  }

  get port(): number {
    return this.#server.port;
  }

  /** How many sockets are open at this moment. */
  get openSockets(): number {
    return this.#server.openSockets;
  }

  /** How many answers are being given, whatever becomes of them. */
  get playing(): number {
    return this.#playing;
  }

  /**
   * Lets something go wrong, after what was planned before.
   *
   * @param times - how often, before all is well again. Default: always
   */
  fail(fault: Fault, { times = Number.POSITIVE_INFINITY }: { readonly times?: number } = {}): this {
    this.#plan.push({ fault, left: times });
    return this;
  }

  /** Forgets what was planned: all is well from now on. */
  reset(): void {
    this.#plan = [];
  }

  /** Ends every connection, as a server does with idle ones. */
  hangUp(): void {
    this.#server.hangUp();
  }

  /** Resolves as soon as something is so; it is asked whenever a request, an answer or a socket comes or ends. */
  async until(isSo: (server: this) => boolean): Promise<void> {
    while (!isSo(this)) await once(this.#changes, "change");
  }

  /** Stops listening and leaves no socket behind. */
  async close(): Promise<void> {
    await this.#server.close();
    await this.until(({ openSockets, playing }) => openSockets === 0 && playing === 0);
  }

  #serve(socket: Socket): void {
    socket.on("error", () => {});
    // Half-open, so that a client's FIN is answered only when the answer has been given.
    socket.on("end", () => socket.end());
    const struck = this.#strike("connection", socket);
    let turn = struck ?? Promise.resolve();
    // What was played before a request had come whole stands for its answer.
    let isAnswered = struck !== undefined;
    const reader = new RequestReader({
      onHead: () => {
        turn = turn.then(() => {
          const early = this.#strike("head", socket);
          isAnswered ||= early !== undefined;
          return early;
        });
      },
      onRequest: (head, body) => {
        this.requests.push({ ...head, body });
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

  /** Plays what is planned next, where this is its moment. */
  #strike(moment: EarlyMoment | "request", socket: Socket): Promise<void> | undefined {
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
