/**
 * Takes what the caller sent out of what came from elsewhere.
 *
 * A service may repeat the key or a value in its answer, and a mock or a `fetch` of somebody's own in its error.
 * Such text ends up in messages and logs, where neither may stand.
 */

const mark = "[redacted]";

/** Stands for a text in which a secret shows through in a spelling that cannot be cut out. */
const withheld = "[withheld: it repeats what was sent]";

/** Shorter values are too likely to be part of any text; replacing them would only garble it. */
const shortestValue = 4;

/** The same for texts that are compared by their letters and digits alone. */
const shortestFolded = 6;

/** How deep an error is searched before it is taken for one that may hold anything. */
const maxDepth = 6;

/** Knows the secrets of one request: its API key, and the values of the template. Costs nothing until it is asked. */
export class Redactor {
  readonly #apiKey: string | undefined;
  readonly #body: string;
  #knownSecrets: readonly string[] | undefined;

  /**
   * @param apiKey - the key that was sent
   * @param body - the JSON text that was sent
   */
  constructor(apiKey: string | undefined, body: string) {
    this.#apiKey = apiKey;
    this.#body = body;
  }

  /** Takes the key out of a text, also where the text ends within it. */
  withoutKey(text: string): string {
    if (!this.#apiKey) return text;
    return safeText(withoutStartOf(this.#apiKey, text), [this.#apiKey], text.length);
  }

  /**
   * Takes the key and every value out of a text.
   *
   * @param text - as it came, not cut yet: half a secret would not be recognised
   * @param maxLength - how many characters of the text are looked at and given back, at most
   */
  withoutSecrets(text: string, maxLength = text.length): string {
    this.#knownSecrets ??= [...(this.#apiKey ? [this.#apiKey] : []), ...leavesOf(this.#body)];
    return safeText(text, this.#knownSecrets, maxLength);
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
      this.withoutSecrets(textOf(cause.message)),
      inner === undefined ? undefined : { cause: inner },
    );
    const name = this.withoutSecrets(textOf(cause.name));
    Object.defineProperty(copy, "name", { value: name, configurable: true });
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
      // Newer engines keep the stack behind a getter of their own.
      const isKnown = property !== undefined && ("value" in property || key === "stack");
      return isKnown && this.#isClean(Reflect.get(value, key), depth + 1);
    });
  }
}

/** The strings and numbers of a JSON text that are long enough to be told from chance. */
function leavesOf(json: string): Set<string> {
  const leaves = new Set<string>();
  JSON.parse(json, (_, value: unknown) => {
    const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
    if (text.length >= shortestValue) leaves.add(text);
    return value;
  });
  return leaves;
}

/**
 * Cuts every secret out of a text, however it is escaped, and withholds the text where one still shows through.
 */
function safeText(text: string, secrets: readonly string[], maxLength: number): string {
  const longest = secrets.reduce((length, secret) => Math.max(length, secret.length), 0);
  // Whatever begins in what is shown is looked at whole.
  const seen = text.slice(0, maxLength + maxSpelling * longest).replaceAll("\0", " ");
  // Blanked out at their full length first, so that what is shown ends where it would have ended.
  const blanked = secrets
    .filter((secret) => mayStandIn(seen, secret))
    .sort((a, b) => b.length - a.length)
    .reduce((safe, secret) => safe.replace(patternOf(secret), blank), seen);
  const folded = [foldText(blanked, /\\+(?:u[\da-f]{4}|[bfnrt])/gi), foldText(blanked, /\\+u[\da-f]{4}/gi)];
  const shows = secrets.some((secret) => {
    const wanted = fold(secret);
    return wanted.length >= shortestFolded && folded.some((letters) => letters.includes(wanted));
  });
  return shows ? withheld : blanked.slice(0, maxLength).replace(/\0+/g, mark);
}

function blank(found: string): string {
  return "\0".repeat(found.length);
}

/** Whether it is worth looking closer: the first letters and digits of a secret, which nobody escapes, are there. */
function mayStandIn(text: string, secret: string): boolean {
  const [run] = /[a-z0-9]+/i.exec(secret) ?? [];
  return run === undefined || text.includes(run);
}

/** How many characters an escape makes of one, at most: `&#x000027;`. */
const maxSpelling = 10;

/** Matches a text with each of its characters as it is, or as JSON, HTML or a URL escapes it, even repeatedly. */
function patternOf(secret: string): RegExp {
  return new RegExp(Array.from(secret, spellingsOf).join(""), "gi");
}

function spellingsOf(character: string): string {
  if (/[a-z0-9]/i.test(character)) return character;
  const plain = character.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const code = character.codePointAt(0) ?? 0;
  const units = Array.from({ length: character.length }, (_, at) => hex(character.charCodeAt(at), 4));
  const bytes = Array.from(new TextEncoder().encode(character), (byte) => `%${hex(byte, 2)}`);
  const escapes: { readonly [character: string]: string } = {
    "\n": "|\\\\+n",
    "\r": "|\\\\+r",
    "\t": "|\\\\+t",
    "\b": "|\\\\+b",
    "\f": "|\\\\+f",
    " ": "|\\+",
  };
  const inJson = units.map((unit) => `\\\\+u${unit}`).join("");
  const inHtml = `&#0*${code};|&#x0*${hex(code, 1)};|&[a-z]{2,6};`;
  return `(?:\\\\*${plain}|${inJson}|${inHtml}|${bytes.join("")}${escapes[character] ?? ""})`;
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, "0");
}

/** Letters and digits of a text, without what escapes made of everything else. */
function foldText(text: string, escapes: RegExp): string {
  return fold(text.replace(/%[\da-f]{2}|&#?\w{1,8};/gi, "").replace(escapes, ""));
}

function fold(text: string): string {
  return text.replace(/[^a-z0-9]+/gi, "").toLowerCase();
}

/** Takes the start of a secret off the end of a text that was cut within it. */
function withoutStartOf(secret: string, text: string): string {
  for (let length = secret.length - 1; length >= shortestValue; length--) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + mark;
  }
  return text;
}

/** Something that was thrown, in words; it can be anything, even an object that refuses to become a string. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return "something that is no error";
  }
}
