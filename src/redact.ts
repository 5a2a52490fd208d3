/**
 * Takes what the caller sent out of text that came from elsewhere.
 *
 * A service may repeat the key or a value in its answer, and a mock in its error. Such text ends up in
 * messages and logs, where neither may stand.
 */

const mark = "[redacted]";

/** Shorter values are too likely to be part of any text; replacing them would only garble it. */
const shortestValue = 4;

/** Knows the secrets of one request: its API key, and the values of the template. */
export class Redactor {
  readonly #apiKey: string | undefined;
  readonly #body: string;
  #secrets: string[] | undefined;

  /**
   * @param apiKey - the key that was sent
   * @param body - the JSON text that was sent; read only when there is something to redact
   */
  constructor(apiKey: string | undefined, body: string) {
    this.#apiKey = apiKey;
    this.#body = body;
  }

  /** Takes the key out of a text. */
  withoutKey(text: string): string {
    return this.#apiKey ? text.replaceAll(this.#apiKey, mark) : text;
  }

  /** Takes the key and every value out of a text. */
  withoutSecrets(text: string): string {
    this.#secrets ??= [...leavesOf(this.#body)].sort((a, b) => b.length - a.length);
    return this.#secrets.reduce((safe, secret) => safe.replaceAll(secret, mark), this.withoutKey(text));
  }

  /** Takes the key out of an answer's headers. */
  headersWithoutKey(headers: Headers): Headers {
    const safe = new Headers();
    for (const [name, value] of headers) safe.append(name, this.withoutKey(value));
    return safe;
  }

  /**
   * Gives `cause` itself where neither its message nor that of anything behind it holds a secret; else a copy
   * that tells its name, code and redacted message.
   */
  causeWithoutSecrets(cause: unknown, depth = 0): unknown {
    if (cause === undefined || depth > 8) return undefined;
    // Something else than an error can be anything, and cannot be searched.
    if (!(cause instanceof Error)) return this.withoutSecrets(String(cause));
    const message = this.withoutSecrets(cause.message);
    const inner = this.causeWithoutSecrets(cause.cause, depth + 1);
    if (message === cause.message && inner === cause.cause) return cause;
    const copy = new Error(message, inner === undefined ? undefined : { cause: inner });
    copy.name = cause.name;
    if (cause.stack) copy.stack = cause.stack.replace(cause.message, () => message);
    return "code" in cause ? Object.assign(copy, { code: cause.code }) : copy;
  }
}

/** The strings and numbers of a JSON text, as they are and as JSON writes them. */
function leavesOf(json: string): Set<string> {
  const leaves = new Set<string>();
  JSON.parse(json, (_, value: unknown) => {
    const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
    if (text.length >= shortestValue) leaves.add(text).add(JSON.stringify(value).replace(/^"|"$/g, ""));
    return value;
  });
  return leaves;
}
