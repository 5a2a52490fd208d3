import { EventEmitter, once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { type Fault, pdfHead, type ScriptedFault } from "../../../src/service/faults/fault-script.ts";
import { play } from "../../../src/service/faults/play-on-socket.ts";
import { fakePdf } from "../../../src/testing/fake-pdf.ts";
import { momentOf } from "./early-fault.ts";
import { RequestReader, type SeenRequest } from "./request-reader.ts";

/** What a server of faults can be told beforehand. */
export interface FaultServerOptions {
  /** What it sends where nothing is to go wrong. Default: a small fake PDF. */
  readonly document?: Uint8Array | undefined;
  /** Speaks TLS with this key and certificate. Default: plain text. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  /** The port. Default: a free one. */
  readonly port?: number | undefined;
  /** The address of this machine. Default: 127.0.0.1. */
  readonly host?: string | undefined;
}

interface Planned {
  readonly fault: Fault;
  left: number;
}

/**
 * A service on loopback that goes wrong as it is told, byte for byte, and sends its document otherwise.
 *
 * @example
 * const server = await FaultServer.start();
 * server.fail(faults.stall({ afterBytes: 1_000 }), { times: 1 });
 */
export class FaultServer {
  /** All whole requests so far. */
  readonly requests: SeenRequest[] = [];
  readonly port: number;
  /** How many connections were ever made. */
  connections = 0;
  readonly #host: string;
  readonly #document: Uint8Array;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #changes = new EventEmitter().setMaxListeners(0);
  #plan: Planned[] = [];
  #playing = 0;

  private constructor(server: Server, document: Uint8Array, host: string) {
    this.#server = server;
    this.#document = document;
    this.#host = host;
    this.port = (server.address() as AddressInfo).port;
  }

  /** Starts one on this machine. */
  static async start({
    document = fakePdf(),
    tls,
    port = 0,
    host = "127.0.0.1",
  }: FaultServerOptions = {}): Promise<FaultServer> {
    // Not half-open under TLS: there, a client that leaves in the middle of the handshake would never be gone.
    const server = tls
      ? createTlsServer({ ...tls, noDelay: true })
      : createServer({ allowHalfOpen: true, noDelay: true });
    server.listen(port, host);
    await once(server, "listening");
    const faulty = new FaultServer(server, document, host);
    server.on("connection", (socket: Socket) => faulty.#count(socket));
    server.on(tls ? "secureConnection" : "connection", (socket: Socket) => faulty.#serve(socket));
    // A client that does not like the certificate is nothing to complain about here.
    server.on("tlsClientError", () => {});
    return faulty;
  }

  /** Scheme, host and port of it as a plain service. */
  get baseUrl(): string {
    return `http://${this.#host}:${this.port}`;
  }

  /** How many sockets are open at this moment. */
  get openSockets(): number {
    return this.#sockets.size;
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

  /** Closes every connection there is, as a server does with idle ones. */
  hangUp(): void {
    for (const socket of this.#sockets) socket.end();
  }

  /** Resolves as soon as something is so; it is asked whenever a request, an answer or a socket comes or ends. */
  async until(isSo: (server: this) => boolean): Promise<void> {
    while (!isSo(this)) await once(this.#changes, "change");
  }

  /** Stops listening and leaves no socket behind. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    await this.until(({ openSockets, playing }) => openSockets === 0 && playing === 0);
  }

  #count(socket: Socket): void {
    this.connections += 1;
    this.#sockets.add(socket);
    // Without a listener, a client that breaks the connection would end the process.
    socket.on("error", () => {});
    socket.once("close", () => {
      this.#sockets.delete(socket);
      this.#changes.emit("change");
    });
  }

  #serve(socket: Socket): void {
    const connection = this.connections - 1;
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
        this.requests.push({ ...head, body, connection });
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
  #strike(moment: ReturnType<typeof momentOf>, socket: Socket): Promise<void> | undefined {
    const next = this.#plan.find(({ left }) => left > 0);
    if (!next || momentOf(next.fault) !== moment || socket.destroyed) return undefined;
    next.left -= 1;
    return this.#play((next.fault as ScriptedFault).script(this.#document), socket);
  }

  async #play(steps: Parameters<typeof play>[0], socket: Socket): Promise<void> {
    this.#playing += 1;
    await play(steps, socket);
    this.#playing -= 1;
    this.#changes.emit("change");
  }
}
