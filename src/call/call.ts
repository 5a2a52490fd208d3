import { addCaller } from "../errors/caller-stack.ts";
import { ConfigurationError } from "../errors/errors.ts";
import { isAnyObject } from "../errors/value-kinds.ts";
import { type CallOptions, type ResolvedCall, resolveCall } from "../options/call-options.ts";
import type { CallEvent, EventOf, Hooks } from "../options/hooks.ts";
import { readApiKey } from "../request/api-key.ts";
import { pathTo } from "../request/endpoint.ts";
import { buildHeaders } from "../request/headers.ts";
import { type AnyTemplate, type CheckedTemplate, serializer } from "../request/schema.ts";
import { serializeValues } from "../request/serialize-values.ts";
import { ownOption } from "../runtime/own-options.ts";
import { contentLengthOf, type ResponseHead, requestIdOf } from "../transport/transport.ts";
import { type AbortListener, abortReasonOf, listenToAbort, stopListening } from "./abort-signals.ts";
import { Attempt, type AttemptEvents, type PdfResponse } from "./attempt.ts";
import { type AttemptFailure, totalOver, triedTimes } from "./attempt-failures.ts";
import type { BulkAttempt } from "./bulk-attempt.ts";
import { CallObserver } from "./call-observer.ts";
import { checkOpen, type SharedState } from "./calls-in-flight.ts";
import { type Phase, PhaseTimeouts, type TimeoutListener } from "./phase-timeouts.ts";
import { type Decision, decide } from "./retry-policy.ts";
import { SentRequest } from "./sent-request.ts";

/** The state of a call. A call with invalid arguments fails when it starts. */
type CallState = "invalid" | "running" | "over";

/** What a call reports to its pending result. */
export interface CallListener {
  /** Whether a truncated document may be replaced by another, because the caller has not seen any of it. */
  readonly isReplaceable: boolean;
  /** A document begins to arrive. */
  onDocument(response: PdfResponse): void;
  /** The document is truncated, and another one will replace it. */
  onReplaced(): void;
  onFailed(error: unknown): void;
}

/**
 * One call to `generate`, from its arguments to a complete document or an error. The values are serialized
 * immediately, so later changes have no effect. Invalid arguments fail the call when it starts; the
 * constructor never throws.
 */
export class Call implements AttemptEvents, AbortListener, TimeoutListener {
  readonly settings: ResolvedCall;
  /** The bulk job that this call makes one attempt at. The run handles failures. */
  readonly bulk: BulkAttempt | undefined;
  readonly #client: SharedState;
  readonly #startedAtMs = performance.now();
  #state: CallState = "running";
  #uid = "";
  #path = "";
  /** The JSON body; a promise if the template's schema is asynchronous. */
  #json: string | Promise<string> = "";
  /** The error of the arguments, then of the last attempt, and finally of the call. */
  #error: unknown;
  #attempts = 0;
  #attempt: Attempt | undefined;
  /** The request of the last attempt. */
  #request: SentRequest | undefined;
  #timeouts: PhaseTimeouts | undefined;
  /** Ends the delay before a retry. */
  #endRetryDelay: (() => void) | undefined;
  #listener: CallListener | undefined;
  readonly #observer: CallObserver | undefined;
  /** Whether the client's `close()` waits for this call. */
  #isRegistered = false;

  constructor(
    client: SharedState,
    uidOrTemplate: string | AnyTemplate,
    values: unknown,
    options: CallOptions | undefined,
    bulk?: BulkAttempt,
  ) {
    this.#client = client;
    this.bulk = bulk;
    this.#attempts = bulk?.attempts ?? 0;
    this.#error = bulk?.lastError;
    let { settings } = client;
    try {
      checkOpen(client);
      client.calls.enter();
      this.#isRegistered = true;
      if (options !== undefined) settings = resolveCall(client.options, options);
      const template: CheckedTemplate | undefined = isAnyObject(uidOrTemplate) ? uidOrTemplate : undefined;
      const uid = ((template && ownOption(template, "uid")) ?? uidOrTemplate) as string;
      const schema = template && ownOption(template, "schema");
      const write = template?.[serializer];
      this.#path = pathTo(client.options.endpoint, uid);
      this.#uid = uid;
      if (schema !== undefined && !write) throw uncheckable(uid);
      this.#json = write ? write(values) : serializeValues(values, uid);
    } catch (error) {
      this.#state = "invalid";
      this.#error = addCaller(error);
    }
    this.settings = settings;
    this.#observer = CallObserver.of(settings, client.calls.pool);
  }

  /** Chooses the listener, before the call starts or fails. */
  reportTo(listener: CallListener): void {
    this.#listener = listener;
  }

  start(): void {
    if (this.#isOver) return;
    if (this.#state === "invalid") return this.fail(this.#error);
    const { signal, timeouts } = this.settings;
    if (signal?.aborted) return this.fail(abortReasonOf(signal));
    if (signal) listenToAbort(signal, this);
    this.#timeouts = new PhaseTimeouts(timeouts, this);
    this.#next();
    if (this.#isRegistered && !this.#isHandedOver) this.#timeouts.limitTotal(timeouts.total);
  }

  /**
   * Ends the call, and fails every output.
   *
   * @param error - the failure, or the caller's reason if the call was cancelled
   * @param retryDelayMs - the delay before the next attempt of a bulk run, if any
   */
  fail(error: unknown, retryDelayMs?: number): void {
    if (this.#isOver) return;
    this.#state = "over";
    this.#error = error;
    this.#attempt?.cancel(error);
    this.#release();
    if (retryDelayMs === undefined) this.#notify("error", () => ({ error }));
    else this.#notify("retry", () => ({ error, delayMs: retryDelayMs }));
    this.#listener?.onFailed(error);
    this.bulk?.onFailed(error, this.#attempts);
  }

  /** Makes the client's `close()` wait for work on the document, even if the document has arrived. */
  keepOpen<T>(work: () => Promise<T>): Promise<T> {
    return this.#client.calls.during(work);
  }

  handleEvent(): void {
    const { signal } = this.settings;
    this.fail(signal && abortReasonOf(signal));
  }

  onPhaseOver(phase: Phase, limitMs: number): void {
    this.#attempt?.onPhaseOver(phase, limitMs);
  }

  onRetryDelayOver(): void {
    this.#endRetryDelay?.();
  }

  onTotalOver(): void {
    const { origin } = this.#client.options.endpoint;
    const { total } = this.settings.timeouts;
    this.fail(totalOver(total, this.#attempts, { uid: this.#uid, origin }, this.#error));
  }

  onHead(head: ResponseHead, request: SentRequest): void {
    this.#notify("response", () => {
      const requestId = requestIdOf(head);
      return {
        status: head.status,
        requestId: requestId && request.redactor.withoutSecrets(requestId),
        contentLength: contentLengthOf(head),
      };
    });
  }

  onDocument(response: PdfResponse): void {
    this.#listener?.onDocument(response);
  }

  onProgress(receivedBytes: number, head: ResponseHead): void {
    if (!this.#isOver) this.#observer?.reportProgress(receivedBytes, head);
  }

  onRead(): void {
    const { signal, timeouts } = this.settings;
    if (!this.#isRegistered) {
      // The document has already arrived, and its client may be closed. Writing it to a file may take long.
      this.#client.calls.enter();
      this.#isRegistered = true;
      const leftMs = timeouts.total - this.#elapsedMs;
      // If the limit has already passed, it starts again.
      this.#timeouts?.limitTotal(leftMs > 0 ? leftMs : timeouts.total);
    }
    // The reader of a stream sets the pace.
    if (this.#isHandedOver) this.#timeouts?.limitTotal(Number.POSITIVE_INFINITY);
    if (signal?.aborted) this.fail(abortReasonOf(signal));
    else if (signal) listenToAbort(signal, this);
  }

  onArrived(): void {
    if (this.#attempt?.body?.readState === "nobody") this.#release();
  }

  onWhole(): void {
    this.#state = "over";
    this.#release();
    this.bulk?.onWhole(this.#attempts);
  }

  onCancelled(reason: unknown): void {
    this.fail(reason);
  }

  get #isOver(): boolean {
    return this.#state === "over";
  }

  /** Whether a stream was returned. `timeouts.total` does not apply to it. */
  get #isHandedOver(): boolean {
    return this.#attempt?.body?.isStream === true && !this.settings.totalLimitsStreams;
  }

  get #elapsedMs(): number {
    return performance.now() - this.#startedAtMs;
  }

  #next(): void {
    const { apiKey } = this.#client.options;
    try {
      if (typeof this.#json === "string" && typeof apiKey !== "function") this.#try(this.#json, apiKey);
      else this.#nextWhenReady().catch((error) => this.fail(error));
    } catch (error) {
      // The global `fetch` may be a getter that throws.
      this.fail(error);
    }
  }

  async #nextWhenReady(): Promise<void> {
    const { apiKey, advice } = this.#client.options;
    // The values are checked first, because no key is needed for invalid values.
    const json = await this.#json;
    const key =
      typeof apiKey === "function" ? await readApiKey(apiKey, advice, this.#attempts, this.#error) : apiKey;
    this.#try(json, key);
  }

  #try(json: string, apiKey: string | null): void {
    if (this.#isOver) return;
    const { options, calls, sharedHeaders } = this.#client;
    const { origin } = options.endpoint;
    const { headers: ownHeaders } = this.settings;
    const extra = ownHeaders ? new Map([...options.headers, ...ownHeaders]) : options.headers;
    const headers = ownHeaders ? buildHeaders(apiKey, extra) : sharedHeaders(apiKey);
    const attempt = this.#attempts + 1;
    this.#notify("request", () => ({ method: "POST" as const, url: origin + this.#path }), attempt);
    // A hook may have cancelled the call.
    if (this.#isOver) return;
    this.#attempts = attempt;
    const parts = { uid: this.#uid, path: this.#path, headers, json, attempts: this.#attempts };
    const credentials = apiKey ?? extra.get("authorization");
    const request = new SentRequest(parts, options, credentials, this.#request);
    this.#request = request;
    const transport = calls.pool.current(options);
    this.#attempt = new Attempt(request, transport, this.#timeouts as PhaseTimeouts, this.settings, this);
    // The next attempt runs in the asynchronous context of the call, which API key functions and tracers may need.
    this.#attempt.run().then((failure) => {
      try {
        this.#onFailure(failure);
      } catch (error) {
        // The response of a mock may throw when an error is created from it. The call must end nevertheless.
        this.fail(error);
      }
    });
  }

  #onFailure(failure: AttemptFailure): void {
    if (this.#isOver) return;
    const decision = this.#decide(failure);
    const error = failure.error("why" in decision ? triedTimes(this.#attempts) + decision.why : "");
    if ("why" in decision) this.fail(error);
    else if (this.bulk) this.fail(error, decision.delayMs);
    else void this.#retry(error, decision.delayMs);
  }

  #decide(failure: AttemptFailure): Decision {
    const { retry, timeouts } = this.settings;
    if (this.bulk) return this.bulk.decide(failure, this.#attempts, retry);
    const body = this.#attempt?.body;
    if (body && (body.isStream || !this.#listener?.isReplaceable)) return { why: "" };
    return decide(failure, this.#attempts, retry, timeouts.total - this.#elapsedMs, Math.random);
  }

  /** If the call ends during the delay, there are no further attempts. */
  async #retry(error: unknown, delayMs: number): Promise<void> {
    const attempt = this.#attempt;
    this.#error = error;
    this.#attempt = undefined;
    this.#listener?.onReplaced();
    this.#notify("retry", () => ({ error, delayMs }));
    // An output may have to clean up, for example an incomplete file.
    await attempt?.cancel(error);
    if (this.#isOver) return;
    // Continues in the asynchronous context of the call.
    await new Promise<void>((resolve) => {
      this.#endRetryDelay = resolve;
      this.#timeouts?.delayRetry(delayMs);
    });
    this.#next();
  }

  /** Called when the call is over, or when its document has arrived and nothing reads it. */
  #release(): void {
    this.#timeouts?.clear();
    if (this.settings.signal) stopListening(this.settings.signal, this);
    if (this.#isRegistered) this.#client.calls.leave();
    this.#isRegistered = false;
  }

  #notify<Name extends keyof Hooks>(
    name: Name,
    more: () => Omit<EventOf<Name>, keyof CallEvent>,
    attempt = this.#attempts,
  ): void {
    if (!this.#observer) return;
    const common = { uid: this.#uid, attempt, elapsedMs: this.#elapsedMs };
    this.#observer.notify(name, common, more);
  }
}

function uncheckable(uid: string): ConfigurationError {
  const name = JSON.stringify(uid);
  return new ConfigurationError(
    `The template ${name} has a schema but was not created with \`template()\`. Write template(${name}, schema).`,
  );
}
