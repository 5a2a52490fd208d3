import { createServer as createHttpServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createRawServer, type Server, type Socket } from "node:net";

/** A server on loopback that knows its sockets. */
export interface SocketServer {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly port: number;
  /** How many sockets are open at this moment. */
  readonly openSockets: number;
  /** How many sockets were ever opened. */
  readonly allSockets: number;
  /** Stops listening and destroys every socket. */
  close(): Promise<void>;
}

/** Answers HTTP requests. */
export function listen(handler: RequestListener): Promise<SocketServer> {
  return open(createHttpServer(handler));
}

/** Hands over bare sockets, for answers that no HTTP server would give. */
export function listenRaw(onConnection: (socket: Socket) => void): Promise<SocketServer> {
  return open(createRawServer(onConnection));
}

/** Starts any server of the `node:net` family on a free port of 127.0.0.1. */
export async function open(server: Server): Promise<SocketServer> {
  const sockets = new Set<Socket>();
  let allSockets = 0;
  server.on("connection", (socket: Socket) => {
    allSockets += 1;
    sockets.add(socket);
    // Without a listener, a client that resets the connection would end the test process.
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    get openSockets() {
      return sockets.size;
    },
    get allSockets() {
      return allSockets;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
