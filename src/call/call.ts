import { addCaller } from "../errors/caller-stack.ts";
import { ConfigurationError } from "../errors/errors.ts";
import { nameOfError, Redactor } from "../errors/redact.ts";
import {
  type CallOptions,
  type ResolvedCall,
  type ResolvedOptions,
  resolveCall,
} from "../options/options.ts";
import { type ApiKeySource, checkApiKey } from "../request/api-key.ts";
import { bodyOf, type Template } from "../template.ts";
import type { CapturedContext, Transport } from "../transport/transport.ts";
import type { Job, Prepared } from "./attempts.ts";

/** What a call needs of its client. */
export interface Sender {
  readonly options: ResolvedOptions;
  /** What holds for a call without options of its own. */
  readonly settings: ResolvedCall;
  /** Hears of a call; refuses it once the client is closed. */
  enter(): void;
  /** Hears that a call which had come to its end goes on, also when the client is closed. */
  stay(): void;
  /** Hears that a call has come to its end. */
  leave(): void;
  transport(): Transport;
  pathTo(uid: string): string;
  captureContext(): CapturedContext | undefined;
  headers(apiKey: string | undefined, extra: ReadonlyMap<string, string> | undefined): readonly string[];
}

/**
 * One call from its arguments to what is sent. The values are written down at once, so that what is changed
 * afterwards does not matter; what is wrong is told when the call starts, never thrown.
 */
export class GenerateCall implements Job {
  readonly origin: string;
  readonly basePath: string;
  readonly options: ResolvedCall;
  readonly #sender: Sender;
  uid = "";
  problem: { readonly error: unknown } | undefined;
  #path = "";
  /** The body, or the promise of one where the schema is asynchronous. */
  #body: string | Promise<string> = "";
  /** What of the attempts so far may stand nowhere. */
  #secrets: Redactor | undefined;
  /** The client waits with closing until this call has come to its end. */
  #hasEntered = false;

  constructor(sender: Sender, given: string | Template, values: unknown, options: CallOptions | undefined) {
    this.#sender = sender;
    this.origin = sender.options.target.origin;
    this.basePath = sender.options.target.basePath;
    let resolved = sender.settings;
    try {
      sender.enter();
      this.#hasEntered = true;
      if (options !== undefined) resolved = resolveCall(sender.options, options);
      const template: Template =
        typeof given === "object" && given !== null && "uid" in given
          ? given
          : { uid: given as string, schema: undefined };
      this.#path = sender.pathTo(template.uid);
      this.uid = template.uid;
      this.#body = bodyOf(template, values);
    } catch (error) {
      this.problem = { error: addCaller(error) };
    }
    this.options = resolved;
  }

  prepare(attempts: number, lastError: unknown): Prepared | Promise<Prepared> {
    const { apiKey } = this.#sender.options;
    return typeof this.#body === "string" && typeof apiKey !== "function"
      ? this.#prepared(this.#body, apiKey ?? undefined)
      : this.#prepareLater(this.#body, attempts, lastError);
  }

  captureContext(): CapturedContext | undefined {
    return this.#sender.captureContext();
  }

  stay(): void {
    if (!this.#hasEntered) this.#sender.stay();
    this.#hasEntered = true;
  }

  leave(): void {
    if (this.#hasEntered) this.#sender.leave();
    this.#hasEntered = false;
  }

  async #prepareLater(
    body: string | Promise<string>,
    attempts: number,
    lastError: unknown,
  ): Promise<Prepared> {
    // First the values: for what cannot be sent, nobody needs a key.
    const text = await body;
    const { apiKey } = this.#sender.options;
    const key = typeof apiKey === "function" ? await askForKey(apiKey, attempts, lastError) : apiKey;
    return this.#prepared(text, key ?? undefined);
  }

  #prepared(body: string, apiKey: string | undefined): Prepared {
    const headers = this.#sender.headers(apiKey, this.options.headers);
    const secret = apiKey ?? this.#ownCredentials();
    if (!this.#secrets?.knows(secret)) this.#secrets = new Redactor(secret, body, this.#secrets);
    return {
      request: { origin: this.origin, path: this.#path, headers, body },
      secrets: this.#secrets,
      transport: this.#sender.transport(),
    };
  }

  /** What stands behind the scheme of an `authorization` of the caller's own: as secret as a key. */
  #ownCredentials(): string | undefined {
    const name = "authorization";
    const given = this.options.headers?.get(name) ?? this.#sender.options.headers.get(name);
    return given?.slice(given.lastIndexOf(" ") + 1);
  }
}

async function askForKey(source: ApiKeySource, attempts: number, lastError: unknown): Promise<string> {
  let key: unknown;
  try {
    key = await source();
  } catch (error) {
    // Without what it threw, which may hold a key; its cause is what the attempt before failed with.
    const name = nameOfError(error);
    const before = attempts === 1 ? "once" : `${attempts} times`;
    const sent = attempts === 0 ? "Nothing was sent." : `Tried ${before} before.`;
    throw new ConfigurationError(
      `The function given as \`apiKey\` failed with ${name}. ${sent} What it threw is not told here, because it may hold a key: catch it in that function.`,
      { attempts, ...(lastError !== undefined && { cause: lastError }) },
    );
  }
  return checkApiKey(key, attempts);
}
