import { type AbortListener, forgetAbort, listenToAbort } from "./abort-signals.ts";
import { apiError, type CallFacts, maxErrorBytes } from "./api-error.ts";
import * as errors from "./attempt-errors.ts";
import { Body, type BodyOwner } from "./body.ts";
import type { Exchange, Receiver, ResponseHead, Transport, WireRequest } from "./transport/types.ts";
import { Verifier } from "./verify.ts";

/** One call, as every attempt at it sees it. */
export interface AttemptedCall extends CallFacts {
  readonly request: WireRequest;
  readonly signal: AbortSignal | undefined;
  readonly verify: boolean;
}

/** A document that has begun to arrive. */
export interface Arrival {
  readonly head: ResponseHead;
  readonly body: Body;
  /** How many bytes the document will have, where the answer tells. */
  readonly promisedBytes: number | undefined;
}

/** What hears how an attempt went: exactly one of the two, once. */
export interface Outcome {
  onArrival(arrival: Arrival): void;
  onFailure(error: unknown): void;
}

/** One try: hears the events of the exchange, proves the document, bounds what is kept. */
export class Attempt implements Receiver, BodyOwner, AbortListener {
  readonly #call: AttemptedCall;
  readonly #outcome: Outcome;
  readonly #exchange: Exchange;
  readonly #verifier: Verifier | undefined;
  #head: ResponseHead | undefined;
  #body: Body | undefined;
  /** Bytes that came before it was clear what they are. */
  #first: Uint8Array[] = [];
  #receivedBytes = 0;
  #promisedBytes: number | undefined;
  /** Whether the request left; `undefined` where the transport cannot see that. */
  #sent: boolean | undefined;
  #failed = false;

  constructor(call: AttemptedCall, transport: Transport, outcome: Outcome) {
    this.#call = call;
    this.#outcome = outcome;
    this.#verifier = call.verify ? new Verifier() : undefined;
    this.#sent = transport.sees.sending ? false : undefined;
    this.#exchange = transport.open(call.request, this);
  }

  /** Sends the request. */
  start(): void {
    const { signal } = this.#call;
    if (signal?.aborted) return this.cancel(signal.reason);
    this.onRead();
    this.#exchange.send();
  }

  /** Ends the attempt at any moment: frees the socket, and fails whoever waits with `reason`. */
  cancel(reason: unknown): void {
    this.#exchange.abort(reason);
    this.#giveUp(reason);
  }

  onAbort(): void {
    this.cancel(this.#call.signal?.reason);
  }

  onRead(): void {
    const { signal } = this.#call;
    if (signal?.aborted) this.cancel(signal.reason);
    else if (signal) listenToAbort(signal, this);
  }

  onRest(): void {
    if (this.#call.signal) forgetAbort(this.#call.signal, this);
  }

  // Events of the exchange.

  onSent(): void {
    if (this.#sent === false) this.#sent = true;
  }

  onHead(head: ResponseHead): void {
    this.#head = head;
    if (!isSuccess(head)) return;
    if (head.undecoded !== undefined) return this.#stop(errors.undecoded(head, this.#call));
    this.#promisedBytes = head.decoded ? undefined : lengthOf(head);
    if (!this.#verifier) this.#arrive(head);
  }

  onChunk(chunk: Uint8Array): void {
    this.#receivedBytes += chunk.length;
    const head = this.#head as ResponseHead;
    if (!isSuccess(head)) {
      this.#first.push(chunk);
      if (this.#receivedBytes > maxErrorBytes) this.#stop(apiError(head, this.#firstText(), this.#call));
      return;
    }
    this.#verifier?.update(chunk);
    if (this.#body) return this.#body.write(chunk);
    this.#first.push(chunk);
    if (this.#verifier?.begins) this.#arrive(head);
    else if (this.#verifier?.begins === false)
      this.#stop(errors.notAPdf(head, this.#firstText(), this.#call));
  }

  onEnd(): void {
    const head = this.#head as ResponseHead;
    if (!isSuccess(head)) return this.#giveUp(apiError(head, this.#firstText(), this.#call));
    const missing = this.#promisedBytes !== undefined && this.#receivedBytes < this.#promisedBytes;
    if (missing) return this.#giveUp(errors.cutOff(head, this.#received(), this.#call));
    if (!this.#body) return this.#giveUp(errors.notAPdf(head, this.#firstText(), this.#call));
    if (this.#verifier?.ends() === false)
      return this.#giveUp(errors.cutOff(head, this.#received(), this.#call));
    this.#body.end();
  }

  onFailure(cause: unknown): void {
    const head = this.#head;
    if (!head) return this.#giveUp(errors.notConnected(cause, this.#sent, this.#call));
    if (!isSuccess(head)) return this.#giveUp(apiError(head, this.#firstText(), this.#call, cause));
    this.#giveUp(errors.cutOff(head, this.#received(), this.#call, cause));
  }

  /** It begins as a PDF begins: from here on it is a document. */
  #arrive(head: ResponseHead): void {
    const body = new Body(this.#exchange, this);
    this.#body = body;
    for (const chunk of this.#first) body.write(chunk);
    this.#first = [];
    this.#outcome.onArrival({ head, body, promisedBytes: this.#promisedBytes });
  }

  /** Ends an exchange of which nothing more is wanted. */
  #stop(error: unknown): void {
    this.#exchange.abort(error);
    this.#giveUp(error);
  }

  #giveUp(error: unknown): void {
    if (this.#body) return this.#body.fail(error);
    if (this.#failed) return;
    this.#failed = true;
    this.onRest();
    this.#outcome.onFailure(error);
  }

  #received(): errors.Received {
    return { receivedBytes: this.#receivedBytes, promisedBytes: this.#promisedBytes };
  }

  /** The text of what came first, as much of it as an error may keep. */
  #firstText(): string {
    const decoder = new TextDecoder();
    let text = "";
    let left = maxErrorBytes;
    for (const chunk of this.#first) {
      text += decoder.decode(chunk.subarray(0, left), { stream: true });
      left = Math.max(0, left - chunk.length);
    }
    return text + decoder.decode();
  }
}

/** Any 2xx: the spec shows no status code. */
function isSuccess(head: ResponseHead): boolean {
  return head.status >= 200 && head.status < 300;
}

/** The length that the answer promises (RFC 9110, 8.6); `undefined` where it promises none. */
function lengthOf(head: ResponseHead): number | undefined {
  const text = head.header("content-length");
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
