import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { pdf } from "../package/pdf-service.ts";
import { listen, type SocketServer } from "../support/sockets.ts";

/** How one call is answered. */
type Answer = (response: ServerResponse) => void;

/** A call that has arrived. */
interface Call {
  /** Settles when the caller has gone, or has its answer. */
  readonly left: Promise<unknown>;
}

/** A document. */
function answerWithDocument(response: ServerResponse): void {
  response.setHeader("content-type", "application/pdf").end(pdf);
}

/** Nothing at all. */
export function staySilent(): void {}

/** A document of which the rest never comes. */
export function breakOff(response: ServerResponse): void {
  const head = { "content-type": "application/pdf", "content-length": 2 * pdf.length };
  response.writeHead(200, head).write(pdf.slice(0, 40), () => response.destroy());
}

export function refuse(status: number, headers: Readonly<Record<string, string>>): Answer {
  return (response) => void response.writeHead(status, headers).end();
}

/** A service that answers as it is told, call by call. */
export class ScriptedService {
  #answers: Answer[] = [];
  #waiting: ((call: Call) => void)[] = [];
  #server: SocketServer | undefined;

  get baseUrl(): string {
    return this.#server?.origin ?? "not started";
  }

  async start(): Promise<void> {
    this.#server = await listen((request, response) => {
      const left = once(response, "close");
      request.resume().on("end", () => {
        this.#waiting.shift()?.({ left });
        (this.#answers.shift() ?? answerWithDocument)(response);
      });
    });
  }

  /** Says how the next calls are answered; those behind them get a document. */
  answer(...next: Answer[]): void {
    this.#answers = next;
  }

  /** The next call that comes. */
  nextCall(): Promise<Call> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async stop(): Promise<void> {
    await this.#server?.close();
  }
}
