import { expect, onTestFinished, vi } from "vitest";
import type { Body, Sink } from "../../src/call/body.ts";
import type { BulkAttempt } from "../../src/call/bulk-attempt.ts";
import { Call } from "../../src/call/call.ts";
import { CallsInFlight, type SharedState } from "../../src/call/calls-in-flight.ts";
import { type CallOptions, resolveCall } from "../../src/options/call-options.ts";
import { type ClientOptions, resolveOptions } from "../../src/options/client-options.ts";
import { serverAdvice } from "../../src/request/advice.ts";
import { shareHeaders } from "../../src/request/headers.ts";
import type { CapturedContext, Receiver, ResponseHead, Transport } from "../../src/transport/transport.ts";

/** Something that happens to a call. */
export type Step = (scripted: ScriptedCall) => void | Promise<void>;

/** How a call failed, and when. */
interface FailureEvent {
  readonly failedAfterMs: number;
  readonly message: string;
}

/** The event of a call that failed this long after it was created. */
export function failed(failedAfterMs: number, message: RegExp): FailureEvent {
  return { failedAfterMs, message: expect.stringMatching(message) };
}

interface ScriptedCallParts {
  readonly options?: ClientOptions;
  readonly callOptions?: CallOptions;
  readonly bulk?: BulkAttempt;
  /** What happens before `send` returns, in each attempt. Default: the request is sent. */
  readonly duringSend?: readonly Step[] | undefined;
}

/** A call with a scripted transport and fake timers. */
export class ScriptedCall {
  /** What the call did, in order. */
  readonly events: unknown[] = [];
  readonly context: SharedState;
  readonly call: Call;
  /** The last attempt, which receives the events of its exchange. */
  receiver!: Receiver;
  /** The last document. */
  body!: Body;
  /** Whether a truncated document may be replaced by another. */
  isReplaceable = false;
  /** Called when a document begins to arrive. */
  onDocument: Step | undefined;
  readonly #startedAtMs: number;
  readonly #duringSend: readonly Step[];

  constructor({ options, callOptions, bulk, duringSend = [requestIsSent] }: ScriptedCallParts = {}) {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    // At 0, a wrong sign would not show.
    vi.advanceTimersByTime(1_000);
    this.#startedAtMs = performance.now();
    this.#duringSend = duringSend;
    const given = { baseUrl: "https://pdf.example.com", apiKey: "sk-live-123", ...options };
    const resolved = resolveOptions(given, serverAdvice());
    this.context = {
      options: resolved,
      settings: resolveCall(resolved),
      sharedHeaders: shareHeaders(resolved.headers),
      calls: new CallsInFlight(this.#createPool()),
      isClosed: false,
    };
    this.call = this.addCall(callOptions, bulk);
  }

  #createPool(): ConstructorParameters<typeof CallsInFlight>[0] {
    const record = (event: string) => void this.events.push(event);
    const transport: Transport = {
      name: "fetch",
      sees: { connecting: true, sending: true },
      open: (_, receiver) => {
        record("opened");
        this.receiver = receiver;
        return {
          send: () => void this.#duringSend.forEach((step) => void step(this)),
          pause: () => record("paused"),
          resume: () => record("resumed"),
          abort: () => record("aborted"),
        };
      },
    };
    const runInAsyncScope: CapturedContext["runInAsyncScope"] = (run, _, ...args) => {
      record("entered the context");
      run(...args);
    };
    return {
      current: () => transport,
      captureContext: () => {
        record("captured the context");
        return { runInAsyncScope };
      },
      close: async () => record("closed the connections"),
    };
  }

  /** Creates a call of the same client. */
  addCall(callOptions?: CallOptions, bulk?: BulkAttempt, uid = "inv"): Call {
    const call = new Call(this.context, uid, {}, callOptions, bulk);
    const scripted = this;
    call.reportTo({
      get isReplaceable() {
        return scripted.isReplaceable;
      },
      onDocument: ({ body }) => {
        this.body = body;
        this.events.push("document begins");
        void this.onDocument?.(this);
      },
      onReplaced: () => this.events.push("document replaced"),
      onFailed: (error) => this.events.push(this.#failureOf(error as Error)),
    });
    return call;
  }

  #failureOf({ message }: Error): FailureEvent {
    return { failedAfterMs: this.elapsedMs, message };
  }

  /** The time since the call was created, rounded down to 10 ms. */
  get elapsedMs(): number {
    return Math.floor((performance.now() - this.#startedAtMs) / 10) * 10;
  }

  /** Starts the call, and takes the steps. */
  async play(...steps: readonly Step[]): Promise<void> {
    this.call.start();
    for (const step of steps) {
      const isOver = step(this);
      // Steps without a delay follow each other in the same tick.
      if (isOver) await isOver;
    }
  }

  eventsWithout(...names: readonly string[]): unknown[] {
    return this.events.filter((event) => !names.includes(event as string));
  }
}

export const requestIsSent: Step = ({ receiver }) => receiver.onSent();

export const headersArrive =
  (head: ResponseHead): Step =>
  ({ receiver }) =>
    receiver.onHead(head);

export const bytesArrive =
  (text: string): Step =>
  ({ receiver }) =>
    receiver.onChunk(Buffer.from(text));

export const responseEnds: Step = ({ receiver }) => receiver.onEnd();

export const connectionBreaks: Step = ({ receiver }) => receiver.onFailure(new Error("reset"));

export const callIsCancelled: Step = ({ call }) => call.fail(new Error("cancelled"));

export const timePasses = (ms: number): Step => {
  return async () => void (await vi.advanceTimersByTimeAsync(ms));
};

/** An output begins to read the document. By default, it takes all bytes, and is complete at the end. */
export const documentIsRead = (sink: Partial<Sink> = {}): Step => {
  return ({ body, events }) =>
    body.read("bytes()", {
      isStream: false,
      write: () => true,
      end: () => void events.push("document complete"),
      fail: () => {},
      ...sink,
    });
};

/** The document becomes a stream whose reader takes no bytes. */
export const documentIsStreamed: Step = documentIsRead({ isStream: true, write: () => false });

/** The document is written to a file, which takes forever. */
export const documentIsSaved: Step = documentIsRead({ end: () => new Promise(() => {}) });

/** Takes this step as soon as a document begins to arrive. */
export const onDocument = (step: Step): Step => {
  return (scripted) => {
    scripted.onDocument = step;
  };
};
