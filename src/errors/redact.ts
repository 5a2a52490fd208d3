/**
 * Removes secrets from texts of others: responses of the service, and errors of other code. Removes the API key in every usual
 * spelling. Quoted texts are decoded, and do not contain a value that was sent. Decision 7 describes what this costs.
 */

import { decodeUtf8 } from "../runtime/environment.ts";
import { isInstance, readForeign, readForeignText, safeString } from "./foreign-values.ts";
import { nameOfError } from "./value-kinds.ts";

const mark = "[redacted]";

/** The minimum length of a secret, and of the beginning of a truncated one. Shorter texts occur everywhere. */
const minLength = 4;

/** The maximum length of a text that is searched for values. */
const maxSearchedLength = 4_000;

/** The maximum number of characters that are compared with values. A text that needs more is not quoted. */
const maxComparisons = 5_000_000;

/** The maximum number of rounds in which nested escapes such as `%2526` are decoded. */
const maxRounds = 8;

/** The maximum number of errors that are copied with an error. */
const maxErrors = 20;

/** Matches an escape of JSON, URLs or HTML. A run of backslashes is one, which avoids quadratic time. */
const escapes =
  /\\+(?:u[\dA-Fa-f]{4}|[bfnrt"'/])|\\{2,}|(?:%[\dA-Fa-f]{2})+|&#(?:[Xx][\dA-Fa-f]{1,15}|\d{1,15});?|&[A-Za-z]{2,8};/g;

/** Matches an incomplete escape at the end of a text. */
const partialEscape = /(?:\\(?:u[\da-f]{0,3})?|%[\da-f]?|&#?[\da-z]{0,6})$/i;

/** Matches what follows a truncated value. */
const truncation = /^(?:…|\.{3}|$)/;

/** Matches a number, for example `1,234,567.50`, and the separators in it. */
const anyNumber = /\d+(?:[.,'’\s]\d{3}(?!\d))*(?:[.,]\d+)?/g;
const separators = /[.,'’\s](?=\d{3}(?!\d))/g;

/** Matches a text that no header can have. Decoded text may be one. */
const notHeader = /^.*[\0\r\n\u0100-\uffff].*$/s;

/** Matches a stack line that has a position in code. */
const stackFrame = /^ +at .*(?::\d+:\d+|<anonymous>|native|index \d+)\)?$/;

/** HTML's names of the characters in keys and in names of people, and of accents, as in `uuml`. */
const namedCharacters =
  "amp& apos' quot\" lt< gt> sol/ bsol\\ equals= plus+ grave` lowbar_ hyphen- period. colon: tilde~ pound£ euro€ " +
  "szligß aeligæ oslashø -grave\u0300 -acute\u0301 -circ\u0302 -tilde\u0303 -uml\u0308 -ring\u030a -cedil\u0327 -caron\u030c";

/** Words of error messages. They stay readable even if a value is such a word, because they do not identify a customer. */
const ordinaryWords =
  " allowed array blank body boolean character contain currency customer date default digit document " +
  "email empty equal error expected extra false field file format found given include input integer " +
  "invalid invoice item json length letter limit line list maximum member minimum missing more name " +
  "negative none null number object only optional order parameter parse pattern placeholder positive " +
  "property properties provided range received redacted refused rejected request required schema size " +
  "string template text total true type undefined unique unknown unsupported valid value zero ";

/** Removes the API key and the values of a call from other texts. Is created when the first of them is redacted. */
export class Redactor {
  /** The keys and other credentials of all attempts. */
  readonly #keys: readonly string[];
  readonly #body: string;
  /** The spellings of all keys. The longest come first, because another one may be a part of them. */
  readonly #spellings: readonly string[];
  #sent: ReturnType<typeof readValues> | undefined;

  /**
   * @param keys - the key or other credentials that were sent
   * @param body - the JSON text that was sent
   * @param earlier - the redactor of the earlier attempts, if the key has changed since
   */
  constructor(keys: string | readonly string[] | undefined, body: string, earlier?: Redactor) {
    this.#keys = [earlier ? earlier.#keys : [], keys ?? []].flat().filter(isLongEnough);
    this.#body = body;
    const spellings = this.#keys.flatMap(spellingsOf).filter(isLongEnough);
    this.#spellings = spellings.sort((one, other) => other.length - one.length);
  }

  /** Removes the key, even if the text is truncated within it. If the key has escapes, the other escapes are decoded, too. */
  withoutKey(text: string): string {
    if (this.#spellings.length === 0) return text;
    const safe = withoutSpellings(text, this.#spellings);
    // A truncated escape may look like another one, for example `&#6` from `&#65;`.
    const decoded = decode(safe.replace(partialEscape, ""));
    const safeDecoded = withoutSpellings(decoded, this.#spellings);
    return safeDecoded === decoded && decoded !== mark ? safe : safeDecoded;
  }

  /** Removes the key from response headers, and removes headers whose name contains it. */
  headersWithoutKey(headers: Headers): Headers {
    // Names of headers are in lower case.
    const spellings = this.#spellings.map((spelling) => spelling.toLowerCase());
    const safe = [...headers].filter(([name]) => {
      const searched = `${name} ${decode(name)}`;
      return !spellings.some((spelling) => searched.includes(spelling));
    });
    return new Headers(safe.map(([name, value]) => [name, this.withoutKey(value).replace(notHeader, mark)]));
  }

  /** Returns a name or an id unchanged if it contains no secret, otherwise its redacted beginning. */
  withoutSecrets(text: string): string {
    const safe = this.#sharesNothing(text) ? text : this.quote(text, maxSearchedLength);
    return text.length <= maxSearchedLength && !safe.includes(mark) ? text : safe.slice(0, 200);
  }

  /** Whether a short id has no four characters in common with what was sent. Then the values need not be parsed. */
  #sharesNothing(text: string): boolean {
    // JSON escapes none of these characters.
    if (!/^[\w.:-]{1,200}$/.test(text) || this.withoutKey(text) !== text) return false;
    const sent = fold([...this.#keys, this.#body].join(" "));
    const beginnings = Array.from(text, (_, start) => fold(text.slice(start, start + minLength)));
    return !beginnings.some((beginning) => beginning.length === minLength && sent.includes(beginning));
  }

  /**
   * Returns the decoded beginning of a text on one line, without the key and the values.
   *
   * @param maxLength - the maximum length of the result, in characters
   */
  quote(text: string, maxLength: number): string {
    const excerpt = this.withoutKey(text.slice(0, maxSearchedLength));
    const isCut = text.length > maxSearchedLength;
    const line = onOneLine(decode(isCut ? excerpt.replace(partialEscape, "") : excerpt));
    return this.#withoutValues(line).slice(0, maxLength);
  }

  /**
   * Returns a copy of an error with its name, code, message, stack, cause and aggregated errors, all of them redacted. Omits other
   * properties, which may contain anything, for example the request.
   *
   * @param seen - the errors that have been copied
   */
  causeWithoutSecrets(thrown: unknown, seen = new Set<unknown>()): unknown {
    if (thrown === undefined || seen.has(thrown) || seen.size === maxErrors) return undefined;
    if (!isInstance(thrown, Error)) return this.quote(safeString(thrown), 500);
    seen.add(thrown);
    const message = this.quote(safeString(readForeign(thrown, "message")), 500);
    const cause = this.causeWithoutSecrets(readForeign(thrown, "cause"), seen);
    const options = cause === undefined ? undefined : { cause };
    const errors = readForeign(thrown, "errors");
    const copies = Array.from({ length: maxErrors }, (_, at) =>
      isInstance(errors, Array) ? this.causeWithoutSecrets(readForeign(errors, at), seen) : undefined,
    ).filter((one) => one !== undefined);
    const copy =
      copies.length > 0 ? new AggregateError(copies, message, options) : new Error(message, options);
    const name = this.withoutSecrets(nameOfError(thrown));
    Object.defineProperty(copy, "name", { value: name, configurable: true });
    const lines = safeString(readForeign(thrown, "stack")).slice(-maxSearchedLength).split("\n");
    const frames = this.quote(lines.filter((line) => stackFrame.test(line)).join(""), maxSearchedLength);
    copy.stack = `${name}: ${message}${` ${frames}`.replace(/ at /g, "\n    at ").trimEnd()}`;
    const code = readForeignText(thrown, "code");
    return code === undefined ? copy : Object.assign(copy, { code: this.withoutSecrets(code) });
  }

  #withoutValues(line: string): string {
    this.#sent ??= readValues(this.#keys, this.#body);
    const { valuesByBeginning, names } = this.#sent;
    const shown = line.split("");
    for (const { 0: number, index } of line.matchAll(anyNumber)) {
      const plain = plainNumber(number);
      if (valuesByBeginning.get(plain.slice(0, minLength))?.has(plain))
        shown.fill("\0", index, index + number.length);
    }
    const searched = fold(line);
    const unusual = searched.replace(/\p{L}+/gu, (word) =>
      names.has(word) || isOrdinary(word) ? "\0".repeat(word.length) : word,
    );
    let comparisons = 0;
    for (let start = 0; start < searched.length; start++) {
      for (const length of [2, 3, minLength]) {
        for (const value of valuesByBeginning.get(searched.slice(start, start + length)) ?? []) {
          let end = start;
          while (end < searched.length && searched[end] === value[end - start]) end++;
          comparisons += 10 + end - start;
          if (comparisons > maxComparisons) return mark;
          const isTruncated = end - start >= minLength && truncation.test(searched.slice(end, end + 3));
          const isFound = isTruncated || end - start === value.length;
          // Part of an ordinary word is not a value, for example "ring" in "string".
          if (isFound && /[^\0]/.test(unusual.slice(start, end))) shown.fill("\0", start, end);
        }
      }
    }
    return shown.join("").replace(/\0+/g, mark);
  }
}

/** Reads the strings and numbers that were sent, by their first four characters, and the names of properties. Folds both. */
function readValues(keys: readonly string[], json: string) {
  const valuesByBeginning = new Map<string, Set<string>>();
  const names = new Set<string>();
  const add = (value: string) => {
    const forms = /[\\%&]/.test(value) ? [value, decode(value)] : [value];
    // A text that is one number, for example `£1,000`.
    const [number, ...others] = /\p{L}/u.test(value) ? [] : (value.match(anyNumber) ?? []);
    for (const form of number && others.length === 0 ? [...forms, plainNumber(number)] : forms) {
      const text = fold(onOneLine(form));
      const beginning = text.slice(0, minLength);
      if (isLongEnough(text))
        valuesByBeginning.set(beginning, (valuesByBeginning.get(beginning) ?? new Set()).add(text));
    }
  };
  keys.forEach(add);
  JSON.parse(json, (name, value: unknown) => {
    // A longer value cannot be quoted as a whole.
    if (typeof value === "string" || typeof value === "number")
      add(String(value).slice(0, maxSearchedLength));
    if (/^\p{L}{1,40}$/u.test(name)) names.add(fold(name));
    return value;
  });
  return { valuesByBeginning, names };
}

/** Returns a number without separators, and without zeros at the end of its fraction. */
function plainNumber(number: string): string {
  return String(Number(number.replace(separators, "").replace(",", ".")));
}

/** Whether a secret can be recognised. Names in Chinese, Japanese and Korean have two or three characters. */
function isLongEnough(text: string): boolean {
  return text.length >= minLength || /[\u2e80-\uffff].?[\u2e80-\uffff]/.test(text);
}

/** Whether a word is an ordinary one, with or without an ending, as in `values` or `expected`. */
function isOrdinary(word: string): boolean {
  return [/$/, /s$/, /d$/, /ed$/].some((ending) => ordinaryWords.includes(` ${word.replace(ending, "")} `));
}

function withoutSpellings(text: string, spellings: readonly string[]): string {
  let safe = text;
  for (const spelling of spellings) {
    safe = safe.replaceAll(spelling, mark);
    // Few texts contain the beginning of a key.
    let length = safe.includes(spelling.slice(0, minLength)) ? spelling.length - 1 : 0;
    while (length >= minLength && !safe.endsWith(spelling.slice(0, length))) length--;
    if (length >= minLength) safe = safe.slice(0, -length) + mark;
  }
  return safe;
}

/** Returns a key as it is, in hexadecimal, and in base64 and base64url, alone or within other encoded text. */
function spellingsOf(key: string): string[] {
  const bytes = /[^\0-\xff]/.test(key) ? String.fromCharCode(...new TextEncoder().encode(key)) : key;
  const hex = Array.from(bytes, (one) => one.charCodeAt(0).toString(16).padStart(2, "0")).join("");
  // The characters at both ends also depend on the bytes before and after the key.
  const within = [0, 1, 2].map((before) =>
    btoa("\0".repeat(before) + bytes).slice(Math.ceil((before * 4) / 3), ((before + bytes.length) * 4) / 3),
  );
  const plus = [btoa(bytes), btoa(bytes).replace(/=/g, ""), ...within];
  const minus = plus.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"));
  return [...new Set([key, decode(key), hex, hex.toUpperCase(), ...plus, ...minus])];
}

/** Decodes escapes, including nested ones. */
function decode(text: string, rounds = maxRounds): string {
  if (rounds === 0) return mark;
  const decoded = text.replace(escapes, decodeEscape);
  return decoded === text ? text : decode(decoded, rounds - 1);
}

function decodeEscape(one: string): string {
  if (one.startsWith("%")) {
    const bytes = one.slice(1).split("%");
    return decodeUtf8(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)));
  }
  if (/^(?:&#|\\+u)/.test(one)) {
    const code = Number.parseInt(one.replace(/[^\da-f]/gi, ""), /^&#\d/.test(one) ? 10 : 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : " ";
  }
  if (one.startsWith("\\")) return /[bfnrt]$/.test(one) ? " " : one.slice(-1);
  const name = one.slice(1, -1).toLowerCase();
  const accent = characterNamed(`-${name.slice(1)}`);
  return characterNamed(name) ?? (accent ? name.charAt(0) + accent : " ");
}

function characterNamed(name: string): string | undefined {
  const found = namedCharacters.split(" ").find((entry) => entry.slice(0, -1) === name);
  return found?.slice(-1);
}

/** Converts a text so that comparisons ignore case, and spaces that are encoded as `+`. Does not change its length. */
function fold(text: string): string {
  return text.replaceAll("İ", "I").replaceAll("+", " ").toLowerCase().replaceAll("ς", "σ");
}

function onOneLine(text: string): string {
  const line = text.normalize().replace(/[\p{Cc}\s\ufffd]+/gu, " ");
  return line.trim();
}
