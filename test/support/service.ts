import { EventEmitter, once } from "node:events";
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Socket } from "node:net";
import { type ClientOptions, TemplatePdf } from "template-pdf";
import { onTestFinished } from "vitest";
import type { Issued } from "./certificates.ts";
import { later, open, type SocketServer } from "./sockets.ts";

/** One request as the service received it, with the response to send. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly response: ServerResponse;
  readonly socket: Socket;
  /** Resolves when the socket of the request is closed. */
  readonly closed: Promise<void>;
}

export type Answer = (received: Received) => unknown;

const ofTests = { apiKey: "key-of-the-tests", retry: false } as const;

/** A scripted HTTP service on loopback that closes when the test has finished. */
export class Service {
  /** All requests so far, with their complete bodies. */
  readonly requests: Received[] = [];
  readonly baseUrl: string;
  readonly #clients: TemplatePdf[] = [];
  readonly #server: SocketServer;
  readonly #arrivals = new EventEmitter().setMaxListeners(0);

  private constructor(server: SocketServer, scheme: string) {
    this.#server = server;
    this.baseUrl = `${scheme}://127.0.0.1:${server.port}`;
  }

  /**
   * Starts a service.
   *
   * @param answer - responds to every request once it is complete
   * @param tls - uses TLS with this certificate
   */
  static async start(answer: Answer, tls?: Issued): Promise<Service> {
    const onRequest: RequestListener = (request, response) => {
      const chunks: Buffer[] = [];
      request.on("error", () => {});
      response.on("error", () => {});
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", async () => {
        const { socket, headers, method = "", url: path = "" } = request;
        const closed = socket.destroyed
          ? Promise.resolve()
          : new Promise<void>((resolve) => socket.once("close", () => resolve()));
        const body = Buffer.concat(chunks).toString();
        const received = { method, path, headers, body, response, socket, closed };
        service.requests.push(received);
        service.#arrivals.emit("request");
        await answer(received);
      });
    };
    const server = tls ? createTlsServer(tls, onRequest) : createServer(onRequest);
    server.on("connection", (socket) => socket.setMaxListeners(0));
    const service = new Service(await open(server), tls ? "https" : "http");
    onTestFinished(() => service.#stop());
    return service;
  }

  get port(): number {
    return this.#server.port;
  }

  /** The number of open sockets. */
  get connections(): number {
    return this.#server.openSockets;
  }

  /** The number of sockets opened so far. */
  get allConnections(): number {
    return this.#server.allSockets;
  }

  /** The `authorization` header of every request so far. */
  get keys(): (string | undefined)[] {
    return this.requests.map(({ headers }) => headers.authorization);
  }

  /** Waits for a request, counted from 0. */
  async request(index = 0): Promise<Received> {
    for (;;) {
      const received = this.requests[index];
      if (received) return received;
      await once(this.#arrivals, "request");
    }
  }

  /** Creates a client of this service without retries, which closes when the test has finished. */
  client(options: ClientOptions = {}): TemplatePdf {
    const client = new TemplatePdf({ baseUrl: this.baseUrl, ...ofTests, ...options });
    this.#clients.push(client);
    return client;
  }

  async #stop(): Promise<void> {
    // Closes the sockets first, because a client waits for its calls in flight before it closes.
    await this.#server.close();
    await Promise.allSettled(this.#clients.map((client) => client.close()));
  }
}

/** A document that names its origin. */
export function pdfFrom(source: string): string {
  return `%PDF-1.4\n${source}\n%%EOF`;
}

/** Starts the service on a real socket. Every document contains `network`, or `tls` if it has a certificate. */
export function startService(tls?: Issued): Promise<Service> {
  return Service.start(saying(200, pdfFrom(tls ? "tls" : "network")), tls);
}

/** Creates a client for any base URL without retries, which closes when the test has finished. */
export function clientOf(baseUrl: string, options: ClientOptions = {}): TemplatePdf {
  const client = new TemplatePdf({ baseUrl, ...ofTests, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** Generates a document and returns its origin. */
export async function sourceOf(client: TemplatePdf): Promise<string | undefined> {
  const buffer = await client.generate("inv_2024", { total: "£1,000,000" }).buffer();
  return buffer.toString().split("\n")[1];
}

export const transports: readonly (readonly ["undici" | "fetch", ClientOptions])[] = [
  ["undici", {}],
  ["fetch", { fetch: globalThis.fetch }],
];

/** A complete PDF of exactly `size` bytes in which neighbouring kilobytes differ. */
export function pdfOf(size: number): Buffer {
  const pdf = Buffer.alloc(size, 0x20);
  for (let at = 0; at + 8 <= size; at += 64) pdf.write(at.toString(36).padStart(8, "_"), at, "latin1");
  pdf.write("%PDF-1.7\n", 0, "latin1");
  pdf.write("\n%%EOF\n", size - 7, "latin1");
  return pdf;
}

/** Responds with a body and its length. */
export function withLength(body: Buffer, headers: Record<string, string> = {}): Answer {
  const own = { "content-type": "application/pdf", "content-length": String(body.length) };
  return saying(200, body, { ...own, ...headers });
}

/** Responds with a chunked body without a length. */
export function inChunks(body: Buffer, headers: Record<string, string> = {}): Answer {
  return ({ response }) => {
    response.writeHead(200, { "content-type": "application/pdf", ...headers });
    for (let at = 0; at < body.length; at += 10_000) response.write(body.subarray(at, at + 10_000));
    response.end();
  };
}

/** Responds with a body that ends with the connection. */
export function untilClose(body: Buffer): Answer {
  return ({ socket }) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/pdf\r\n\r\n");
    socket.end(body);
  };
}

/** Responds with this status, headers and body. */
export function saying(
  status: number,
  body: string | Buffer = "",
  headers: Record<string, string> = {},
): Answer {
  return ({ response }) => response.writeHead(status, headers).end(body);
}

/** Sends these responses one after the other, and the last of them to all further requests. */
export function inTurn(...answers: readonly Answer[]): Answer {
  let count = 0;
  return (received) => answers[Math.min(count++, answers.length - 1)]?.(received);
}

/** Delays every response until `release` is called. `begun` is the first request. */
export function heldBack<Request = Received, Response = unknown>(answer: (request: Request) => Response) {
  const begun = later<Request>();
  const released = later<void>();
  const delayed = async (request: Request) => {
    begun.resolve(request);
    await released.promise;
    return answer(request);
  };
  return { answer: delayed, begun: begun.promise, release: () => released.resolve() };
}

/** Declares the full length of `body`, sends its first `sentBytes`, and destroys the connection. */
export function cutOffAfter(body: Buffer, sentBytes: number): Answer {
  return ({ response, socket }) => {
    response.writeHead(200, { "content-length": body.length });
    response.write(body.subarray(0, sentBytes), () => socket.destroy());
  };
}

/** Sends headers and `part`, and leaves the rest to the test. */
export function beginning(part: Buffer, headers: Record<string, string> = {}): Answer {
  return ({ response }) => {
    response.writeHead(200, { "content-type": "application/pdf", ...headers });
    response.write(part);
  };
}

/** Sends `body` with backpressure. Calls `onWritten` with the number of bytes passed to the system so far. */
export function asTaken(body: Buffer, onWritten: (bytes: number) => void = () => {}): Answer {
  return async ({ response, socket }) => {
    response.writeHead(200, { "content-type": "application/pdf", "content-length": body.length });
    const step = 64 * 1024;
    for (let at = 0; at < body.length && !socket.destroyed; at += step) {
      const goesOn = response.write(body.subarray(at, at + step));
      if (!goesOn) await drained(response, socket);
      onWritten(Math.min(body.length, at + step));
    }
    response.end();
  };
}

function drained(response: ServerResponse, socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done);
      socket.off("close", done);
      resolve();
    };
    response.on("drain", done);
    socket.on("close", done);
    if (socket.destroyed) done();
  });
}

/** Runs everything that is due: microtasks, ticks, and what they started. */
export async function turns(count = 3): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Runs a function and returns the rejections that were not handled meanwhile. */
export async function strayRejections(run: () => Promise<unknown>): Promise<unknown[]> {
  const stray: unknown[] = [];
  const own = (reason: unknown) => stray.push(reason);
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", own);
  try {
    await run();
    await turns();
  } finally {
    process.off("unhandledRejection", own);
    for (const other of others) process.on("unhandledRejection", other);
  }
  return stray;
}

/** Returns the error that a promise rejects with. Fails if it does not reject. */
export async function rejectionOf(promise: PromiseLike<unknown>): Promise<unknown> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`Expected a rejection, but the promise returned ${Object.prototype.toString.call(value)}.`);
}
