import { SecretPhrases } from "./secret-phrases.ts";
import { spellingsOf } from "./secret-spellings.ts";

/**
 * Takes what the caller sent out of what came from elsewhere.
 *
 * A service may repeat the key or a value in its answer, and a mock or a `fetch` of somebody's own in its error.
 * Such text ends up in messages and logs, where neither may stand. Values are recognised word by word: words
 * survive every escape, and a text that was cut off within a value still holds its other words.
 */

const mark = "[redacted]";

const words = /[\p{L}\p{N}]+/gu;

const notAscii = /[^\0-\x7f]/;

/** Shorter words stand in every text. */
const shortestWord = 4;

/** Longer runs of letters and digits are no words: keys, tokens, text in base64. */
const longestWord = 24;

/** A line of a stack that names a place in code. A message may hold lines that merely begin like one. */
const frame = /^ +at .*(?::\d+:\d+|<anonymous>|native|index \d+)\)?$/;

/** A shorter key is no key but a placeholder, and would be found in the middle of words. */
const shortestKey = 8;

/** What is left of an id that held a secret is no id any more, and need not be long. */
const maxIdLength = 200;

/** How deep an error is searched before it is taken for one that may hold anything. */
const maxDepth = 6;

/** Knows the secrets of one request: its API key, and the values of the template. Costs nothing until it is asked. */
export class Redactor {
  readonly #apiKey: string | undefined;
  readonly #body: string;
  readonly #earlier: Redactor | undefined;
  #known: Known | undefined;
  /** All that was sent, in lower case. */
  #sentText: string | undefined;

  /**
   * @param apiKey - the key that was sent
   * @param body - the JSON text that was sent
   * @param earlier - knows the keys that were sent before, where the key has changed between two attempts
   */
  constructor(apiKey: string | undefined, body: string, earlier?: Redactor) {
    this.#apiKey = apiKey;
    this.#body = body;
    this.#earlier = earlier;
  }

  /** Whether this is the key that it knows. */
  knows(apiKey: string | undefined): boolean {
    return this.#apiKey === apiKey;
  }

  /** Takes the key out of a text, in every spelling, also where the text ends within it. */
  withoutKey(text: string): string {
    const rest = this.#earlier ? this.#earlier.withoutKey(text) : text;
    const key = this.#apiKey;
    if (!key) return rest;
    if (key.length < shortestKey)
      return rest.replace(/[\x21-\x7e]+/g, (word) => (word === key ? mark : word));
    const safe = spellingsOf(key).reduce((left, spelling) => left.replaceAll(spelling, mark), rest);
    return withoutStartOf(key, safe);
  }

  /** Gives a name or an id as it is, where it holds neither the key nor a word of a value; else what is left of it. */
  withoutSecrets(text: string): string {
    return this.#isClean(text) ? text : this.quote(text, maxIdLength);
  }

  /** Takes the key out of an answer's headers. */
  headersWithoutKey(headers: Headers): Headers {
    const safe = new Headers();
    for (const [name, value] of headers) safe.append(name, this.withoutKey(value));
    return safe;
  }

  /**
   * Gives the beginning of a text without the key and without any word of a value, on one line.
   *
   * @param text - as it came
   * @param maxLength - how many characters are given back, at most
   */
  quote(text: string, maxLength: number): string {
    // Twice as much is enough to be read, and a text of any length costs no more.
    const seen = unescaped(this.withoutKey(text.slice(0, 2 * maxLength + longestWord)));
    const safe = this.#withoutWords(seen, "quoted").replace(/[\p{Cc}\s\ufffd]+/gu, " ");
    return safe.trim().slice(0, maxLength);
  }

  /**
   * Gives `cause` itself where it is an error that holds no secret; else a copy that tells its name, code and
   * redacted message and stack, and the same of what lies behind it.
   */
  causeWithoutSecrets(cause: unknown): unknown {
    try {
      return this.#withoutSecrets(cause, 0);
    } catch {
      // What somebody's own `fetch` rejects with may refuse to be read.
      return new Error("an error that cannot be read");
    }
  }

  #withoutSecrets(cause: unknown, depth: number): unknown {
    if (cause === undefined || depth > maxDepth) return undefined;
    if (!(cause instanceof Error)) return this.quote(textOf(cause), 500);
    const shown = shownBy(cause);
    if (shown !== undefined && this.#isClean(shown)) return cause;
    const inner = this.#withoutSecrets(cause.cause, depth + 1);
    const copy = new Error(
      this.quote(textOf(cause.message), 500),
      inner === undefined ? undefined : { cause: inner },
    );
    const name = nameOfError(cause);
    // A line of the message may look like a frame.
    const said = linesOf(cause.message);
    const frames = linesOf(cause.stack)
      .filter((line) => frame.test(line) && !said.includes(line))
      .map((line) => this.withoutKey(line));
    const { code } = cause as { code?: unknown };
    Object.defineProperty(copy, "name", { value: name, configurable: true });
    copy.stack = [`${name}: ${copy.message}`, ...frames].join("\n");
    return typeof code === "string" ? Object.assign(copy, { code: this.quote(code, 50) }) : copy;
  }

  #isClean(text: string): boolean {
    if (this.withoutKey(text) !== text) return false;
    const plain = unescaped(text);
    return !this.#sharesWord(plain) || this.#withoutWords(plain, "whole") === plain;
  }

  /** Whether a word of a text may have been sent. Most short texts share none, and then no value need be read. */
  #sharesWord(text: string): boolean {
    // Beyond ASCII, how a word is written in lower case may depend on what follows it.
    return notAscii.test(text) || (text.toLowerCase().match(words) ?? []).some((word) => this.#wasSent(word));
  }

  #wasSent(word: string): boolean {
    this.#sentText ??= `${this.#apiKey ?? ""} ${this.#body}`.toLowerCase();
    const earlier = this.#earlier ? this.#earlier.#wasSent(word) : false;
    return earlier || this.#sentText.includes(word);
  }

  /**
   * @param kind - "quoted": it may be cut off within a word, and hold text in base64; "whole": neither
   */
  #withoutWords(text: string, kind: "quoted" | "whole"): string {
    const { telling, phrases } = this.#words();
    const rest = phrases.replaceIn(text, mark);
    return rest.replace(words, (word, at: number) => {
      const lower = word.toLowerCase();
      if (telling.has(lower)) return mark;
      if (kind === "whole") return word;
      const isCut = at + word.length === rest.length && word.length >= 2 && isStartOfAny(telling, lower);
      return isCut || word.length >= longestWord ? mark : word;
    });
  }

  #words(): Known {
    const earlier = this.#earlier ? this.#earlier.#words().telling : [];
    this.#known ??= knownOf(leavesOf(this.#apiKey, this.#body), earlier);
    return this.#known;
  }
}

/** The name of an error, which is anybody's to set, where it looks like one. */
export function nameOfError(error: unknown): string {
  const name = error instanceof Error ? textOf(error.name) : "";
  return /^[A-Z][A-Za-z]{0,40}$/.test(name) ? name : "Error";
}

/** The strings and numbers that were sent. */
function leavesOf(apiKey: string | undefined, json: string): string[] {
  const leaves = apiKey ? [apiKey] : [];
  JSON.parse(json, (_, value: unknown) => {
    if (typeof value === "string" || typeof value === "number") leaves.push(String(value));
    return value;
  });
  return leaves;
}

/** How values are recognised. */
interface Known {
  /** The words that are told from chance: long ones, those with digits or of other scripts, and whole values. */
  readonly telling: ReadonlySet<string>;
  /** The values with other words. */
  readonly phrases: SecretPhrases;
}

function knownOf(leaves: readonly string[], earlier: Iterable<string>): Known {
  const telling = new Set<string>(earlier);
  const phrases = new SecretPhrases();
  for (const leaf of leaves) {
    const found = leaf.match(words) ?? [];
    let tellAll = true;
    for (const word of found) {
      if (isTelling(word, found.length === 1)) telling.add(word.toLowerCase());
      else tellAll = false;
    }
    if (found.length > 1 && !tellAll) phrases.add(leaf, found);
  }
  return { telling, phrases };
}

function isTelling(word: string, isWhole: boolean): boolean {
  return word.length >= shortestWord || (word.length >= 2 && (isWhole || /[\d\u0080-\uffff]/.test(word)));
}

/** Whether a word that a text ends with may be the beginning of a secret one. */
function isStartOfAny(known: ReadonlySet<string>, start: string): boolean {
  for (const word of known) if (word.startsWith(start)) return true;
  return false;
}

/** Undoes what JSON, URLs and HTML escape, as far as it is made of letters and digits. */
function unescaped(text: string): string {
  if (!/[%\\&]/.test(text)) return text;
  return text
    .replace(/(?:%[\da-f]{2})+/gi, decodePercent)
    .replace(/\\+u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\+[nrt]/g, " ")
    .replace(/&#x([\da-f]{1,6});/gi, (_, code: string) => characterOf(Number.parseInt(code, 16)))
    .replace(/&#(\d{1,7});/g, (_, code: string) => characterOf(Number(code)))
    .replace(/&[a-z]{2,6};/gi, " ");
}

function decodePercent(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return " ";
  }
}

function characterOf(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : " ";
}

/** Takes the start of a secret off the end of a text that was cut within it. */
function withoutStartOf(secret: string, text: string): string {
  // Nearly no text holds even that much of it, and this is asked of every document.
  if (!text.includes(secret.slice(0, shortestWord))) return text;
  for (let length = secret.length - 1; length >= shortestWord; length--) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + mark;
  }
  return text;
}

/**
 * Everything that an error would show when it is inspected, as one text; `undefined` where it holds something
 * that cannot be read through, such as a request.
 */
function shownBy(value: unknown, depth = 0): string | undefined {
  if (typeof value === "function") return Object.keys(value).length === 0 ? "" : undefined;
  if (typeof value !== "object" || value === null) return textOf(value);
  if (depth > maxDepth || !(hasPlainPrototype(value) || isPlainError(value))) return undefined;
  const texts: string[] = [];
  for (const key of Reflect.ownKeys(value)) {
    // It shows itself in a way of its own.
    if (key === "toJSON" || key === inspection) return undefined;
    const property = Object.getOwnPropertyDescriptor(value, key);
    // Newer engines keep the stack behind a getter of their own.
    const isReadable = property !== undefined && ("value" in property || key === "stack");
    const member: unknown = isReadable ? Reflect.get(value, key) : undefined;
    // Of a stack the frames are code, and hold nothing that was sent.
    const shown = key === "stack" ? linesOf(member).filter((line) => !frame.test(line)) : member;
    const text = isReadable ? shownBy(shown, depth + 1) : undefined;
    if (text === undefined) return undefined;
    texts.push(text);
    // Of an object that was made from values, the names are values.
    if (!(value instanceof Error)) texts.push(textOf(key));
  }
  return texts.join("\n");
}

function linesOf(stack: unknown): string[] {
  return textOf(stack).split("\n");
}

function hasPlainPrototype(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Array.isArray(value);
}

/** An error whose class shows nothing by itself: no getter, `toJSON` or inspection of its own. */
function isPlainError(value: object): boolean {
  if (!(value instanceof Error)) return false;
  for (
    let at: object = Object.getPrototypeOf(value);
    at !== Error.prototype;
    at = Object.getPrototypeOf(at)
  ) {
    if (at === globalThis.DOMException?.prototype) return true;
    const showsMore = Reflect.ownKeys(at).some((key) => {
      const property = Object.getOwnPropertyDescriptor(at, key);
      // Node's own errors have a getter named "constructor", which tells their class.
      const isGetter = property?.get !== undefined && typeof key === "string" && key !== "constructor";
      return isGetter || key === "toJSON" || key === inspection;
    });
    if (showsMore) return false;
  }
  return true;
}

const inspection = Symbol.for("nodejs.util.inspect.custom");

/** Something that was thrown, in words; it can be anything, even an object that refuses to become a string. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return "something that is no error";
  }
}
