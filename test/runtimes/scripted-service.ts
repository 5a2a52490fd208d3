import { EventEmitter, once } from "node:events";
import type { Answer, Received } from "../support/service.ts";
import { listen, type SocketServer } from "../support/sockets.ts";

/** A service for a whole file of tests, with the answers of test/support/service.ts, until it is closed. */
export class ScriptedService {
  /** All requests so far, with their whole bodies. */
  readonly requests: Received[] = [];
  readonly #arrivals = new EventEmitter();
  readonly #server: SocketServer;
  readonly #fallback: Answer;
  #answers: Answer[] = [];

  private constructor(server: SocketServer, fallback: Answer) {
    this.#server = server;
    this.#fallback = fallback;
  }

  /** @param fallback - answers every request that no other answer is for */
  static async start(fallback: Answer): Promise<ScriptedService> {
    const server = await listen((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { method = "", url: path = "", headers, socket } = request;
        const closed = once(response, "close").then(() => {});
        const body = Buffer.concat(chunks).toString();
        service.#answer({ method, path, headers, body, response, socket, closed });
      });
    });
    const service = new ScriptedService(server, fallback);
    return service;
  }

  get baseUrl(): string {
    return this.#server.origin;
  }

  /** Sets the answers to the next requests, in place of those that were set before. */
  answer(...next: Answer[]): void {
    this.#answers = next;
  }

  /** The next request that comes; `closed` resolves when its caller has left or has its answer. */
  async next(): Promise<Received> {
    const [received] = await once(this.#arrivals, "request");
    return received;
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  #answer(received: Received): void {
    this.requests.push(received);
    this.#arrivals.emit("request", received);
    (this.#answers.shift() ?? this.#fallback)(received);
  }
}

/** Sends no answer. */
export const noAnswer: Answer = () => {};
