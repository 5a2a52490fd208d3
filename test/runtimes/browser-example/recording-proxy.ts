import { connect, type Socket } from "node:net";
import { listenRaw, type SocketServer } from "../../support/sockets.ts";

/** Stands before a server, and keeps every byte that a browser gets from it. */
export class RecordingProxy {
  readonly #received: Buffer[][] = [];
  readonly #sockets = new Set<Socket>();
  #server: SocketServer | undefined;
  #refuses = false;

  /** @param target - the origin of the server behind */
  async start(target: string): Promise<void> {
    const { hostname, port } = new URL(target);
    this.#server = await listenRaw((caller) => {
      if (this.#refuses) return void caller.destroy();
      const chunks: Buffer[] = [];
      this.#received.push(chunks);
      const server = connect(Number(port), hostname);
      server.on("data", (chunk) => chunks.push(chunk));
      for (const [from, to] of [
        [caller, server],
        [server, caller],
      ] as const) {
        this.#sockets.add(from);
        from.on("error", () => to.destroy()).on("close", () => to.destroy());
        from.pipe(to);
      }
    });
  }

  get origin(): string {
    return this.#server?.origin ?? "not started";
  }

  /** Everything that was received, as one text for each connection; bytes are letters of Latin-1. */
  get received(): readonly string[] {
    return this.#received.map((chunks) => Buffer.concat(chunks).toString("latin1"));
  }

  /** Drops every connection, and those to come, until the function that it returns is called. */
  unplug(): () => void {
    this.#refuses = true;
    for (const socket of this.#sockets) socket.destroy();
    return () => {
      this.#refuses = false;
    };
  }

  async stop(): Promise<void> {
    await this.#server?.close();
  }
}
