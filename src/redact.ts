/**
 * Takes what the caller sent out of what came from elsewhere.
 *
 * A service may repeat the key or a value in its answer, and a mock or a `fetch` of somebody's own in its error.
 * Such text ends up in messages and logs, where neither may stand.
 */

const mark = "[redacted]";

/** Shorter values are too likely to be part of any text; replacing them would only garble it. */
const shortestValue = 4;

/** How deep an error is searched before it is taken for one that may hold anything. */
const maxDepth = 6;

/** Knows the secrets of one request: its API key, and the values of the template. */
export class Redactor {
  readonly #keys: readonly string[];
  readonly #body: string;
  #secrets: readonly string[] | undefined;

  /**
   * @param apiKey - the key that was sent
   * @param body - the JSON text that was sent; read only when there is something to redact
   */
  constructor(apiKey: string | undefined, body: string) {
    this.#keys = apiKey ? longestFirst(spellingsOf(apiKey)) : [];
    this.#body = body;
  }

  /** Takes the key out of a text. */
  withoutKey(text: string): string {
    return without(this.#keys, text);
  }

  /** Takes the key and every value out of a text. */
  withoutSecrets(text: string): string {
    this.#secrets ??= longestFirst([...this.#keys, ...leavesOf(this.#body).flatMap(spellingsOf)]);
    return without(this.#secrets, text);
  }

  /** Takes the key out of an answer's headers. */
  headersWithoutKey(headers: Headers): Headers {
    const safe = new Headers();
    for (const [name, value] of headers) safe.append(name, this.withoutKey(value));
    return safe;
  }

  /**
   * Gives `cause` itself where it is an error that holds no secret; else a copy that tells its name, code and
   * redacted message and stack, and the same of what lies behind it.
   */
  causeWithoutSecrets(cause: unknown, depth = 0): unknown {
    if (cause === undefined || depth > maxDepth) return undefined;
    if (!(cause instanceof Error)) return this.withoutSecrets(textOf(cause));
    if (this.#isClean(cause, 0)) return cause;
    const inner = this.causeWithoutSecrets(cause.cause, depth + 1);
    const copy = new Error(
      this.withoutSecrets(cause.message),
      inner === undefined ? undefined : { cause: inner },
    );
    Object.defineProperty(copy, "name", { value: this.withoutSecrets(cause.name), configurable: true });
    copy.stack = this.withoutSecrets(textOf(cause.stack));
    const { code } = cause as { code?: unknown };
    return typeof code === "string" ? Object.assign(copy, { code: this.withoutSecrets(code) }) : copy;
  }

  /** Whether everything that a value would show when it is inspected is free of secrets. */
  #isClean(value: unknown, depth: number): boolean {
    if (typeof value === "string" || typeof value === "number") {
      return this.withoutSecrets(String(value)) === String(value);
    }
    if (typeof value !== "object" || value === null) return true;
    const prototype: unknown = Object.getPrototypeOf(value);
    const isPlain = prototype === Object.prototype || prototype === null || Array.isArray(value);
    if (depth > maxDepth || !(isPlain || value instanceof Error)) return false;
    return Reflect.ownKeys(value).every((key) => {
      const property = Object.getOwnPropertyDescriptor(value, key);
      return property !== undefined && "value" in property && this.#isClean(property.value, depth + 1);
    });
  }
}

/** The strings and numbers of a JSON text that are long enough to be told from chance. */
function leavesOf(json: string): string[] {
  const leaves: string[] = [];
  JSON.parse(json, (_, value: unknown) => {
    const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
    if (text.length >= shortestValue) leaves.push(text);
    return value;
  });
  return leaves;
}

/** A text as it is, and as writers of JSON spell it: escaped, with `\/`, or in ASCII only. */
function spellingsOf(text: string): string[] {
  const escaped = JSON.stringify(text).slice(1, -1);
  const ascii = escaped.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const plain = [text, escaped, ascii];
  return [...plain, ...plain.map((spelling) => spelling.replaceAll("/", "\\/"))];
}

function longestFirst(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort((a, b) => b.length - a.length);
}

function without(secrets: readonly string[], text: string): string {
  return secrets.reduce((safe, secret) => safe.replaceAll(secret, mark), text);
}

/** Something that was thrown, in words; it can be anything, even an object that refuses to become a string. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return "something that is no error";
  }
}
