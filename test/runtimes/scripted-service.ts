import { EventEmitter, once } from "node:events";
import type { Answer, Received } from "../support/service.ts";
import { listen, type SocketServer } from "../support/sockets.ts";

/** A service for all tests of a file, with the responses of test/support/service.ts, until it is closed. */
export class ScriptedService {
  /** All requests so far, with their complete bodies. */
  readonly requests: Received[] = [];
  readonly #arrivals = new EventEmitter();
  readonly #server: SocketServer;
  readonly #fallback: Answer;
  #answers: Answer[] = [];

  private constructor(server: SocketServer, fallback: Answer) {
    this.#server = server;
    this.#fallback = fallback;
  }

  /** @param fallback - the response to every request without another response */
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

  /** Sets the responses to the next requests, and replaces those that were set before. */
  answer(...next: Answer[]): void {
    this.#answers = next;
  }

  /** Resolves with the next request. Its `closed` resolves when the caller has disconnected or received its response. */
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

/** Sends no response. */
export const noAnswer: Answer = () => {};
