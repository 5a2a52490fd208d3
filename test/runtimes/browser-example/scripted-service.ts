import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { installed } from "../../package/consumer.ts";
import { listen, type SocketServer } from "../../support/sockets.ts";

const { fakePdf } = (await import(join(installed, "dist/testing/index.js"))) as {
  fakePdf(options: { text: string; bytes: number }): Uint8Array;
};

/** A call that waits for what the test does with it. */
export interface HeldCall {
  readonly document: Uint8Array;
  /** The head, and the first half of the document. */
  sendHalf(): void;
  sendRest(): void;
  /** Settles when the caller has gone. */
  readonly left: Promise<unknown>;
}

/** A service that makes whole documents, unless it is told otherwise. */
export class ScriptedService {
  readonly apiKey = "key-that-no-page-may-ever-see";
  /** What came, oldest first: the values, and the document that was made. */
  readonly calls: { values: Record<string, string>; document: Uint8Array }[] = [];
  #holds: ((call: HeldCall) => void)[] = [];
  #refusal: { status: number; headers: Record<string, string> } | undefined;
  #server: SocketServer | undefined;

  async start(): Promise<void> {
    this.#server = await listen((request, response) => void this.#answer(request, response));
  }

  get baseUrl(): string {
    return this.#server?.origin ?? "not started";
  }

  /** A page that takes the session of every server of this machine: cookies know no ports. */
  get signOutUrl(): string {
    return `${this.baseUrl}/sign-out`;
  }

  /** Leaves the next call to the test. */
  holdNext(): Promise<HeldCall> {
    return new Promise((resolve) => this.#holds.push(resolve));
  }

  /** Refuses every call from now on, in words that no page should see. */
  refuse(status: number, headers: Record<string, string> = {}): void {
    this.#refusal = { status, headers };
  }

  behave(): void {
    this.#refusal = undefined;
    this.#holds = [];
  }

  async stop(): Promise<void> {
    await this.#server?.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "GET") {
      response.setHeader("set-cookie", "session=ended; HttpOnly; SameSite=Strict; Path=/").end();
      return;
    }
    const values = (await json(request)) as Record<string, string>;
    const text = `Invoice ${values["number"]}, call ${this.calls.length}`;
    const document = fakePdf({ text, bytes: 400_000 });
    this.calls.push({ values, document });
    if (this.#refusal) {
      const { status, headers } = this.#refusal;
      response.writeHead(status, headers).end(`secret words of the service at ${this.baseUrl}`);
      return;
    }
    const hold = this.#holds.shift();
    response.setHeader("content-type", "application/pdf").setHeader("content-length", document.length);
    if (!hold) {
      response.end(document);
      return;
    }
    const half = document.length / 2;
    hold({
      document,
      sendHalf: () => response.write(document.subarray(0, half)),
      sendRest: () => response.end(document.subarray(half)),
      left: once(response, "close"),
    });
  }
}
