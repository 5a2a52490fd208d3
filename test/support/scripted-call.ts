import { onTestFinished, vi } from "vitest";
import type { Body, Sink } from "../../src/call/body.ts";
import { Call } from "../../src/call/call.ts";
import { type CallContext, Connections } from "../../src/call/connections.ts";
import type { BulkAttempt } from "../../src/call/outcome.ts";
import { type CallOptions, resolveCall } from "../../src/options/call-options.ts";
import { type ClientOptions, resolveOptions } from "../../src/options/client-options.ts";
import type { ResponseHead } from "../../src/transport/response-head.ts";
import type { CapturedContext, Receiver, Transport } from "../../src/transport/transport.ts";

/** Milliseconds that pass, the headers of a response, an event, any other text as a chunk, or a function to call. */
export type Step =
  | number
  | ResponseHead
  | "sent"
  | "end"
  | "break"
  | (string & {})
  | ((scene: Scene) => void);

/** A call with a scripted transport and fake timers. */
export class Scene {
  /** What the call did, in order. */
  readonly log: unknown[] = [];
  readonly context: CallContext;
  readonly call: Call;
  /** The last document. */
  body!: Body;
  readonly #startedAtMs: number;
  #receiver!: Receiver;
  #first: Step | undefined;

  constructor(options: ClientOptions = {}, own?: CallOptions, bulk?: BulkAttempt) {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    this.#startedAtMs = performance.now();
    const note = (event: string) => void this.log.push(event);
    const [pause, resume, abort] = [() => note("pause"), () => note("resume"), () => note("abort")];
    const transport: Transport = {
      name: "fetch",
      sees: { connecting: true, sending: true },
      open: (_, receiver) => {
        note("open");
        this.#receiver = receiver;
        return { send: () => this.do(this.#first ?? 0), pause, resume, abort };
      },
    };
    const runInAsyncScope: CapturedContext["runInAsyncScope"] = (run, _, ...args) => {
      note("scope");
      run(...args);
    };
    const pool = {
      current: () => transport,
      captureContext: () => (note("capture"), { runInAsyncScope }),
      close: async () => note("close"),
    };
    const resolved = resolveOptions({
      baseUrl: "https://pdf.example.com",
      apiKey: "sk-live-123",
      ...options,
    });
    const connections = new Connections(pool);
    const settings = resolveCall(resolved);
    this.context = { options: resolved, settings, sharedHeaders: undefined, connections, isClosed: false };
    this.call = this.add(own, bulk);
  }

  /** Creates a call of the same client. */
  add(own?: CallOptions, bulk?: BulkAttempt, uid = "inv"): Call {
    const call = new Call(this.context, uid, {}, own, bulk);
    call.onSettled = (outcome) => {
      if (outcome?.response) this.body = outcome.response.body;
      const error = outcome && !outcome.response && `${this.elapsedMs} ${(outcome.error as Error).message}`;
      this.log.push(error || (outcome ? "document" : "replaced"));
    };
    return call;
  }

  /** The time since the call was created, rounded down to 10 ms. */
  get elapsedMs(): number {
    return Math.floor((performance.now() - this.#startedAtMs) / 10) * 10;
  }

  /** Starts the call, and takes the steps. Each request takes the first one before its `send` returns. */
  async play(...[first, ...steps]: Step[]): Promise<unknown[]> {
    this.#first = first;
    this.call.start();
    for (const step of steps) {
      if (typeof step === "number") await vi.advanceTimersByTimeAsync(step);
      else this.do(step);
    }
    return this.log;
  }

  do(step: Step, ...others: Step[]): void {
    if (typeof step === "function") step(this);
    else if (typeof step === "object") this.#receiver.onHead(step);
    else if (step === "sent") this.#receiver.onSent();
    else if (step === "end") this.#receiver.onEnd();
    else if (step === "break") this.#receiver.onFailure(new Error("reset"));
    else if (typeof step === "string") this.#receiver.onChunk(Buffer.from(step));
    for (const other of others) this.do(other);
  }
}

/** Reads the document. */
export function read(sink: Partial<Sink> = {}): Step {
  return ({ body, log }) =>
    body.read("bytes()", {
      isStream: false,
      write: () => true,
      end: () => void log.push("whole"),
      fail: () => {},
      ...sink,
    });
}
