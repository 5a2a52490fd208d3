import { SecretWords } from "./secret-words.ts";
import { nameOfError } from "./value-kinds.ts";

const mark = "[redacted]";

const maxSearchedLength = 10_000;

/** The maximum length of an id that contained a secret, in characters. */
const maxIdLength = 200;

/** Matches one escape of JSON or HTML, or a run of URL escapes. */
const escapes =
  /(?<!\\)\\+(?:u([\da-f]{4})|[nrt"'/])|&#(?:x([\da-f]{1,6})|(\d{1,7}));?|&[a-z]{2,6};|(?:%[\da-f]{2})+/gi;

/**
 * Replaces `redact.ts` in browsers, which have values but rarely a key. It finds a key only as it was sent, URL-encoded or in
 * base64. It does not search errors that have more than a message, but replaces them with a copy.
 */
export class Redactor {
  readonly #keys: readonly string[];
  readonly #body: string;
  #words: SecretWords | undefined;

  constructor(apiKey: string | undefined, body: string, earlier?: Redactor) {
    this.#keys = [...(earlier ? earlier.#keys : []), ...(apiKey ? [apiKey] : [])];
    this.#body = body;
  }

  knows(apiKey: string | undefined): boolean {
    return this.#keys.at(-1) === apiKey;
  }

  withoutKey(text: string): string {
    const safe = this.#withoutSpellings(text);
    const decoded = decode(safe);
    // This also decodes the rest of the text, which is acceptable because escaped keys are rare.
    return this.#keys.some((key) => decoded.includes(key)) ? this.#withoutSpellings(decoded) : safe;
  }

  #withoutSpellings(text: string): string {
    return this.#keys
      .flatMap((key) => [key, encodeURIComponent(key), btoa(key).split("=")[0] as string])
      .reduce((safe, spelling) => safe.replaceAll(spelling, mark), text);
  }

  headersWithoutKey(headers: Headers): Headers {
    const safe = [...headers].filter(
      ([name]) => !this.#keys.some((key) => key.length > 7 && name.includes(key.toLowerCase())),
    );
    return new Headers(safe.map(([name, value]) => [name, this.withoutKey(value)]));
  }

  withoutSecrets(text: string): string {
    const isSafe = text.length <= maxSearchedLength && this.#redacted(text) === decode(text);
    return isSafe ? text : this.quote(text, maxIdLength);
  }

  quote(text: string, maxLength: number): string {
    return this.#redacted(text.slice(0, 2 * maxLength + 24), true)
      .replace(/[\p{Cc}\s\ufffd]+/gu, " ")
      .trim()
      .slice(0, maxLength);
  }

  causeWithoutSecrets(cause: unknown): unknown {
    if (cause === undefined) return undefined;
    try {
      if (!(cause instanceof Error)) return this.quote(String(cause), 500);
      const { message, stack } = cause;
      const name = nameOfError(cause);
      const isPlain = (globalThis as Record<string, unknown>)[name] === cause.constructor;
      // Browsers add properties that contain only a position in the code.
      const hasOnlyTexts = Reflect.ownKeys(cause).every((key) =>
        /^(?:message|stack|(?:file|line|column)\w*|sourceURL)$/.test(String(key)),
      );
      const shown = message + stack;
      if (isPlain && hasOnlyTexts && this.withoutSecrets(shown) === shown) return cause;
      const copy = new Error(this.quote(message, 500));
      copy.name = this.withoutSecrets(name);
      return copy;
    } catch {
      // A custom `fetch` may reject with an object that throws when it is read.
      return new Error("an error that cannot be read");
    }
  }

  /** @param isExcerpt - whether the text may end within a word, or contain text in base64 */
  #redacted(text: string, isExcerpt = false): string {
    const decoded = decode(this.withoutKey(text));
    this.#words ??= new SecretWords(this.#keys, this.#body);
    let safe = "";
    let at = 0;
    for (const [start, end] of this.#words.find(decoded, isExcerpt)) {
      if (start >= at) safe += decoded.slice(at, start) + mark;
      at = Math.max(at, end);
    }
    return safe + decoded.slice(at);
  }
}

function decode(text: string): string {
  return text.replace(escapes, (found, unicode, hex, decimal) => {
    try {
      const digits = unicode ?? hex ?? decimal;
      if (digits) return String.fromCodePoint(Number.parseInt(digits, decimal ? 10 : 16));
      return found[0] === "%" ? decodeURIComponent(found) : " ";
    } catch {
      return " ";
    }
  });
}
