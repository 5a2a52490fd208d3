/**
 * Takes what the caller sent out of what came from elsewhere.
 *
 * A service may repeat the key or a value in its answer, and a mock or a `fetch` of somebody's own in its error.
 * Such text ends up in messages and logs, where neither may stand.
 */

const mark = "[redacted]";

/** Shorter values are too likely to be part of any text; replacing them would only garble it. */
const shortestValue = 4;

/** With as many letters and digits a secret is recognised by these alone, whatever escapes stand between them. */
const shortestFolded = 6;

/** How many characters an escape makes of one, at most: `&#x000027;`. */
const maxSpelling = 10;

/** How deep an error is searched before it is taken for one that may hold anything. */
const maxDepth = 6;

/** Knows the secrets of one request: its API key, and the values of the template. Costs nothing until it is asked. */
export class Redactor {
  readonly #apiKey: string | undefined;
  readonly #body: string;
  #keySecrets: readonly Secret[] | undefined;
  #allSecrets: readonly Secret[] | undefined;

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
    this.#keySecrets ??= [secretOf(this.#apiKey)];
    return without(this.#keySecrets, withoutStartOf(this.#apiKey, text), text.length);
  }

  /**
   * Takes the key and every value out of a text.
   *
   * @param text - as it came, not cut yet: half a secret would not be recognised
   * @param maxLength - how many characters of the text are looked at and given back, at most
   */
  withoutSecrets(text: string, maxLength = text.length): string {
    this.#allSecrets ??= [...(this.#apiKey ? [this.#apiKey] : []), ...leavesOf(this.#body)].map(secretOf);
    return without(this.#allSecrets, text, maxLength);
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
    const shown = shownBy(cause);
    if (shown !== undefined && this.withoutSecrets(shown) === shown) return cause;
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
}

/**
 * Everything that an error would show when it is inspected, as one text; `undefined` where it holds something
 * that cannot be read through, such as a request.
 */
function shownBy(value: unknown, depth = 0): string | undefined {
  if (typeof value !== "object" || value === null) return typeof value === "function" ? "" : textOf(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === Object.prototype || prototype === null || Array.isArray(value);
  if (depth > maxDepth || !(isPlain || value instanceof Error)) return undefined;
  const texts: string[] = [];
  for (const key of Reflect.ownKeys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key);
    // Newer engines keep the stack behind a getter of their own.
    const isReadable = property !== undefined && ("value" in property || key === "stack");
    const text = isReadable ? shownBy(Reflect.get(value, key), depth + 1) : undefined;
    if (text === undefined) return undefined;
    texts.push(text);
  }
  return texts.join("\n");
}

/** A secret, and how it is looked for. */
interface Secret {
  readonly text: string;
  /** Its letters and digits, where there are enough of them to be told from chance. */
  readonly folded: string | undefined;
}

function secretOf(text: string): Secret {
  const folded = text.replace(/[^a-z0-9]+/gi, "").toLowerCase();
  return { text, folded: folded.length >= shortestFolded ? folded : undefined };
}

/** A text as it is, and as JSON and URLs spell it: escaped, with `\/`, in ASCII only, percent-encoded. */
function spellingsOf(text: string): string[] {
  const escaped = JSON.stringify(text).slice(1, -1);
  const ascii = escaped.replace(/[\u0080-\uffff]/g, (unit) => `\\u${hex(unit.charCodeAt(0), 4)}`);
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => `%${hex(byte, 2).toUpperCase()}`).join(
    "",
  );
  return [...new Set([text, escaped, escaped.replaceAll("/", "\\/"), ascii, bytes])];
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, "0");
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

/** Cuts every secret out of a text, however it is escaped; in time that grows with the text alone. */
function without(secrets: readonly Secret[], text: string, maxLength: number): string {
  const longest = secrets.reduce((length, secret) => Math.max(length, secret.text.length), 0);
  // Whatever begins in what is shown is looked at whole.
  const seen = text.slice(0, maxLength + maxSpelling * longest).replaceAll("\0", " ");
  const foldings = escapes.map((pattern) => foldingOf(seen, pattern).letters);
  const present = secrets
    .filter(({ folded }) => folded === undefined || foldings.some((letters) => letters.includes(folded)))
    .sort((a, b) => b.text.length - a.text.length);
  // Blanked out at their full length first, so that what is shown ends where it would have ended.
  let blanked = seen;
  for (const spelling of present.flatMap((secret) => spellingsOf(secret.text))) {
    blanked = blanked.replaceAll(spelling, blank(spelling.length));
  }
  for (const pattern of escapes) {
    for (const { folded } of present) if (folded) blanked = withoutFolded(folded, blanked, pattern);
  }
  return blanked.slice(0, maxLength).replace(/\0+/g, mark);
}

/** What escapes are made of. A backslash and a letter may be one or, in a path, just that: both are tried. */
const escapes = [
  /%[\da-f]{2}|&#?\w{1,8};|\\+(?:u[\da-f]{4}|[bfnrt])|([a-z0-9])/gi,
  /%[\da-f]{2}|&#?\w{1,8};|\\+u[\da-f]{4}|([a-z0-9])/gi,
] as const;

/** The letters and digits of a text in a row, and where each of them stands. */
function foldingOf(text: string, pattern: RegExp): { letters: string; places: number[] } {
  let letters = "";
  const places: number[] = [];
  for (const { 1: letter, index } of text.matchAll(pattern)) {
    if (letter === undefined) continue;
    letters += letter.toLowerCase();
    places.push(index);
  }
  return { letters, places };
}

/** Blanks out what has a secret's letters and digits in a row, with any escapes and punctuation between them. */
function withoutFolded(folded: string, text: string, pattern: RegExp): string {
  const { letters, places } = foldingOf(text, pattern);
  let blanked = text;
  for (let at = letters.indexOf(folded); at !== -1; at = letters.indexOf(folded, at + folded.length)) {
    const from = places[at] ?? 0;
    const to = (places[at + folded.length - 1] ?? from) + 1;
    blanked = blanked.slice(0, from) + blank(to - from) + blanked.slice(to);
  }
  return blanked;
}

function blank(length: number): string {
  return "\0".repeat(length);
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
