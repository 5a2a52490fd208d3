import { contentsOf, frame, framesOf, linesOf, maxDepth, textOf } from "./error-contents.ts";
import { decodeEscapes } from "./escapes.ts";
import { ordinaryWords } from "./ordinary-words.ts";
import { replaceKey, shortestLongKey } from "./secret-key.ts";
import { SecretPhrases } from "./secret-phrases.ts";

/**
 * Takes what the caller sent out of what came from elsewhere.
 *
 * A service may repeat the key or a value in its answer, and a mock or a `fetch` of somebody's own in its error.
 * Such text ends up in messages and logs, where neither may stand. Values are recognised word by word: words
 * survive every escape, and a text that was cut off within a value still holds its other words. Ordinary words and the
 * names of the placeholders stay, so that a refusal can be read.
 */

const mark = "[redacted]";

const words = /[\p{L}\p{N}]+/gu;

const notAscii = /[^\0-\x7f]/;

/** Shorter words stand in every text. */
const shortestWord = 4;

/** How many ordinary words a value has that says something by them alone. */
const shortestSentence = 4;

/** Longer runs of letters and digits are no words: keys, tokens, text in base64. */
const longestWord = 24;

/** What is left of an id that held a secret is no id any more, and need not be long. */
const maxIdLength = 200;

/** How long a text may be to be searched for secrets as a whole; what is longer is taken to hold one. */
const maxSearchedLength = 10_000;

/** How long a text may be for each of its words to be searched in all that was sent. */
const maxLengthByWord = 1_000;

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
    return this.#apiKey ? replaceKey(rest, this.#apiKey, mark) : rest;
  }

  /**
   * Takes the key out of what `JSON.parse` returned: of every string, number and property name. Changes `parsed` itself, and
   * returns it unless it is the key.
   */
  parsedWithoutKey(parsed: unknown): unknown {
    const root = { parsed };
    // Without recursion: an answer may be nested deeper than a stack.
    const left: object[] = [root];
    for (let container = left.pop(); container; container = left.pop()) {
      for (const [name, member] of Object.entries(container)) {
        const safeName = Array.isArray(container) ? name : this.withoutKey(name);
        const safe = this.#leafWithoutKey(member);
        if (safeName !== name) Reflect.deleteProperty(container, name);
        if (safeName !== name || safe !== member) {
          // Not by assignment, which `__proto__` would catch.
          Object.defineProperty(container, safeName, {
            value: safe,
            configurable: true,
            enumerable: true,
            writable: true,
          });
        }
        if (typeof safe === "object" && safe !== null) left.push(safe);
      }
    }
    return root.parsed;
  }

  #leafWithoutKey(value: unknown): unknown {
    if (typeof value === "string") return this.withoutKey(value);
    // With a space behind it: a number is never the start of a key that was cut off.
    const isKey = typeof value === "number" && this.withoutKey(`${value} `) !== `${value} `;
    // Of a number with more than 16 digits, parsing has lost the last ones.
    return isKey || (typeof value === "number" && this.#isNumber(value)) ? mark : value;
  }

  #isNumber(value: number): boolean {
    const earlier = this.#earlier ? this.#earlier.#isNumber(value) : false;
    return earlier || (/^\d{16,}$/.test(this.#apiKey ?? "") && Number(this.#apiKey) === value);
  }

  /** Gives a name or an id as it is, where it holds neither the key nor a word of a value; else what is left of it. */
  withoutSecrets(text: string): string {
    return this.#isClean(text) ? text : this.quote(text, maxIdLength);
  }

  /** Takes the key out of an answer's headers. */
  headersWithoutKey(headers: Headers): Headers {
    const safe = new Headers();
    for (const [name, value] of headers) {
      // A name cannot be redacted: the mark is not one.
      if (!this.#isInName(name)) safe.append(name, this.withoutKey(value));
    }
    return safe;
  }

  #isInName(name: string): boolean {
    const earlier = this.#earlier ? this.#earlier.#isInName(name) : false;
    // Names of headers come in lower case.
    const key = this.#apiKey?.toLowerCase() ?? "";
    return earlier || (key.length >= shortestLongKey && name.includes(key));
  }

  /**
   * Gives the beginning of a text without the key and without any word of a value, on one line.
   *
   * @param text - as it came
   * @param maxLength - how many characters are given back, at most
   */
  quote(text: string, maxLength: number): string {
    // Twice as much is enough to be read, and a text of any length costs no more.
    const seen = decodeEscapes(this.withoutKey(text.slice(0, 2 * maxLength + longestWord)));
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
      // A custom `fetch` may reject with an object that throws when it is read.
      return new Error("an error that cannot be read");
    }
  }

  #withoutSecrets(cause: unknown, depth: number): unknown {
    if (cause === undefined || depth > maxDepth) return undefined;
    if (!(cause instanceof Error)) return this.quote(textOf(cause), 500);
    const shown = contentsOf(cause);
    const frames = framesOf(cause);
    if (shown !== undefined && this.#isClean(shown) && this.withoutKey(frames) === frames) return cause;
    const inner = this.#withoutSecrets(cause.cause, depth + 1);
    const copy = new Error(
      this.quote(textOf(cause.message), 500),
      inner === undefined ? undefined : { cause: inner },
    );
    const ownName = nameOfError(cause);
    const name = this.#isClean(ownName) ? ownName : "Error";
    // A line of the message may look like a frame.
    const said = new Set(linesOf(cause.message));
    const safeFrames = linesOf(cause.stack)
      .filter((line) => frame.test(line) && !said.has(line))
      .map((line) => this.withoutKey(line));
    const { code } = cause as { code?: unknown };
    Object.defineProperty(copy, "name", { value: name, configurable: true });
    copy.stack = [`${name}: ${copy.message}`, ...safeFrames].join("\n");
    return typeof code === "string" ? Object.assign(copy, { code: this.quote(code, 50) }) : copy;
  }

  #isClean(text: string): boolean {
    if (text.length > maxSearchedLength || this.withoutKey(text) !== text) return false;
    const plain = decodeEscapes(text);
    return !this.#sharesWord(plain) || this.#withoutWords(plain, "whole") === plain;
  }

  /** Whether a word of a text may have been sent. Most short texts share none, and then no value need be read. */
  #sharesWord(text: string): boolean {
    // Beyond ASCII, how a word is written in lower case may depend on what follows it.
    if (text.length > maxLengthByWord || notAscii.test(text)) return true;
    return (text.toLowerCase().match(words) ?? []).some((word) => this.#wasSent(word));
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
    this.#known ??= knownOf(sentIn(this.#apiKey, this.#body), earlier);
    return this.#known;
  }
}

/** The name of an error, which is anybody's to set, where it looks like one. */
export function nameOfError(error: unknown): string {
  const name = error instanceof Error ? textOf(error.name) : "";
  return /^[A-Z][A-Za-z]{0,40}$/.test(name) ? name : "Error";
}

/** What was sent. */
interface Sent {
  /** The API key, and the strings and numbers of the values. */
  readonly secrets: readonly string[];
  /** The words of the placeholders' names, in lower case. */
  readonly names: ReadonlySet<string>;
}

function sentIn(apiKey: string | undefined, json: string): Sent {
  const secrets = apiKey ? [apiKey] : [];
  const names = new Set<string>();
  JSON.parse(json, function (this: unknown, name, value: unknown) {
    if (typeof value === "string" || typeof value === "number") secrets.push(String(value));
    if (!Array.isArray(this) && isPlaceholderName(name)) {
      for (const word of wordsOfName(name)) names.add(word.toLowerCase());
    }
    return value;
  });
  return { secrets, names };
}

/**
 * Whether a member is named as templates name their placeholders. Other names may be data: a map by customer, card or
 * e-mail address.
 */
function isPlaceholderName(name: string): boolean {
  return /^[A-Za-z_$][\w$-]{0,39}$/.test(name) && !/\d{3}/.test(name);
}

/** The words of a name such as `dueDate`, in one and one by one. */
function wordsOfName(name: string): readonly string[] {
  return [...(name.match(words) ?? []), ...(name.match(/\p{Lu}?\p{Ll}+/gu) ?? [])];
}

/** How values are recognised. */
interface Known {
  /** The words that are told from chance: long ones, those with digits or of other scripts, and whole values. */
  readonly telling: ReadonlySet<string>;
  /** The values with other words. */
  readonly phrases: SecretPhrases;
}

function knownOf({ secrets, names }: Sent, earlier: Iterable<string>): Known {
  const telling = new Set<string>(earlier);
  const phrases = new SecretPhrases();
  for (const secret of secrets) {
    const found = secret.match(words) ?? [];
    const isUntold = (word: string) => {
      const lower = word.toLowerCase();
      return ordinaryWords.has(lower) || names.has(lower);
    };
    const isOrdinary = found.every(isUntold);
    // A few ordinary words say nothing; a sentence of them does.
    if (isOrdinary && found.length < shortestSentence) continue;
    const tellingHere = found.filter((word) => !isUntold(word) && isTelling(word, found.length === 1));
    for (const word of tellingHere) telling.add(word.toLowerCase());
    if (found.length > 1 && tellingHere.length < found.length) phrases.add(secret, found);
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
