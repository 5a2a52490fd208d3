import { type AbortListener, forgetAbort, listenToAbort } from "./abort-signals.ts";
import { checkApiKey } from "./api-key.ts";
import { Attempt } from "./attempt.ts";
import { type DocumentCall, GeneratedPdf } from "./document.ts";
import { ConfigurationError, TemplatePdfError } from "./errors.ts";
import { type CallOptions, type ResolvedCall, type ResolvedOptions, resolveCall } from "./options.ts";
import type { Launch, Listener } from "./pending.ts";
import { nameOfError, Redactor } from "./redact.ts";
import { buildRequest, segmentOf } from "./request.ts";
import { checkValues, type Template } from "./template.ts";
import type { Transport } from "./transport/types.ts";
import { serializeValues } from "./values.ts";

/** What a call needs of its client. */
export interface Sender {
  readonly options: ResolvedOptions;
  /** Hears of a call; refuses it once the client is closed. */
  enter(): void;
  /** Hears that a call was sent, or will not be. */
  leave(): void;
  transport(): Transport;
  headers(apiKey: string | undefined, extra: ReadonlyMap<string, string> | undefined): readonly string[];
}

/**
 * One call from its arguments to its attempt. The values are written down at once, so that what is changed
 * afterwards does not matter; what is wrong is told when the call starts, never thrown.
 */
export class GenerateCall implements Launch, AbortListener {
  readonly #sender: Sender;
  #call: ResolvedCall | undefined;
  #uid = "";
  #segment = "";
  /** The body, or the promise of one where the schema is asynchronous. */
  #body: string | Promise<string> = "";
  #problem: { readonly error: unknown } | undefined;
  #listener: Listener | undefined;
  #attempt: Attempt | undefined;
  /** The client waits with closing until this call is sent, or given up. */
  #hasEntered = false;

  constructor(sender: Sender, given: string | Template, values: unknown, options: CallOptions | undefined) {
    this.#sender = sender;
    try {
      sender.enter();
      this.#hasEntered = true;
      this.#call = resolveCall(sender.options, options);
      const template: Template =
        typeof given === "object" && given !== null && "uid" in given
          ? given
          : { uid: given as string, schema: undefined };
      this.#uid = template.uid;
      this.#segment = segmentOf(template.uid);
      this.#body = bodyOf(template, values);
    } catch (error) {
      this.#problem = { error };
    }
  }

  start(listener: Listener): void {
    this.#listener = listener;
    if (this.#problem) return this.#fail(this.#problem.error);
    const signal = this.#call?.signal;
    if (signal?.aborted) return this.#fail(signal.reason);
    const { apiKey } = this.#sender.options;
    if (typeof this.#body === "string" && typeof apiKey !== "function") {
      return this.#send(this.#body, apiKey ?? undefined);
    }
    // Something has to be waited for, and the caller may give up meanwhile.
    if (signal) listenToAbort(signal, this);
    this.#sendLater().catch((error) => this.#fail(error));
  }

  cancel(reason: unknown): void {
    if (this.#attempt) this.#attempt.cancel(reason);
    else this.#fail(reason);
  }

  /** The caller's signal, while there is no attempt yet that listens to it. */
  onAbort(): void {
    this.#fail(this.#call?.signal?.reason);
  }

  async #sendLater(): Promise<void> {
    const body = await this.#body;
    const { apiKey } = this.#sender.options;
    const key = typeof apiKey === "function" ? await askForKey(apiKey) : apiKey;
    if (this.#listener === undefined) return;
    this.#stopListening();
    this.#send(body, key ?? undefined);
  }

  #send(body: string, apiKey: string | undefined): void {
    const listener = this.#listener as Listener;
    const { signal, headers, maxBytes, verify } = this.#call as ResolvedCall;
    const { target } = this.#sender.options;
    const call: DocumentCall = {
      uid: this.#uid,
      origin: target.origin,
      basePath: target.basePath,
      request: buildRequest(target, this.#segment, this.#sender.headers(apiKey, headers), body),
      secrets: new Redactor(apiKey, body),
      attempts: 1,
      signal,
      maxBytes,
      verify,
    };
    this.#attempt = new Attempt(call, this.#sender.transport(), {
      onArrival: (arrival) => listener.onDocument(new GeneratedPdf(arrival, call)),
      onFailure: (error) => this.#fail(error),
    });
    this.#attempt.start();
    this.#leave();
  }

  #stopListening(): void {
    const signal = this.#call?.signal;
    if (signal) forgetAbort(signal, this);
  }

  #leave(): void {
    if (this.#hasEntered) this.#sender.leave();
    this.#hasEntered = false;
  }

  #fail(error: unknown): void {
    this.#leave();
    const listener = this.#listener;
    this.#listener = undefined;
    this.#stopListening();
    listener?.onFailure(error);
  }
}

/** Checks the values and writes them down. */
function bodyOf(template: Template, values: unknown): string | Promise<string> {
  const { uid } = template;
  try {
    const checked = checkValues(template, values);
    if (!(checked instanceof Promise)) return serializeValues(checked, uid);
    const body = checked.then(
      (output) => serializeValues(output, uid),
      (error) => {
        throw schemaFailure(error, uid);
      },
    );
    // Told when the call starts; a call that never starts is no unhandled rejection.
    body.catch(() => {});
    return body;
  } catch (error) {
    throw schemaFailure(error, uid);
  }
}

/** What a schema throws may quote values, so only its class is told. */
function schemaFailure(error: unknown, uid: string): unknown {
  if (TemplatePdfError.is(error)) return error;
  return new ConfigurationError(
    `The schema of template ${JSON.stringify(uid)} threw ${nameOfError(error)} instead of naming issues. Mend the schema. Nothing was sent.`,
  );
}

async function askForKey(source: () => string | Promise<string>): Promise<string> {
  let key: unknown;
  try {
    key = await source();
  } catch (error) {
    // Without the cause: what a key source throws may hold a key.
    const name = nameOfError(error);
    throw new ConfigurationError(`The function given as \`apiKey\` failed with ${name}. Nothing was sent.`);
  }
  return checkApiKey(key);
}
