import type { TimeoutPhase } from "../errors/errors.ts";
import type { ResponseHead } from "../transport/response-head.ts";
import { contentLengthOf } from "../transport/response-head.ts";
import type { Exchange, Receiver, Transport, WireRequest } from "../transport/transport.ts";
import { apiError, type CallFacts, maxErrorBytes, retryAfterOf } from "./api-error.ts";
import * as errors from "./attempt-errors.ts";
import { Body, type BodyOwner } from "./body.ts";
import { ChunkList } from "./chunks.ts";
import { Verifier } from "./pdf-check.ts";
import { repeatAfter, type Setback } from "./retry-policy.ts";
import { Alarm, type AlarmListener } from "./timer.ts";

/** How long each part of one attempt may take, in milliseconds. */
export type Limits = Readonly<Record<Exclude<TimeoutPhase, "total">, number>>;

/** One call, as one attempt at it sees it. */
export interface AttemptedCall extends Omit<CallFacts, "note"> {
  readonly request: WireRequest;
  readonly verify: boolean;
  readonly limits: Limits;
}

/** A document that has begun to arrive. */
export interface Arrival {
  readonly head: ResponseHead;
  readonly body: Body;
  /** How many bytes the document will have, where the answer tells. */
  readonly promisedBytes: number | undefined;
}

/** How an attempt failed; its error is made when it is known what follows. */
export interface Failure extends Setback {
  /** @param note - what the message is to end with */
  readonly error: (note: string) => unknown;
}

/** What an attempt belongs to: the loop. It hears exactly one of `onFailure`, `onGivenUp` and `onArrival` first. */
export interface AttemptOwner {
  /** The head of an answer came, whatever its status. */
  onHead(head: ResponseHead): void;
  onArrival(arrival: Arrival): void;
  /** More of the document came. */
  onProgress(receivedBytes: number, head: ResponseHead): void;
  /** No document came. */
  onFailure(failure: Failure): void;
  /** The document that had begun to arrive will not be whole. Gives the error that its form is to hear. */
  onBroken(failure: Failure): unknown;
  /** Whoever wanted the document, or a limit, has ended the attempt. */
  onGivenUp(reason: unknown): void;
  onRead(isStream: boolean): void;
  /** @param isRead - whether a form had the document, and is done with it */
  onRest(isRead: boolean): void;
}

/** How long the body of an answer that is no success may take: it is worth less than an answer to the caller. */
const longestErrorBodyMs = 10_000;

/** One try: hears the events of the exchange, proves the document, and bounds every wait and what is kept. */
export class Attempt implements Receiver, BodyOwner, AlarmListener {
  readonly #call: AttemptedCall;
  readonly #owner: AttemptOwner;
  readonly #transport: Transport;
  readonly #exchange: Exchange;
  readonly #verifier: Verifier | undefined;
  readonly #alarm = new Alarm(this);
  /** What the alarm is set for. */
  #phase: keyof Limits | undefined;
  #limitMs = 0;
  #head: ResponseHead | undefined;
  #body: Body | undefined;
  /** Bytes that came before it was clear what they are. */
  #first: ChunkList | undefined;
  #receivedBytes = 0;
  #promisedBytes: number | undefined;
  /** Whether the request left; `undefined` where the transport cannot see that. */
  #sent: boolean | undefined;
  /** Everything of the answer came, or nothing more of it will be taken. */
  #over = false;
  /** It failed, or was given up, and has said so. */
  #failed = false;

  constructor(call: AttemptedCall, transport: Transport, owner: AttemptOwner) {
    this.#call = call;
    this.#owner = owner;
    this.#transport = transport;
    this.#verifier = call.verify ? new Verifier() : undefined;
    this.#sent = transport.sees.sending ? false : undefined;
    this.#exchange = transport.open(call.request, this);
  }

  /** Sends the request. */
  start(): void {
    this.#exchange.send();
    // On a connection that was free it has left by now, and a clock more would have been set for nothing.
    if (this.#sent === false && this.#transport.sees.connecting) this.#watch("connect");
  }

  /** Ends the attempt at any moment: frees the socket, and fails whoever waits with `reason`. */
  cancel(reason: unknown): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#end();
    this.#exchange.abort(reason);
    this.#owner.onGivenUp(reason);
    this.#body?.fail(reason);
  }

  onTimeOver(): void {
    const head = this.#head;
    const phase = this.#phase as keyof Limits;
    const limitMs = this.#limitMs;
    const error = (note: string) =>
      errors.timedOut(phase, limitMs, this.#received(), head, { ...this.#call, note });
    if (head && !isSuccess(head)) this.#stop(this.#refusal(errors.refusalOver(limitMs, head, this.#call)));
    else if (phase === "unread" && this.#body?.isRead && !this.#body.isUntouched) this.#stopWatching();
    else if (phase === "unread") this.cancel(error(""));
    else this.#stop({ repeat: phase === "connect" ? "safe" : "ambiguous", error });
  }

  // Events of the body.

  onRead(isStream: boolean): void {
    if (this.#body?.isPaused) this.#waitForReader();
    // The wait for the first byte goes on as it began, whoever reads.
    else if (!this.#over && this.#receivedBytes > 0) this.#watch("stall");
    this.#owner.onRead(isStream);
  }

  onFlow(isFlowing: boolean): void {
    // Of a document that nobody has asked a form of, another limit counts.
    if (this.#over || this.#body?.isRead === false) return;
    if (isFlowing) this.#watch("stall");
    else this.#waitForReader();
  }

  onRest(): void {
    this.#owner.onRest(this.#body?.isRead === true);
  }

  // Events of the exchange.

  onSent(): void {
    if (this.#sent === false) this.#sent = true;
    this.#watch("firstByte");
  }

  onHead(head: ResponseHead): void {
    this.#head = head;
    this.#owner.onHead(head);
    if (this.#over) return;
    if (!isSuccess(head)) {
      return this.#watch("stall", Math.min(this.#call.limits.stall, longestErrorBodyMs));
    }
    if (head.undecoded !== undefined) {
      return this.#stop({
        repeat: "never",
        error: (note) => errors.undecoded(head, { ...this.#call, note }),
      });
    }
    this.#promisedBytes = contentLengthOf(head);
    if (!this.#verifier) this.#arrive(head);
  }

  onChunk(chunk: Uint8Array): void {
    this.#receivedBytes += chunk.length;
    const head = this.#head as ResponseHead;
    if (!isSuccess(head)) {
      this.#keep(chunk);
      if (this.#receivedBytes > maxErrorBytes) this.#stop(this.#refusal());
      return;
    }
    if (this.#phase === "stall") this.#alarm.set(this.#limitMs);
    else if (this.#phase === "firstByte") this.#watch(this.#body?.isRead === false ? "unread" : "stall");
    this.#verifier?.update(chunk);
    if (this.#body) {
      this.#body.write(chunk);
      return this.#owner.onProgress(this.#receivedBytes, head);
    }
    if (this.#verifier?.begins) return this.#arrive(head, chunk);
    this.#keep(chunk);
    if (this.#verifier?.begins === false) this.#stop(this.#notAPdf(head));
  }

  onEnd(): void {
    const head = this.#head as ResponseHead;
    if (!isSuccess(head)) return this.#fail(this.#refusal());
    const missing = this.#promisedBytes !== undefined && this.#receivedBytes < this.#promisedBytes;
    if (missing) return this.#fail(this.#cutOff(head));
    if (!this.#body) return this.#fail(this.#notAPdf(head));
    if (this.#verifier?.ends() === false) return this.#fail(this.#cutOff(head));
    this.#end();
    this.#body.end();
  }

  onFailure(cause: unknown): void {
    const head = this.#head;
    if (!head) return this.#fail(this.#noAnswer(cause));
    this.#fail(isSuccess(head) ? this.#cutOff(head, cause) : this.#refusal(cause));
  }

  /** It begins as a PDF begins: from here on it is a document. */
  #arrive(head: ResponseHead, chunk?: Uint8Array): void {
    const body = new Body(this.#exchange, this);
    this.#body = body;
    for (const earlier of this.#first?.take() ?? []) body.write(earlier);
    this.#first = undefined;
    if (chunk) body.write(chunk);
    this.#owner.onArrival({ head, body, promisedBytes: this.#promisedBytes });
    if (this.#receivedBytes === 0) return;
    this.#owner.onProgress(this.#receivedBytes, head);
    if (!this.#over && !body.isRead) this.#watch("unread");
  }

  #keep(chunk: Uint8Array): void {
    this.#first ??= new ChunkList();
    this.#first.add(chunk);
  }

  #watch(phase: keyof Limits, limitMs = this.#call.limits[phase]): void {
    if (this.#over) return;
    this.#phase = phase;
    this.#limitMs = limitMs;
    this.#alarm.set(limitMs);
  }

  /** A reader may take its time; but a stream that was given out and is never touched is as good as unread. */
  #waitForReader(): void {
    if (this.#body?.isUntouched) this.#watch("unread");
    else this.#stopWatching();
  }

  #stopWatching(): void {
    this.#phase = undefined;
    this.#alarm.clear();
  }

  /** Ends an exchange of which nothing more is wanted. */
  #stop(failure: Failure): void {
    this.#exchange.abort(undefined);
    this.#fail(failure);
  }

  #fail(failure: Failure): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#end();
    if (this.#body) this.#body.fail(this.#owner.onBroken(failure));
    else this.#owner.onFailure(failure);
  }

  #end(): void {
    this.#over = true;
    this.#stopWatching();
  }

  // How it can fail.

  #noAnswer(cause: unknown): Failure {
    const explained = this.#transport.explain?.(cause);
    const sent = explained?.unsent ? false : this.#sent;
    return {
      repeat:
        errors.isPassedOn(cause) || explained?.isLasting ? "never" : sent === false ? "safe" : "ambiguous",
      error: (note) => errors.notConnected(cause, sent, { ...this.#call, note }, explained),
    };
  }

  #refusal(cause?: unknown): Failure {
    const head = this.#head as ResponseHead;
    const text = this.#firstText();
    return {
      repeat: repeatAfter(head.status),
      retryAfterMs: retryAfterOf(head),
      error: (note) => apiError(head, text, { ...this.#call, note }, cause),
    };
  }

  #notAPdf(head: ResponseHead): Failure {
    const text = this.#firstText();
    return { repeat: "never", error: (note) => errors.notAPdf(head, text, { ...this.#call, note }) };
  }

  #cutOff(head: ResponseHead, cause?: unknown): Failure {
    return {
      repeat: "ambiguous",
      error: (note) => errors.cutOff(head, this.#received(), { ...this.#call, note }, cause),
    };
  }

  #received(): errors.Received {
    return { receivedBytes: this.#receivedBytes, promisedBytes: this.#promisedBytes };
  }

  /** The text of what came first, as much of it as an error may keep. */
  #firstText(): string {
    const bytes = this.#first?.concatenate().subarray(0, maxErrorBytes) ?? new Uint8Array();
    return typeof TextDecoder === "undefined" ? asciiOf(bytes) : new TextDecoder().decode(bytes);
  }
}

/** For Jest's jsdom, which has no `TextDecoder`: most of an error is ASCII. */
function asciiOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte < 0x80 ? byte : 0xfffd)).join("");
}

/** Any 2xx: the spec shows no status code. */
function isSuccess(head: ResponseHead): boolean {
  return head.status >= 200 && head.status < 300;
}
