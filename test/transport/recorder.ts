import { EventEmitter, once } from "node:events";
import type { Socket } from "node:net";
import { expect, onTestFinished } from "vitest";
import type {
  Exchange,
  Receiver,
  ResponseHead,
  Transport,
  WireRequest,
} from "../../src/transport/transport.ts";
import { listen, type RawRequest, serveRaw } from "../support/sockets.ts";

/** What a test does at the moment of an event. */
export interface Hooks {
  onSent?(recorder: Recorder): unknown;
  onHead?(recorder: Recorder, head: ResponseHead): unknown;
  onChunk?(recorder: Recorder, chunk: Uint8Array): unknown;
}

type Event = "sent" | "head" | "chunk" | "end" | "failure";

/** A receiver that records every event and every violation of the contract. */
export class Recorder implements Receiver {
  /** The events in order. Consecutive chunks count once. */
  readonly events: Event[] = [];
  readonly chunks: Uint8Array[] = [];
  readonly breaches: string[] = [];
  readonly #exchange: Exchange;
  readonly #hooks: Hooks;
  readonly #arrivals = new EventEmitter().setMaxListeners(0);
  failure: unknown;
  #head: ResponseHead | undefined;
  #isSent = false;
  #isPaused = false;
  #isAborted = false;

  constructor(transport: Transport, request: WireRequest, hooks: Hooks = {}) {
    this.#hooks = hooks;
    this.#exchange = transport.open(request, this);
  }

  get head(): ResponseHead {
    if (!this.#head) throw new Error(`There was no head, only: ${this.events.join(", ") || "nothing"}.`);
    return this.#head;
  }

  get body(): Buffer {
    return Buffer.concat(this.chunks);
  }

  send(): this {
    this.#isSent = true;
    this.#exchange.send();
    return this;
  }

  pause(): void {
    this.#isPaused = true;
    this.#exchange.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#exchange.resume();
  }

  abort(reason: unknown = new Error("no longer wanted")): void {
    this.#isAborted = true;
    this.#exchange.abort(reason);
  }

  /** Resolves after an event with one of these names. */
  async until(...events: Event[]): Promise<void> {
    while (!events.some((event) => this.events.includes(event))) await once(this.#arrivals, "event");
  }

  /** Resolves after the final event. */
  finished(): Promise<void> {
    return this.until("end", "failure");
  }

  onSent(): void {
    this.#note("sent");
    this.#hooks.onSent?.(this);
  }

  onHead(head: ResponseHead): void {
    this.#head = head;
    this.#note("head");
    this.#hooks.onHead?.(this, head);
  }

  onChunk(chunk: Uint8Array): void {
    if (this.#isPaused) this.breaches.push("a chunk came while paused");
    // Returns, because a hook that pauses and resumes would get empty chunks from undici for ever.
    if (chunk.length === 0) return void this.breaches.push("a chunk was empty");
    this.chunks.push(chunk);
    this.#note("chunk");
    this.#hooks.onChunk?.(this, chunk);
  }

  onEnd(): void {
    if (this.#isPaused) this.breaches.push("the end came while paused");
    this.#note("end");
  }

  onFailure(cause: unknown): void {
    this.failure = cause;
    this.#note("failure");
  }

  #note(event: Event): void {
    const last = this.events.at(-1);
    if (!this.#isSent) this.breaches.push(`${event} came before send()`);
    if (this.#isAborted) this.breaches.push(`${event} came after abort()`);
    if (last === "end" || last === "failure") this.breaches.push(`${event} came after the ${last}`);
    if (event !== "chunk" || last !== "chunk") {
      if (this.events.includes(event)) this.breaches.push(`${event} came twice`);
      this.events.push(event);
    }
    this.#arrivals.emit("event");
  }
}

/** Opens an exchange whose every event is checked against the contract, until the test has finished. */
export function record(transport: Transport, request: WireRequest, hooks?: Hooks): Recorder {
  const recorder = new Recorder(transport, request, hooks);
  onTestFinished(() => expect(recorder.breaches).toEqual([]));
  return recorder;
}

/** A request as the client would write it. */
export function requestTo(origin: string, rest: Partial<WireRequest> = {}): WireRequest {
  return {
    origin,
    path: "/api/v1/templates/inv_2024/generate-sync",
    headers: ["authorization", "API-Key key-of-the-tests", "content-type", "application/json"],
    json: '{"total":"£1,000,000"}',
    ...rest,
  };
}

/** Sends three complete requests with the same transport, so that all pending events arrive first. */
export async function settle(transport: Transport): Promise<void> {
  const server = await listen((_request, response) => response.end("settled"));
  for (let round = 0; round < 3; round += 1) {
    await record(transport, requestTo(server.origin)).send().until("end");
  }
  await server.close();
}

type RawAnswer = string | Uint8Array | ((socket: Socket, request: RawRequest) => unknown);

/** Serves one response for every request, and sends one request. */
export async function send(transport: Transport, answer: RawAnswer, hooks: Hooks = {}) {
  const server = await serveRaw((socket, request) => {
    if (typeof answer === "function") answer(socket, request);
    else socket.write(answer);
  });
  return { server, recorder: record(transport, requestTo(server.origin), hooks).send() };
}

/** Like `send`, but waits until the exchange has ended. */
export async function exchange(transport: Transport, answer: RawAnswer, hooks: Hooks = {}) {
  const { server, recorder } = await send(transport, answer, hooks);
  await recorder.finished();
  return Object.assign(recorder, { server });
}
