import type { RequestListener } from "node:http";
import type { Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { Transport } from "../../src/transport/transport.ts";
import { listen, listenRaw, type SocketServer } from "../support/sockets.ts";
import { record, requestTo } from "./recorder.ts";

/** One request, byte for byte. */
export interface RawRequest {
  /** Request line and header lines, read as Latin-1. */
  readonly lines: readonly string[];
  readonly body: Buffer;
  /** How many requests came by this socket before it. */
  readonly index: number;
}

/** Serves by `node:http` until the test has finished. */
export async function serve(handler: RequestListener): Promise<SocketServer> {
  const server = await listen(handler);
  onTestFinished(() => server.close());
  return server;
}

/** Serves bare sockets until the test has finished; `answer` hears of every whole request. */
export async function serveRaw(
  answer: (socket: Socket, request: RawRequest) => void,
): Promise<SocketServer & { readonly requests: RawRequest[] }> {
  const requests: RawRequest[] = [];
  const server = await listenRaw((socket) => {
    let received: Buffer = Buffer.alloc(0);
    let index = 0;
    socket.on("data", (data: Buffer) => {
      received = Buffer.concat([received, data]);
      for (;;) {
        const headEnd = received.indexOf("\r\n\r\n");
        if (headEnd < 0) return;
        const lines = received.subarray(0, headEnd).toString("latin1").split("\r\n");
        const length = lines.find((line) => /^content-length:/i.test(line))?.split(":")[1];
        const end = headEnd + 4 + Number(length ?? 0);
        if (received.length < end) return;
        const request = { lines, body: received.subarray(headEnd + 4, end), index };
        received = received.subarray(end);
        index += 1;
        requests.push(request);
        answer(socket, request);
      }
    });
  });
  onTestFinished(() => server.close());
  return Object.assign(Object.create(server), { requests }) as SocketServer & { requests: RawRequest[] };
}

/** A head with its empty line; `status` may carry a reason phrase. */
export function head(status: number | string, headers: readonly string[] = []): string {
  const line = typeof status === "number" ? `${status} Some Reason` : status;
  return [`HTTP/1.1 ${line}`, ...headers, "", ""].join("\r\n");
}

/** One chunk of chunked framing; an empty one ends the body. */
export function framed(data: Uint8Array | string): Buffer {
  const bytes = Buffer.from(data);
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
}

/** Bytes that look like nothing, the same every time; hardly compressible. */
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

/**
 * Lets everything happen that is about to happen: three whole requests by the same transport. Whatever was on
 * its way through this process's event loop before has arrived after them.
 */
export async function settle(transport: Transport): Promise<void> {
  const server = await listen((_request, response) => response.end("settled"));
  for (let round = 0; round < 3; round += 1) {
    await record(transport, requestTo(server.origin)).send().until("end");
  }
  await server.close();
}

/** The next turn but one of the event loop: undici gives a socket to the next request only a turn after its last. */
export async function turn(): Promise<void> {
  for (let round = 0; round < 2; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Resolves when the socket is gone, also where it is already. */
export function closed(socket: Socket): Promise<void> {
  if (socket.destroyed) return Promise.resolve();
  // Reads on: a socket that nobody reads never hears that its peer has left.
  socket.resume();
  return new Promise((resolve) => {
    socket.once("close", () => resolve());
  });
}

/** A promise, and the way to resolve it from outside; `Promise.withResolvers` is younger than Node 20. */
export function later<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
