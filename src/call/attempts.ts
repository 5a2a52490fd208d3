import { type DocumentCall, GeneratedPdf } from "../document/generated-pdf.ts";
import type { Redactor } from "../errors/redact.ts";
import { noHooks, unharmedBy } from "../options/hooks.ts";
import type { ResolvedCall } from "../options/options.ts";
import type { ResponseHead } from "../transport/response-head.ts";
import { contentLengthOf, expectedLengthOf, requestIdOf } from "../transport/response-head.ts";
import type { CapturedContext, Transport, WireRequest } from "../transport/transport.ts";
import { type AbortListener, type AbortSubscription, listenToAbort } from "./abort-signals.ts";
import type { Launch, Listener } from "./asking.ts";
import { type Arrival, Attempt, type AttemptedCall, type AttemptOwner, type Failure } from "./attempt.ts";
import { totalOver } from "./attempt-errors.ts";
import { CallEvents } from "./call-events.ts";
import { type Decision, decide } from "./retry-policy.ts";
import type { Supervisor } from "./supervisor.ts";
import { Alarm, type AlarmListener } from "./timer.ts";

/** What is to be done: one call, from its arguments. */
export interface Job {
  readonly uid: string;
  /** Scheme, host and port of `baseUrl`. */
  readonly origin: string;
  /** The path prefix of `baseUrl`. */
  readonly basePath: string;
  readonly options: ResolvedCall;
  /** What is wrong with the arguments, if anything is. */
  readonly problem: { readonly error: unknown } | undefined;
  /**
   * Makes what one attempt needs; anew for every one, because the key may have been rotated.
   *
   * @param attempts - how many there were
   * @param lastError - what the last of them failed with
   */
  prepare(attempts: number, lastError: unknown): Prepared | Promise<Prepared>;
  /** See `TransportPool.captureContext`. */
  captureContext(): CapturedContext | undefined;
  /** Hears that what was over goes on: a document that had come whole is being written. */
  stay(): void;
  /** Hears that nothing more will be sent, and nothing more is to come. */
  leave(): void;
}

/** What one attempt needs. */
export interface Prepared {
  readonly request: WireRequest;
  readonly secrets: Redactor;
  readonly transport: Transport;
}

/** The loop: try, decide, wait, try again; until there is a whole document, or nothing more to hope for. */
export class Attempts implements Launch, AttemptOwner, AbortListener, AlarmListener {
  readonly #job: Job;
  readonly #startedAtMs = performance.now();
  /** What tells the hooks, where there are any. */
  readonly #events: CallEvents | undefined;
  /** The asynchronous context of the call, where somebody is to be told something in it. */
  readonly #context: CapturedContext | undefined;
  readonly #total = new Alarm(this);
  /**
   * Lets the loop go on, in the asynchronous context that the call was made in. The clock is everybody's, and the
   * events of a socket come in the context of whoever opened it: a key source that goes by the context would give
   * another tenant's key there.
   */
  #goOn: (() => void) | undefined;
  #pause: Alarm | undefined;
  #subscription: AbortSubscription | undefined;
  #listener: Listener | undefined;
  #attempt: Attempt | undefined;
  #call: DocumentCall | undefined;
  #count = 0;
  /** What the last attempt failed with. */
  #lastError: unknown;
  /** A document that broke and is to be asked for again, as soon as its form has heard of it. */
  #broken: { readonly error: unknown; readonly delayMs: number } | undefined;
  /** The document is read by a form that shows its bytes while they come. */
  #isStreamed = false;
  /** Nothing of the caller's waits any more. */
  #atRest = false;
  /** A form has read the document to its end: whatever comes now is no failure of the call. */
  #isRead = false;
  /** The call has failed, or was given up. */
  #ended: { readonly error: unknown } | undefined;

  constructor(job: Job) {
    this.#job = job;
    const { hooks, onProgress } = job.options;
    const before = this.#supervisor?.begin();
    if (before) ({ attempts: this.#count, lastError: this.#lastError } = before);
    if (hooks === noHooks && !onProgress) return;
    this.#context = job.captureContext();
    if (hooks !== noHooks) this.#events = new CallEvents(hooks, job.uid, this.#startedAtMs, this.#context);
  }

  get isSupervised(): boolean {
    return this.#supervisor !== undefined;
  }

  start(listener: Listener): void {
    this.#listener = listener;
    const { problem, options } = this.#job;
    const { signal, timeouts } = options;
    if (problem) return this.#end(problem.error);
    if (signal?.aborted) return this.#end(signal.reason);
    if (signal) this.#subscription = listenToAbort(signal, this);
    this.#next();
    // After the limits of the attempt, which are shorter: so the clock is set once. A mock may have given the whole
    // document by now.
    if (!this.#atRest && !this.#isHandedOver) this.#total.set(timeouts.total);
  }

  /** Ends the call at any moment; whoever waits gets `reason`. */
  cancel(reason: unknown): void {
    if (this.#attempt) this.#attempt.cancel(reason);
    this.#end(reason);
  }

  canRepeat(error: unknown): boolean {
    return this.#broken !== undefined && this.#broken.error === error;
  }

  repeat(): void {
    const broken = this.#broken;
    this.#broken = undefined;
    if (this.#ended) this.#listener?.onFailure(this.#ended.error);
    else if (broken) this.#tryAgain(broken.error, broken.delayMs);
  }

  /** The caller's signal. */
  onAbort(): void {
    this.cancel(this.#job.options.signal?.reason);
  }

  /** `timeouts.total`. */
  onTimeOver(): void {
    this.cancel(totalOver(this.#job.options.timeouts.total, this.#count, this.#job, this.#lastError));
  }

  // Events of the attempt.

  onHead(head: ResponseHead): void {
    this.#events?.tell("response", this.#count, () => {
      const requestId = requestIdOf(head);
      const safeId = requestId && this.#call?.secrets.withoutSecrets(requestId);
      const contentLength = contentLengthOf(head);
      return { status: head.status, requestId: safeId, contentLength };
    });
  }

  onArrival(arrival: Arrival): void {
    this.#listener?.onDocument(new GeneratedPdf(arrival, this.#call as DocumentCall));
  }

  onProgress(receivedBytes: number, head: ResponseHead): void {
    const { onProgress } = this.#job.options;
    if (!onProgress || this.#ended) return;
    const expectedBytes = expectedLengthOf(head);
    const totalBytes = receivedBytes > (expectedBytes ?? 0) ? undefined : expectedBytes;
    const listener = () => onProgress(Object.freeze({ receivedBytes, totalBytes }));
    if (this.#context) this.#context.runInAsyncScope(unharmedBy, undefined, listener);
    else unharmedBy(listener);
  }

  onFailure(failure: Failure): void {
    const decision = this.#decide(failure);
    if ("why" in decision) this.#end(failure.error(this.#note(decision.why)));
    else if (this.#supervisor) this.#end(failure.error(""), decision.delayMs);
    else this.#tryAgain(failure.error(""), decision.delayMs);
  }

  onBroken(failure: Failure): unknown {
    const mayRepeat = this.#supervisor || (!this.#isStreamed && this.#listener?.mayRepeat());
    const decision = mayRepeat ? this.#decide(failure) : { why: "" };
    const error = failure.error("why" in decision ? this.#note(decision.why) : "");
    if ("why" in decision) this.#end(error);
    else if (this.#supervisor) this.#end(error, decision.delayMs);
    else this.#broken = { error, delayMs: decision.delayMs };
    return error;
  }

  onGivenUp(reason: unknown): void {
    this.#end(reason);
  }

  onRead(isStream: boolean): void {
    if (this.#ended) return;
    if (this.#atRest) this.#goOnFromRest();
    this.#isStreamed = isStream;
    if (this.#isHandedOver) this.#total.clear();
    const { signal } = this.#job.options;
    if (signal?.aborted) this.cancel(signal.reason);
    else if (signal) this.#subscription ??= listenToAbort(signal, this);
  }

  onRest(isRead: boolean): void {
    if (this.#broken) return;
    if (isRead && !this.#ended) this.#supervisor?.onWhole(this.#count);
    this.#isRead = isRead;
    this.#rest();
  }

  /** Who decides in place of this loop, if anybody does. */
  get #supervisor(): Supervisor | undefined {
    return this.#job.options.supervisor;
  }

  /** Milliseconds since the call began. */
  get #elapsedMs(): number {
    return performance.now() - this.#startedAtMs;
  }

  /** A stream was given out, and its reader sets the pace. */
  get #isHandedOver(): boolean {
    return this.#isStreamed && !this.#job.options.isTotalExplicit;
  }

  /** A document that had come whole is read: writing it to a file may still take long, or for ever. */
  #goOnFromRest(): void {
    this.#atRest = false;
    this.#job.stay();
    const { total } = this.#job.options.timeouts;
    const leftMs = total - this.#elapsedMs;
    // Whoever took longer over it than everything may take has the whole time once more.
    this.#total.set(leftMs > 0 ? leftMs : total);
  }

  #next(): void {
    if (this.#ended) return;
    // A promise's continuation runs where it was asked for: here.
    if (!this.#supervisor && this.#count < this.#job.options.retry.limit) {
      new Promise<void>((resolve) => {
        this.#goOn = resolve;
      }).then(() => this.#next());
    }
    try {
      const prepared = this.#job.prepare(this.#count, this.#lastError);
      if (!(prepared instanceof Promise)) return this.#try(prepared);
      prepared.then((later) => this.#try(later)).catch((error) => this.#end(error));
    } catch (error) {
      this.#end(error);
    }
  }

  #try({ request, secrets, transport }: Prepared): void {
    if (this.#ended) return;
    const { uid, origin, basePath, options } = this.#job;
    const { verify, maxBytes, timeouts } = options;
    this.#count++;
    const call: DocumentCall & AttemptedCall = {
      uid,
      origin,
      basePath,
      attempts: this.#count,
      secrets,
      request,
      verify,
      maxBytes,
      limits: timeouts,
    };
    this.#call = call;
    this.#events?.tell("request", this.#count, () => ({
      method: "POST" as const,
      url: request.origin + request.path,
    }));
    // The hook may have given the call up.
    if (this.#ended) return;
    this.#attempt = new Attempt(call, transport, this);
    this.#attempt.start();
  }

  #decide(failure: Failure): Decision {
    const { retry, timeouts } = this.#job.options;
    if (this.#supervisor) return this.#supervisor.onSetback(failure, this.#count, retry);
    return decide(failure, this.#count, retry, timeouts.total - this.#elapsedMs, Math.random);
  }

  #tryAgain(error: unknown, delayMs: number): void {
    this.#lastError = error;
    this.#attempt = undefined;
    this.#events?.tell("retry", this.#count, () => ({ error, delayMs }));
    if (this.#ended) return;
    this.#pause ??= new Alarm({ onTimeOver: () => this.#goOn?.() });
    this.#pause.set(delayMs);
  }

  #note(why: string): string {
    return `${this.#count > 1 ? ` Tried ${this.#count} times.` : ""}${why}`;
  }

  /** @param delayMs - how long until another call, where the supervisor has one follow */
  #end(error: unknown, delayMs?: number): void {
    if (this.#ended || this.#isRead) return;
    this.#ended = { error };
    this.#supervisor?.onFailure(error, this.#count);
    this.#rest();
    if (delayMs === undefined) this.#events?.tell("error", this.#count, () => ({ error }));
    else this.#events?.tell("retry", this.#count, () => ({ error, delayMs }));
    this.#listener?.onFailure(error);
  }

  /** Lets go of everything that watched over the call. */
  #rest(): void {
    this.#atRest = true;
    this.#total.clear();
    this.#pause?.clear();
    this.#subscription?.end();
    this.#subscription = undefined;
    this.#job.leave();
  }
}
