import { ConfigurationError } from "../errors/errors.ts";
import type { ResolvedCall } from "../options/call-options.ts";
import { decodeUtf8 } from "../runtime/environment.ts";
import {
  contentLengthOf,
  type Exchange,
  type Receiver,
  type ResponseHead,
  type Transport,
} from "../transport/transport.ts";
import { maxErrorBytes } from "./api-error.ts";
import {
  type AttemptFailure,
  decodedAsText,
  noResponse,
  notAPdf,
  type Received,
  refusal,
  refusalOver,
  timedOut,
  truncated,
  undecoded,
} from "./attempt-failures.ts";
import { Body, type BodyEvents, type BodySource } from "./body.ts";
import { ChunkList } from "./chunks.ts";
import { PdfCheck } from "./pdf-check.ts";
import type { Phase, PhaseTimeouts } from "./phase-timeouts.ts";
import type { SentRequest } from "./sent-request.ts";

/** A response whose document has begun to arrive. */
export interface PdfResponse {
  readonly head: ResponseHead;
  readonly body: Body;
  /** The length of the document in bytes, if the response declares it. */
  readonly contentLength: number | undefined;
  readonly request: SentRequest;
}

/** What an attempt reports to its call. Its failure is the result of `run`. */
export interface AttemptEvents extends BodyEvents {
  /** The headers of a response have arrived, with any status. */
  onHead(head: ResponseHead, request: SentRequest): void;
  /** A document begins to arrive. */
  onDocument(response: PdfResponse): void;
  onProgress(receivedBytes: number, head: ResponseHead): void;
  /** An output begins to read the document. */
  onRead(): void;
  /** Every byte of the document has arrived. */
  onArrived(): void;
}

/** One attempt: sends the request, and checks that the response is a complete document. */
export class Attempt implements Receiver, BodySource {
  /** The document, once it has begun to arrive. */
  body: Body | undefined;
  readonly #request: SentRequest;
  readonly #transport: Transport;
  readonly #exchange: Exchange;
  readonly #timeouts: PhaseTimeouts;
  readonly #events: AttemptEvents;
  readonly #verifies: boolean;
  /** The check of a document; missing until its headers have arrived. */
  #check: PdfCheck | undefined;
  /** Settles the promise of `run`. */
  #fail!: (failure: AttemptFailure) => void;
  /** Whether the document has arrived, or the attempt was cancelled. */
  #isOver = false;
  #head: ResponseHead | undefined;
  /** Bytes that arrived before the type of the response was known. */
  #first: ChunkList | undefined;
  #receivedBytes = 0;
  #promisedBytes: number | undefined;
  /** Whether it is certain that the request was not sent. */
  #isUnsent: boolean;

  constructor(
    request: SentRequest,
    transport: Transport,
    timeouts: PhaseTimeouts,
    { verify }: Pick<ResolvedCall, "verify">,
    events: AttemptEvents,
  ) {
    this.#request = request;
    this.#transport = transport;
    this.#timeouts = timeouts;
    this.#events = events;
    this.#verifies = verify;
    this.#isUnsent = transport.sees.sending;
    this.#exchange = transport.open(request, this);
  }

  /** Sends the request. The promise stays pending unless the attempt fails. */
  run(): Promise<AttemptFailure> {
    return new Promise((resolve) => {
      this.#fail = resolve;
      this.#exchange.send();
      // On a free connection the request is already sent, so no timer is needed.
      if (this.#isUnsent && this.#transport.sees.connecting && !this.#isOver) this.#timeouts.after("opened");
    });
  }

  /** Aborts the attempt: frees the socket, and fails the current output with `reason`. */
  cancel(reason: unknown): void | Promise<void> {
    this.#isOver = true;
    this.#timeouts.after("ended");
    this.#exchange.abort(reason);
    return this.body?.fail(reason);
  }

  /** Called when a timeout other than `total` is reached. */
  onPhaseOver(phase: Phase, limitMs: number): void {
    const head = this.#head;
    if (phase === "refusal") {
      return this.#stop(this.#refusal(refusalOver(limitMs, head as ResponseHead, this.#request)));
    }
    const proxy = this.#transport.proxyOf?.(this.#request.origin);
    const failure = timedOut(phase, limitMs, this.#received, head, this.#request, proxy);
    if (phase !== "unread") this.#stop(failure);
    else if (this.body?.readState !== "reading") this.#events.onCancelled(failure.error(""));
  }

  // Called by the transport.

  onSent(): void {
    this.#isUnsent = false;
    this.#timeouts.after("sent");
  }

  onHead(head: ResponseHead): void {
    this.#head = head;
    this.#events.onHead(head, this.#request);
    // A hook may have cancelled the call.
    if (this.#isOver) return;
    if (!isSuccess(head)) return this.#timeouts.after("refused");
    if (head.unsupportedCoding !== undefined) return this.#stop(undecoded(head, this.#request));
    this.#promisedBytes = contentLengthOf(head);
    if (this.#verifies) this.#check = new PdfCheck();
    else this.#begin(head);
  }

  onChunk(chunk: Uint8Array): void {
    const head = this.#head as ResponseHead;
    const isFirst = this.#receivedBytes === 0;
    this.#receivedBytes += chunk.length;
    if (!isSuccess(head)) {
      this.#keep(chunk);
      if (this.#receivedBytes > maxErrorBytes) this.#stop(this.#refusal());
      return;
    }
    this.#check?.update(chunk);
    if (!this.body && this.#check?.begins) return this.#begin(head, chunk);
    if (isFirst) this.#timeouts.after(this.body ? "document" : "bytes", this.body?.readState);
    else this.#timeouts.moreBytes();
    if (!this.body) this.#keep(chunk);
    if (this.#check?.begins === false) return this.#stop(this.#notAPdf(head, this.#check));
    if (!this.body) return;
    this.body.write(chunk);
    this.#events.onProgress(this.#receivedBytes, head);
  }

  onEnd(): void {
    const head = this.#head as ResponseHead;
    if (!isSuccess(head)) return this.#fail(this.#refusal());
    if (this.#receivedBytes < (this.#promisedBytes ?? 0)) return this.#fail(this.#truncated(head));
    if (this.#check && !this.#check.begins) return this.#fail(this.#notAPdf(head, this.#check));
    if (this.#check?.ends() === false) return this.#fail(this.#truncated(head));
    this.#isOver = true;
    this.#timeouts.after("ended");
    this.#events.onArrived();
    this.body?.end();
  }

  onFailure(cause: unknown): void {
    const head = this.#head;
    // A mistake in a custom `fetch` or dispatcher may show only in the body.
    if (!head || ConfigurationError.is(cause)) {
      const explained = this.#transport.explain?.(cause, this.#request.origin);
      return this.#fail(noResponse(cause, explained, this.#isUnsent, this.#request));
    }
    if (!isSuccess(head)) return this.#fail(this.#refusal(cause));
    // If decoding fails later, bytes were damaged or lost.
    if (this.#receivedBytes === 0 && this.#transport.explain?.(cause, this.#request.origin)?.isUndecodable) {
      return this.#fail(undecoded(head, this.#request, cause));
    }
    this.#fail(this.#truncated(head, cause));
  }

  // Called by the body.

  onRead(): void {
    const body = this.body as Body;
    // The timeout for the first byte does not depend on readers.
    if (!this.#isOver && this.#receivedBytes > 0)
      this.#timeouts.after(body.isPaused ? "paused" : "read", body.readState);
    this.#events.onRead();
  }

  onPaused(): void {
    this.#timeouts.after("paused", this.body?.readState);
    this.#exchange.pause();
  }

  onResumed(): void {
    this.#timeouts.after("resumed");
    this.#exchange.resume();
  }

  /** The response begins with a PDF header: from here on it is a document. */
  #begin(head: ResponseHead, chunk?: Uint8Array): void {
    const body = new Body(this, this.#events);
    this.body = body;
    // The output comes first, so that bytes need not be copied for it.
    this.#events.onDocument({ head, body, contentLength: this.#promisedBytes, request: this.#request });
    if (!chunk || this.#isOver) return;
    this.#timeouts.after("document", body.readState);
    for (const earlier of this.#first?.take() ?? []) body.write(earlier);
    this.#first = undefined;
    body.write(chunk);
    this.#events.onProgress(this.#receivedBytes, head);
  }

  #keep(chunk: Uint8Array): void {
    this.#first ??= new ChunkList();
    this.#first.add(chunk);
  }

  /** Aborts an exchange whose remaining data is not needed. */
  #stop(failure: AttemptFailure): void {
    this.#exchange.abort(undefined);
    this.#fail(failure);
  }

  #refusal(cause?: unknown): AttemptFailure {
    return refusal(this.#head as ResponseHead, this.#firstText(), this.#request, cause);
  }

  #notAPdf(head: ResponseHead, { wasDecoded }: PdfCheck): AttemptFailure {
    return (wasDecoded ? decodedAsText : notAPdf)(head, this.#firstText(), this.#request);
  }

  #truncated(head: ResponseHead, cause?: unknown): AttemptFailure {
    return truncated(head, this.#received, this.#request, cause);
  }

  get #received(): Received {
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
