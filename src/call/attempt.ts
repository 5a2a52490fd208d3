import { ConfigurationError } from "../errors/errors.ts";
import { decodeUtf8 } from "../runtime/environment.ts";
import { contentLengthOf, type ResponseHead } from "../transport/response-head.ts";
import type { Exchange, Receiver, Transport, WireRequest } from "../transport/transport.ts";
import { apiError, type CallFacts, type KnownFacts, maxErrorBytes, retryAfterOf } from "./api-error.ts";
import * as errors from "./attempt-errors.ts";
import { Body } from "./body.ts";
import type { Call } from "./call.ts";
import { ChunkList } from "./chunks.ts";
import { PdfCheck } from "./pdf-check.ts";
import { type Failure, repeatAfter } from "./retry-policy.ts";
import { Timer } from "./timer.ts";

/** The timeout for the body of an error response. Reporting the error matters more than its full text. */
const longestErrorBodyMs = 10_000;

/** A response whose document has begun to arrive. */
export interface PdfResponse {
  readonly head: ResponseHead;
  readonly body: Body;
  /** The length of the document in bytes, if the response declares it. */
  readonly contentLength: number | undefined;
  /** The facts about the call that error messages may contain. */
  readonly facts: KnownFacts;
}

/** One attempt: sends the request, enforces timeouts and size limits, and checks that the document is complete. */
export class Attempt implements Receiver {
  readonly call: Call;
  /** The document, once it has begun to arrive. */
  body: Body | undefined;
  readonly #facts: KnownFacts;
  readonly #transport: Transport;
  readonly #exchange: Exchange;
  readonly #check: PdfCheck | undefined;
  readonly #timer = new Timer(this);
  /** The phase that the timer limits. */
  #phase: errors.AttemptPhase | undefined;
  #limitMs = 0;
  #fail!: (failure: Failure) => void;
  #head: ResponseHead | undefined;
  /** Bytes that arrived before the type of the response was known. */
  #first: ChunkList | undefined;
  #receivedBytes = 0;
  #promisedBytes: number | undefined;
  /** Whether it is certain that the request was not sent. */
  #isUnsent: boolean;

  constructor(call: Call, request: WireRequest, facts: KnownFacts, transport: Transport) {
    this.call = call;
    this.#facts = facts;
    this.#transport = transport;
    this.#check = call.settings.verify ? new PdfCheck() : undefined;
    this.#isUnsent = transport.sees.sending;
    this.#exchange = transport.open(request, this);
  }

  /** Sends the request. The promise stays pending unless the attempt fails. */
  run(): Promise<Failure> {
    return new Promise((resolve) => {
      this.#fail = resolve;
      this.#exchange.send();
      // On a free connection the request is already sent, so no timer is needed.
      if (this.#isUnsent && this.#transport.sees.connecting && !this.call.isOver) this.#limit("connect");
    });
  }

  /** Aborts the attempt: frees the socket, and fails the current output with `reason`. */
  cancel(reason: unknown): void | Promise<void> {
    this.#limit(undefined);
    this.#exchange.abort(reason);
    return this.body?.fail(reason);
  }

  onTimeOver(): void {
    const phase = this.#phase as errors.AttemptPhase;
    const limitMs = this.#limitMs;
    const head = this.#head;
    const failure = this.#failure(phase === "connect" ? "safe" : "ambiguous", (call) =>
      errors.timedOut(phase, limitMs, this.#received(), head, call),
    );
    if (head && !isSuccess(head)) this.#stop(this.#refusal(errors.refusalOver(limitMs, head, this.#facts)));
    else if (phase !== "unread") this.#stop(failure);
    else if (!this.body?.isRead || this.body.isUntouched) this.call.fail(failure.error(""));
  }

  // Called by the body.

  /** Whether no more bytes will arrive. */
  get hasEnded(): boolean {
    return this.call.state !== "body";
  }

  onRead(isStream: boolean): void {
    if (!this.hasEnded && this.body?.isPaused) this.onPaused();
    // The timeout for the first byte does not depend on readers.
    else if (!this.hasEnded && this.#receivedBytes > 0) this.#limit("stall");
    this.call.onRead(isStream);
  }

  onPaused(): void {
    // If nothing reads the document, `unread` is already running. A reader may be slow, but a stream that was never read counts
    // as unread.
    if (this.body?.isRead) this.#limit(this.body.isUntouched ? "unread" : undefined);
  }

  onResumed(): void {
    this.#limit("stall");
  }

  // Called by the transport.

  onSent(): void {
    this.#isUnsent = false;
    this.#limit("firstByte");
  }

  onHead(head: ResponseHead): void {
    this.#head = head;
    this.call.onHead(head, this.#facts);
    if (this.call.isOver) return;
    if (!isSuccess(head)) {
      const limitMs = Math.min(this.call.settings.timeouts.stall, longestErrorBodyMs);
      return this.#limit("stall", limitMs);
    }
    if (head.undecoded !== undefined) {
      return this.#stop(this.#failure("never", (call) => errors.undecoded(head, call)));
    }
    this.#promisedBytes = contentLengthOf(head);
    if (!this.#check) this.#begin(head);
  }

  onChunk(chunk: Uint8Array): void {
    this.#receivedBytes += chunk.length;
    const head = this.#head as ResponseHead;
    if (!isSuccess(head)) {
      this.#keep(chunk);
      if (this.#receivedBytes > maxErrorBytes) this.#stop(this.#refusal());
      return;
    }
    if (this.#phase === "stall") this.#timer.set(this.#limitMs);
    else if (this.#phase === "firstByte") this.#limit(this.body?.isRead === false ? "unread" : "stall");
    this.#check?.update(chunk);
    if (this.body) {
      this.body.write(chunk);
      return this.call.onProgress(this.#receivedBytes, head);
    }
    if (this.#check?.begins) return this.#begin(head, chunk);
    this.#keep(chunk);
    if (this.#check?.begins === false) this.#stop(this.#notAPdf(head));
  }

  onEnd(): void {
    const head = this.#head as ResponseHead;
    if (!isSuccess(head)) return this.#fail(this.#refusal());
    if (this.#receivedBytes < (this.#promisedBytes ?? 0)) return this.#fail(this.#truncated(head));
    if (!this.body) return this.#fail(this.#notAPdf(head));
    if (this.#check?.ends() === false) return this.#fail(this.#truncated(head));
    this.#limit(undefined);
    this.call.state = "received";
    this.body.end();
  }

  onFailure(cause: unknown): void {
    const head = this.#head;
    // A mistake in a custom `fetch` or dispatcher may show only in the body.
    if (!head || ConfigurationError.is(cause)) return this.#fail(this.#noAnswer(cause));
    this.#fail(isSuccess(head) ? this.#truncated(head, cause) : this.#refusal(cause));
  }

  /** The response begins with a PDF header: from here on it is a document. */
  #begin(head: ResponseHead, chunk?: Uint8Array): void {
    const body = new Body(this.#exchange, this);
    this.body = body;
    this.call.state = "body";
    // The output comes first, so that bytes need not be copied for it.
    this.call.onDocument({ head, body, contentLength: this.#promisedBytes, facts: this.#facts });
    for (const earlier of this.#first?.take() ?? []) body.write(earlier);
    this.#first = undefined;
    if (chunk) body.write(chunk);
    if (this.#receivedBytes === 0) return;
    this.call.onProgress(this.#receivedBytes, head);
    if (!this.hasEnded && !body.isRead) this.#limit("unread");
  }

  /** Starts the timeout of the next phase; `undefined` for none. */
  #limit(phase: errors.AttemptPhase | undefined, limitMs = this.#limitOf(phase)): void {
    this.#phase = phase;
    this.#limitMs = limitMs;
    this.#timer.set(limitMs);
  }

  #limitOf(phase: errors.AttemptPhase | undefined): number {
    return phase ? this.call.settings.timeouts[phase] : Number.POSITIVE_INFINITY;
  }

  #keep(chunk: Uint8Array): void {
    this.#first ??= new ChunkList();
    this.#first.add(chunk);
  }

  /** Aborts an exchange whose remaining data is not needed. */
  #stop(failure: Failure): void {
    this.#exchange.abort(undefined);
    this.#fail(failure);
  }

  #failure(repeat: Failure["repeat"], error: (call: CallFacts) => unknown, retryAfterMs?: number): Failure {
    return { repeat, retryAfterMs, error: (note) => error({ ...this.#facts, note }) };
  }

  #noAnswer(cause: unknown): Failure {
    const explained = this.#transport.explain?.(cause);
    const isUnsent = explained?.unsent || this.#isUnsent;
    const isFinal = errors.isPassedOn(cause) || explained?.isLasting;
    const repeat = isFinal ? "never" : isUnsent ? "safe" : "ambiguous";
    return this.#failure(repeat, (call) => errors.notConnected(cause, isUnsent, call, explained));
  }

  #refusal(cause?: unknown): Failure {
    const head = this.#head as ResponseHead;
    const text = this.#firstText();
    const repeat = repeatAfter(head.status, text);
    return this.#failure(repeat, (call) => apiError(head, text, call, cause), retryAfterOf(head));
  }

  #notAPdf(head: ResponseHead): Failure {
    const text = this.#firstText();
    return this.#failure("never", (call) => errors.notAPdf(head, text, call));
  }

  #truncated(head: ResponseHead, cause?: unknown): Failure {
    const received = this.#received();
    return this.#failure("ambiguous", (call) => errors.cutOff(head, received, call, cause));
  }

  #received(): errors.Received {
    return { receivedBytes: this.#receivedBytes, promisedBytes: this.#promisedBytes };
  }

  /** Returns the first bytes as text, up to the length that an error may contain. */
  #firstText(): string {
    return decodeUtf8(this.#first?.concatenate().subarray(0, maxErrorBytes) ?? new Uint8Array());
  }
}

/** Every 2xx status is a success, because the specification lists no status codes. */
function isSuccess(head: ResponseHead): boolean {
  return head.status >= 200 && head.status < 300;
}
