import { createServer as createHttpServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createRawServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { RequestReader } from "./faults/request-reader.ts";

/** A server on loopback that tracks its sockets. */
export interface SocketServer {
  /** The scheme, host and port. */
  readonly origin: string;
  readonly port: number;
  /** The number of open sockets. */
  readonly openSockets: number;
  /** The number of sockets opened so far. */
  readonly allSockets: number;
  /** Closes every socket, as a server does with idle ones. */
  hangUp(): void;
  /** Destroys every socket. */
  destroyAll(): void;
  /** Stops listening and destroys every socket. */
  close(): Promise<void>;
}

/** Responds to HTTP requests. */
export function listen(handler: RequestListener): Promise<SocketServer> {
  return open(createHttpServer(handler));
}

/** Passes raw sockets, for responses that no HTTP server would send. */
export function listenRaw(onConnection: (socket: Socket) => void): Promise<SocketServer> {
  return open(createRawServer(onConnection));
}

/** Starts a server of the `node:net` family on this machine, by default on a free port of 127.0.0.1. */
export async function open(server: Server, port = 0, host = "127.0.0.1"): Promise<SocketServer> {
  const sockets = new Set<Socket>();
  let allSockets = 0;
  server.on("connection", (socket: Socket) => {
    allSockets += 1;
    sockets.add(socket);
    // Without a listener, a client that resets the connection would end the test process.
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  // A client that does not trust the certificate disconnects in the middle of the handshake.
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    origin: `http://${host}:${address.port}`,
    port: address.port,
    get openSockets() {
      return sockets.size;
    },
    get allSockets() {
      return allSockets;
    },
    hangUp() {
      for (const socket of sockets) socket.end();
    },
    destroyAll,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        destroyAll();
      }),
  };
}

/** One request, byte for byte. */
export interface RawRequest {
  /** The request line and header lines, decoded as Latin-1. */
  readonly lines: readonly string[];
  readonly body: Buffer;
  /** The number of earlier requests on this socket. */
  readonly index: number;
}

/** Serves raw sockets until the test has finished, and calls `answer` with every complete request. */
export async function serveRaw(
  answer: (socket: Socket, request: RawRequest) => void,
): Promise<SocketServer & { readonly requests: RawRequest[] }> {
  const requests: RawRequest[] = [];
  const server = await listenRaw((socket) => {
    let index = 0;
    const reader = new RequestReader({
      onHeaders() {},
      onRequest({ lines }, body) {
        const request = { lines, body, index: index++ };
        requests.push(request);
        answer(socket, request);
      },
    });
    socket.on("data", (piece: Buffer) => reader.push(piece));
  });
  onTestFinished(() => server.close());
  return Object.assign(Object.create(server), { requests }) as SocketServer & { requests: RawRequest[] };
}

/** Returns the origin of a server that has stopped listening, so that connections are refused. */
export async function closedOrigin(): Promise<string> {
  const server = await open(createRawServer());
  await server.close();
  return server.origin;
}

/** The headers of a response with the empty line at their end. `status` may include a reason phrase. */
export function responseHeaders(status: number | string, headers: readonly string[] = []): string {
  const line = typeof status === "number" ? `${status} Some Reason` : status;
  return [`HTTP/1.1 ${line}`, ...headers, "", ""].join("\r\n");
}

/** A complete response with its length. */
export function wholeAnswer(
  body: Uint8Array | string,
  headers: readonly string[] = [],
  status = 200,
): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([
    Buffer.from(responseHeaders(status, [...headers, `content-length: ${bytes.length}`])),
    bytes,
  ]);
}

/** One chunk of a chunked body. An empty chunk ends the body. */
export function framed(data: Uint8Array | string): Buffer {
  const bytes = Buffer.from(data);
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
}

/** Resolves when the socket is closed, even if it was closed before. */
export function closed(socket: Socket): Promise<void> {
  if (socket.destroyed) return Promise.resolve();
  // Keeps reading, because a socket that is not read never notices that its peer has disconnected.
  socket.resume();
  return new Promise((resolve) => {
    socket.once("close", () => resolve());
  });
}

/** A promise with its resolve function. Node 20 does not have `Promise.withResolvers`. */
export function later<T>(): {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
} {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((fulfill, fail) => {
    resolve = fulfill;
    reject = fail;
  });
  return { promise, resolve, reject };
}

/** Waits two turns of the event loop, because undici reuses a socket only one turn after its last request. */
export async function turn(): Promise<void> {
  for (let round = 0; round < 2; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** The same bytes every time, almost incompressible. */
export function noise(size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let state = 0x2545f491;
  for (let at = 0; at < size; at += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[at] = state & 0xff;
  }
  return bytes;
}
