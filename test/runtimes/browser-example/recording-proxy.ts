import { connect } from "node:net";
import { listenRaw, type SocketServer } from "../../support/sockets.ts";

/** A proxy that records every byte that a browser receives from a server. */
export class RecordingProxy {
  readonly #received: Buffer[][] = [];
  readonly #server: SocketServer;

  private constructor(server: SocketServer) {
    this.#server = server;
  }

  /** @param target - the origin of the server */
  static async start(target: string): Promise<RecordingProxy> {
    const { hostname, port } = new URL(target);
    const proxy = new RecordingProxy(
      await listenRaw((caller) => {
        const chunks: Buffer[] = [];
        proxy.#received.push(chunks);
        const server = connect(Number(port), hostname);
        server.on("data", (chunk) => chunks.push(chunk));
        for (const [from, to] of [
          [caller, server],
          [server, caller],
        ] as const) {
          from.on("error", () => to.destroy()).on("close", () => to.destroy());
          from.pipe(to);
        }
      }),
    );
    return proxy;
  }

  get origin(): string {
    return this.#server.origin;
  }

  /** The received bytes as Latin-1, one text for each connection. */
  get received(): string {
    return this.#received.map((chunks) => Buffer.concat(chunks).toString("latin1")).join("\n");
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}
