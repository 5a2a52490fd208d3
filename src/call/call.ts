import { addCaller } from "../errors/caller-stack.ts";
import { ConfigurationError } from "../errors/errors.ts";
import { callSafely } from "../errors/foreign-values.ts";
import { Redactor } from "../errors/redact.ts";
import { isAnyObject } from "../errors/value-kinds.ts";
import { type CallOptions, type ResolvedCall, resolveCall } from "../options/call-options.ts";
import { type CallEvent, callHook, type EventOf, type Hooks, noHooks } from "../options/hooks.ts";
import { readApiKey } from "../request/api-key.ts";
import { buildHeaders, credentialsIn } from "../request/flat-headers.ts";
import { type AnyTemplate, type CheckedTemplate, checkedBody } from "../request/schema.ts";
import { pathTo } from "../request/url.ts";
import { serializeValues } from "../request/values.ts";
import { ownOption } from "../runtime/own-options.ts";
import {
  contentLengthOf,
  expectedLengthOf,
  type ResponseHead,
  requestIdOf,
} from "../transport/response-head.ts";
import type { CapturedContext } from "../transport/transport.ts";
import { type AbortListener, listenToAbort, stopListening } from "./abort-signals.ts";
import type { KnownFacts } from "./api-error.ts";
import { Attempt, type PdfResponse } from "./attempt.ts";
import { totalOver } from "./attempt-errors.ts";
import { type CallContext, checkOpen } from "./connections.ts";
import type { BulkAttempt, CallOutcome } from "./outcome.ts";
import { type Decision, decide, type Failure } from "./retry-policy.ts";
import { Timer, type TimerListener } from "./timer.ts";

/**
 * The state of a call. It is `pending` until a document begins to arrive, and while the call is waiting for a
 * retry. It is `body` while the document arrives, `received` when the document has arrived, and `done` when an
 * output has it.
 */
type CallState = "pending" | "body" | "received" | "done" | "failed";

/** Numbers the calls that have hooks. */
let calls = 0;

/**
 * One call to `generate`, from its arguments to a complete document or an error. The values are serialized
 * immediately, so later changes have no effect. Invalid arguments fail the call when it starts; the
 * constructor never throws.
 */
export class Call implements AbortListener, TimerListener {
  state: CallState = "pending";
  uid = "";
  settings: ResolvedCall;
  /** Whether a truncated document may be replaced by another, because the caller has not seen any of it. */
  isReplaceable = false;
  /**
   * Called when a document begins to arrive, and when the call fails. Called without an outcome when another document replaces a
   * truncated one.
   */
  onSettled!: (outcome: CallOutcome | undefined) => void;
  /** The bulk job that this call makes one attempt at. The run handles failures. */
  readonly bulk: BulkAttempt | undefined;
  readonly #client: CallContext;
  readonly #startedAtMs = performance.now();
  readonly #total = new Timer(this);
  #number = 0;
  /** The asynchronous context of the call, if hooks or `onProgress` will be called in it. */
  #context: CapturedContext | undefined;
  #path = "";
  /** The JSON body; a promise if the template's schema is asynchronous. */
  #json: string | Promise<string> = "";
  #secrets: Redactor | undefined;
  /** The error of the arguments, then of the last attempt, and finally of the call. */
  #error: unknown;
  #hasWrongArguments = false;
  #attempts = 0;
  #attempt: Attempt | undefined;
  #pause: Timer | undefined;
  /** Whether the client's `close()` waits for this call. */
  #isRegistered = false;

  constructor(
    client: CallContext,
    uidOrTemplate: string | AnyTemplate,
    values: unknown,
    options: CallOptions | undefined,
    bulk?: BulkAttempt,
  ) {
    this.#client = client;
    this.settings = client.settings;
    this.bulk = bulk;
    this.#attempts = bulk?.attempts ?? 0;
    this.#error = bulk?.lastError;
    try {
      checkOpen(client);
      client.connections.enter();
      this.#isRegistered = true;
      if (options !== undefined) this.settings = resolveCall(client.options, options);
      const template: CheckedTemplate | undefined = isAnyObject(uidOrTemplate) ? uidOrTemplate : undefined;
      const uid = ((template && ownOption(template, "uid")) ?? uidOrTemplate) as string;
      const schema = template && ownOption(template, "schema");
      const write = template?.[checkedBody];
      this.#path = pathTo(client.options.endpoint, uid);
      this.uid = uid;
      if (schema !== undefined && !write) throw uncheckable(uid);
      this.#json = write ? write(values) : serializeValues(values, uid);
    } catch (error) {
      this.#hasWrongArguments = true;
      this.#error = addCaller(error);
    }
    const { hooks, onProgress } = this.settings;
    if (hooks === noHooks && !onProgress) return;
    this.#context = client.connections.pool.captureContext();
    this.#number = ++calls;
  }

  get isOver(): boolean {
    return this.state === "done" || this.state === "failed";
  }

  start(): void {
    if (this.isOver) return;
    const { signal, timeouts } = this.settings;
    if (this.#hasWrongArguments) return this.fail(this.#error);
    if (signal?.aborted) return this.fail(signal.reason);
    if (signal) listenToAbort(signal, this);
    this.#next();
    if (this.#isRegistered && !this.#isHandedOver) this.#total.set(timeouts.total);
  }

  /**
   * Ends the call, and fails every output.
   *
   * @param error - the failure, or the caller's reason if the call was cancelled
   * @param retryDelayMs - the delay before the next attempt of a bulk run, if any
   */
  fail(error: unknown, retryDelayMs?: number): void {
    if (this.isOver) return;
    this.state = "failed";
    this.#error = error;
    this.#attempt?.cancel(error);
    this.release();
    if (retryDelayMs === undefined) this.#notify("error", () => ({ error }));
    else this.#notify("retry", () => ({ error, delayMs: retryDelayMs }));
    this.onSettled({ response: undefined, error });
    this.bulk?.onOutcome({ attempts: this.#attempts, failure: { error } });
  }

  handleEvent(): void {
    this.fail(this.settings.signal?.reason);
  }

  /** Called when `timeouts.total` is reached. */
  onTimeOver(): void {
    const { uid, settings } = this;
    const { origin } = this.#client.options.endpoint;
    this.fail(totalOver(settings.timeouts.total, this.#attempts, { uid, origin }, this.#error));
  }

  // Called by the attempt.

  onHead(head: ResponseHead, { secrets }: KnownFacts): void {
    this.#notify("response", () => {
      const requestId = requestIdOf(head);
      return {
        status: head.status,
        requestId: requestId && secrets.withoutSecrets(requestId),
        contentLength: contentLengthOf(head),
      };
    });
  }

  onDocument(response: PdfResponse): void {
    this.onSettled({ response });
  }

  onProgress(receivedBytes: number, head: ResponseHead): void {
    const { onProgress } = this.settings;
    if (!onProgress || this.isOver) return;
    const expectedBytes = expectedLengthOf(head);
    const totalBytes = receivedBytes > (expectedBytes ?? 0) ? undefined : expectedBytes;
    const listener = () => onProgress(Object.freeze({ receivedBytes, totalBytes }));
    if (this.#context) this.#context.runInAsyncScope(callSafely, undefined, listener);
    else callSafely(listener);
  }

  /** Called when an output begins to read the document. */
  onRead(isStream: boolean): void {
    const { signal, timeouts } = this.settings;
    if (!this.#isRegistered) {
      // The document has already arrived, and its client may be closed. Writing it to a file may take long.
      this.#client.connections.enter();
      this.#isRegistered = true;
      const leftMs = timeouts.total - this.#elapsedMs;
      // If the limit has already passed, it starts again.
      this.#total.set(leftMs > 0 ? leftMs : timeouts.total);
    }
    // The reader of a stream sets the pace.
    if (isStream) this.isReplaceable = false;
    if (this.#isHandedOver) this.#total.clear();
    if (signal?.aborted) this.fail(signal.reason);
    else if (signal) listenToAbort(signal, this);
  }

  /** Called when an output has the complete document. */
  onWhole(): void {
    this.state = "done";
    this.release();
    this.bulk?.onOutcome({ attempts: this.#attempts });
  }

  /**
   * Releases timers, listeners and the registration. Called when the call is over, or when its document has arrived and nothing
   * reads it.
   */
  release(): void {
    this.#total.clear();
    this.#pause?.clear();
    if (this.settings.signal) stopListening(this.settings.signal, this);
    if (this.#isRegistered) this.#client.connections.leave();
    this.#isRegistered = false;
  }

  #next(): void {
    const { apiKey } = this.#client.options;
    if (typeof this.#json === "string" && typeof apiKey !== "function") this.#try(this.#json, apiKey);
    else this.#nextWhenReady().catch((error) => this.fail(error));
  }

  async #nextWhenReady(): Promise<void> {
    const { apiKey } = this.#client.options;
    // The values are checked first, because no key is needed for invalid values.
    const json = await this.#json;
    const key = typeof apiKey === "function" ? await readApiKey(apiKey, this.#attempts, this.#error) : apiKey;
    this.#try(json, key);
  }

  #try(json: string, apiKey: string | null): void {
    if (this.isOver) return;
    const { uid } = this;
    const { options, connections, sharedHeaders } = this.#client;
    const { origin, basePath } = options.endpoint;
    const { headers: ownHeaders } = this.settings;
    const headers = ownHeaders ? new Map([...options.headers, ...ownHeaders]) : options.headers;
    const secret = apiKey ?? credentialsIn(headers);
    if (!this.#secrets?.knows(secret)) this.#secrets = new Redactor(secret, json, this.#secrets);
    this.#attempts++;
    this.#notify("request", () => ({ method: "POST" as const, url: origin + this.#path }));
    // A hook may have cancelled the call.
    if (this.isOver) return;
    const flat = (ownHeaders ? undefined : sharedHeaders) ?? buildHeaders(apiKey ?? undefined, headers);
    const request = { origin, path: this.#path, headers: flat, body: json };
    const facts = { uid, origin, basePath, attempts: this.#attempts, secrets: this.#secrets, request };
    this.#attempt = new Attempt(this, request, facts, connections.pool.current(options));
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

  #onFailure(failure: Failure): void {
    if (this.isOver) return;
    const decision = this.#decide(failure);
    const count = this.#attempts > 1 ? ` Tried ${this.#attempts} times.` : "";
    const error = failure.error("why" in decision ? count + decision.why : "");
    if ("why" in decision) this.fail(error);
    else if (this.bulk) this.fail(error, decision.delayMs);
    else void this.#retry(error, decision.delayMs);
  }

  #decide(failure: Failure): Decision {
    const { retry, timeouts } = this.settings;
    if (this.bulk) return this.bulk.decide(failure, this.#attempts, retry);
    if (this.#attempt?.body && !this.isReplaceable) return { why: "" };
    return decide(failure, this.#attempts, retry, timeouts.total - this.#elapsedMs, Math.random);
  }

  /** If the call ends during the delay, there are no further attempts. */
  async #retry(error: unknown, delayMs: number): Promise<void> {
    const attempt = this.#attempt;
    this.state = "pending";
    this.#error = error;
    this.#attempt = undefined;
    this.onSettled(undefined);
    this.#notify("retry", () => ({ error, delayMs }));
    // An output may have to clean up, for example an incomplete file.
    await attempt?.cancel(error);
    await new Promise<void>((resolve) => {
      this.#pause = new Timer({ onTimeOver: resolve });
      if (!this.isOver) this.#pause.set(delayMs);
    });
    this.#next();
  }

  /** Whether a stream was returned. `timeouts.total` does not apply to it. */
  get #isHandedOver(): boolean {
    return this.#attempt?.body?.isStream === true && !this.settings.totalLimitsStreams;
  }

  get #elapsedMs(): number {
    return performance.now() - this.#startedAtMs;
  }

  /** @param more - returns the rest of the event; called only if there is a hook with that name */
  #notify<Name extends keyof Hooks>(name: Name, more: () => Omit<EventOf<Name>, keyof CallEvent>): void {
    const { hooks } = this.settings;
    if (!(name in hooks)) return;
    const common = { call: this.#number, uid: this.uid, attempt: this.#attempts, elapsedMs: this.#elapsedMs };
    const event = () => ({ ...common, ...more() }) as unknown as EventOf<Name>;
    // Requests are sent in the call's context. Other events come from sockets and timers.
    if (!this.#context || name === "request") callHook(hooks, name, event);
    else this.#context.runInAsyncScope(callHook, undefined, hooks, name, event);
  }
}

function uncheckable(uid: string): ConfigurationError {
  const name = JSON.stringify(uid);
  return new ConfigurationError(
    `The template ${name} has a schema but was not created with \`template()\`. Write template(${name}, schema).`,
  );
}
