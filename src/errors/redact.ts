import { contentsOf, framesOf, maxDepth } from "./error-contents.ts";
import { decodeEscapes } from "./escapes.ts";
import { safeString } from "./foreign-values.ts";
import { findKey, shortestLongKey, type TextRange } from "./secret-key.ts";
import { anyWord, SecretWords } from "./secret-words.ts";
import { nameOfError } from "./value-kinds.ts";

const mark = "[redacted]";

/** The maximum length of an id that contained a secret, in characters. */
const maxIdLength = 200;

/** The maximum length of a string that is searched for secrets. A longer string is treated as if it contained one. */
const maxSearchedLength = 10_000;

/** The maximum length of a string whose words are first looked up in the sent text, which is faster. */
const maxLengthByWord = 1_000;

/**
 * Removes the API key and the values that were sent from other strings.
 *
 * A service may repeat them in its response, and a mock or a custom `fetch` in its error. Such strings appear in error messages
 * and logs, which must not contain secrets. Values are recognised by their words, because words are the same after escaping, and
 * a truncated value still contains some of them. Ordinary words and placeholder names are kept, so that messages stay readable.
 */
export class Redactor {
  readonly #apiKey: string | undefined;
  /** The keys of earlier attempts, if the key has changed since. */
  readonly #earlierKeys: readonly string[] | undefined;
  readonly #body: string;
  #secretWords: SecretWords | undefined;
  /** The keys and the body that were sent, in lower case. */
  #sentText: string | undefined;

  /**
   * @param apiKey - the key that was sent
   * @param body - the JSON text that was sent
   * @param earlier - the redactor of the earlier attempts, if the key has changed since
   */
  constructor(apiKey: string | undefined, body: string, earlier?: Redactor) {
    this.#apiKey = apiKey;
    this.#earlierKeys = earlier ? earlier.#keys : undefined;
    this.#body = body;
  }

  /** Whether this is the key of the current attempt. */
  knows(apiKey: string | undefined): boolean {
    return this.#apiKey === apiKey;
  }

  get #keys(): readonly string[] {
    const earlier = this.#earlierKeys ?? [];
    return this.#apiKey ? [...earlier, this.#apiKey] : earlier;
  }

  /** Removes the key in every encoding, even if the text is truncated within it. */
  withoutKey(text: string): string {
    const ranges = this.#keys.flatMap((key) => findKey(text, key));
    return replaceRanges(text, ranges);
  }

  /** Removes the key from response headers, and removes headers whose name contains it. */
  headersWithoutKey(headers: Headers): Headers {
    const safe = new Headers();
    const longKeys = this.#keys.filter((key) => key.length >= shortestLongKey);
    for (const [name, value] of headers) {
      if (longKeys.some((key) => name.includes(key.toLowerCase()))) continue;
      safe.append(name, this.withoutKey(value));
    }
    return safe;
  }

  /** Returns a name or an id unchanged if it contains no secret, otherwise its redacted beginning. */
  withoutSecrets(text: string): string {
    return this.#isClean(text) ? text : this.quote(text, maxIdLength);
  }

  /**
   * Returns the beginning of a string on one line, without the key and the words of the values.
   *
   * @param maxLength - the maximum length of the result, in characters
   */
  quote(text: string, maxLength: number): string {
    // Twice the length is enough after redaction, and limits the time for long strings.
    const excerpt = decodeEscapes(this.withoutKey(text.slice(0, 2 * maxLength + 24))).text;
    const safe = replaceRanges(excerpt, this.#words().find(excerpt, true));
    return safe
      .replace(/[\p{Cc}\s\ufffd]+/gu, " ")
      .trim()
      .slice(0, maxLength);
  }

  /**
   * Returns `cause` itself if it is an error without secrets. Otherwise returns a copy with its name, code, message, stack and
   * cause, all of them redacted.
   */
  causeWithoutSecrets(cause: unknown): unknown {
    try {
      return this.#safeCause(cause, 0);
    } catch {
      // A custom `fetch` may reject with an object that throws when it is read.
      return new Error("an error that cannot be read");
    }
  }

  #safeCause(cause: unknown, depth: number): unknown {
    if (cause === undefined || depth > maxDepth) return undefined;
    if (!(cause instanceof Error)) return this.quote(safeString(cause), 500);
    const contents = contentsOf(cause);
    if (contents && this.#isClean(contents.texts.join("\n")) && !this.#hasKey(contents.frames.join("\n")))
      return cause;
    const inner = this.#safeCause(cause.cause, depth + 1);
    const options = inner === undefined ? undefined : { cause: inner };
    const copy = new Error(this.quote(safeString(cause.message), 500), options);
    const ownName = nameOfError(cause);
    const name = this.#isClean(ownName) ? ownName : "Error";
    Object.defineProperty(copy, "name", { value: name, configurable: true });
    const safeFrames = framesOf(cause).map((line) => this.withoutKey(line));
    copy.stack = [`${name}: ${copy.message}`, ...safeFrames].join("\n");
    const { code } = cause as { code?: unknown };
    return typeof code === "string" ? Object.assign(copy, { code: this.quote(code, 50) }) : copy;
  }

  #hasKey(text: string): boolean {
    return this.withoutKey(text) !== text;
  }

  #isClean(text: string): boolean {
    if (text.length > maxSearchedLength || this.#hasKey(text)) return false;
    const decoded = decodeEscapes(text).text;
    return !this.#mayShareWord(decoded) || this.#words().find(decoded, false).length === 0;
  }

  /** Whether the text may contain a word that was sent. Most ids do not, so the values do not need to be parsed. */
  #mayShareWord(text: string): boolean {
    // Beyond ASCII, the lower case of a word may depend on what follows it.
    if (text.length > maxLengthByWord || /[^\0-\x7f]/.test(text)) return true;
    this.#sentText ??= `${this.#keys.join(" ")} ${this.#body}`.toLowerCase();
    const sentText = this.#sentText;
    return [...text.toLowerCase().matchAll(anyWord)].some(([word]) => sentText.includes(word));
  }

  #words(): SecretWords {
    this.#secretWords ??= new SecretWords(this.#keys, this.#body);
    return this.#secretWords;
  }
}

/** Replaces each range with the mark. Ranges that overlap are replaced together. */
function replaceRanges(text: string, ranges: readonly TextRange[]): string {
  let replaced = "";
  let done = 0;
  for (const [start, end] of [...ranges].sort(([a], [b]) => a - b)) {
    if (start >= done) replaced += text.slice(done, start) + mark;
    done = Math.max(done, end);
  }
  return replaced + text.slice(done);
}
