import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, beforeEach, onTestFinished, vi } from "vitest";
import { closed } from "../support/sockets.ts";

export const path = "/api/v1/templates/invoice/generate-sync";

/** Replaces the console, and returns a mock for everything that is printed during a test, which should be nothing. */
export function watchConsole() {
  const printed = vi.fn();
  beforeEach(() => {
    printed.mockReset();
    for (const method of ["log", "info", "warn", "error"] as const) {
      vi.spyOn(console, method).mockImplementation(printed);
    }
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  return printed;
}

/** Serves a listener until the test has finished. Returns the port. */
export async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/** Sends bytes, and returns the socket once it is connected. */
export async function send(port: number, bytes: string): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }).on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  socket.write(bytes, "latin1");
  return socket;
}

/** Sends bytes, and returns everything that the server sends until it closes the connection. */
export async function exchange(port: number, bytes: string): Promise<string> {
  const socket = await send(port, bytes);
  let received = "";
  socket.on("data", (piece) => {
    received += piece.toString("latin1");
  });
  await Promise.race([once(socket, "end"), closed(socket)]);
  return received;
}

interface RawCall {
  readonly target?: string;
  readonly host?: string;
  readonly headers?: string;
  readonly body?: string;
  readonly length?: number;
  /** The encoded chunks of a body without a length. */
  readonly chunks?: string;
}

/** The bytes of a call. */
export function callBytes(call: RawCall = {}): string {
  const { target = path, host = "x", headers = "", body = "{}", length = body.length, chunks } = call;
  const lines = [
    `POST ${target} HTTP/1.1`,
    `host: ${host}`,
    "content-type: application/json",
    chunks === undefined ? `content-length: ${length}` : "transfer-encoding: chunked",
    `connection: close${headers}`,
  ];
  return `${lines.join("\r\n")}\r\n\r\n${chunks ?? body}`;
}
