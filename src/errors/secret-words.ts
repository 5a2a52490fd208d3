import { isOrdinary } from "./ordinary-words.ts";
import type { TextRange } from "./secret-key.ts";

/** Matches a run of letters and digits. */
export const anyWord = /[\p{L}\p{N}]+/gu;

/** The minimum length of a distinctive word. Shorter words occur in every text. */
const shortestWord = 4;

/** The minimum length of a token. A run of letters and digits this long is a key, a token or base64. */
const shortestToken = 24;

/** The minimum number of ordinary words in a secret. Fewer of them reveal nothing. */
const shortestSentence = 4;

/** The maximum length of a phrase, in characters. Longer values are usually truncated in quotes, and have distinctive words. */
const longestPhrase = 200;

/**
 * The words in the API keys and values of a call, in lower case.
 *
 * A distinctive word is secret by itself: a long word, a word with digits, a word in another script, or a value of one word. A
 * value with other words, for example `Li Wei` or 1.5, is secret as a phrase. Ordinary words and placeholder names are secret only
 * in sentences.
 */
export class SecretWords {
  readonly #words = new Set<string>();
  /** The words of each phrase, joined by spaces. */
  readonly #phrases = new Set<string>();
  /** The number of words in the longest phrase. */
  #longest = 1;

  /** @param json - the request body */
  constructor(keys: readonly string[], json: string) {
    const secrets = [...keys];
    const names = new Set<string>();
    JSON.parse(json, (name, value: unknown) => {
      if (typeof value === "string" || typeof value === "number") secrets.push(String(value));
      if (isPlaceholder(name)) for (const word of wordsOfName(name)) names.add(word);
      return value;
    });
    for (const secret of secrets) this.#add(secret, names);
  }

  /**
   * Finds the secret words and phrases in a string, including phrases that overlap.
   *
   * @param isExcerpt - whether the text may be truncated within a word, or contain text in base64
   */
  find(text: string, isExcerpt: boolean): TextRange[] {
    const found = [...text.matchAll(anyWord)];
    const words = found.map(([word]) => word.toLowerCase());
    const ranges: TextRange[] = [];
    for (const [at, { 0: word, index }] of found.entries()) {
      const isSuspect = isExcerpt && this.#isSuspect(word, index + word.length === text.length);
      const count = this.#countAt(words, at) || (isSuspect ? 1 : 0);
      const last = count > 0 && found[at + count - 1];
      if (!last) continue;
      ranges.push([index, last.index + last[0].length]);
    }
    return ranges;
  }

  /** Returns the number of words in the longest secret that starts here, or 0. */
  #countAt(words: readonly string[], at: number): number {
    let phrase = words[at] ?? "";
    let found = this.#words.has(phrase) ? 1 : 0;
    for (let count = 2; count <= this.#longest && at + count <= words.length; count++) {
      phrase += ` ${words[at + count - 1]}`;
      if (this.#phrases.has(phrase)) found = count;
    }
    return found;
  }

  /** Whether a word in an excerpt looks like a token, or may be a truncated secret word. */
  #isSuspect(word: string, isAtEnd: boolean): boolean {
    if (word.length >= shortestToken) return true;
    if (!isAtEnd || word.length < 2) return false;
    const beginning = word.toLowerCase();
    for (const secret of this.#words) if (secret.startsWith(beginning)) return true;
    return false;
  }

  #add(secret: string, names: ReadonlySet<string>): void {
    const words = (secret.match(anyWord) ?? []).map((word) => word.toLowerCase());
    const unusual = words.filter((word) => !isOrdinary(word) && !names.has(word));
    if (unusual.length === 0 && words.length < shortestSentence) return;
    const distinctive = unusual.filter(
      (word) => isDistinctive(word) || (words.length === 1 && word.length >= 2),
    );
    for (const word of distinctive) this.#words.add(word);
    const isPhrase = words.length > 1 && distinctive.length < words.length;
    if (!isPhrase || secret.length > longestPhrase) return;
    this.#phrases.add(words.join(" "));
    this.#longest = Math.max(this.#longest, words.length);
  }
}

/** Whether a property name looks like a placeholder. In a map by customer, card or email address, it does not. */
function isPlaceholder(name: string): boolean {
  return /^[A-Za-z_$][\w$-]{0,39}$/.test(name) && !/\d{3}/.test(name);
}

/** Returns the words of a property name such as `dueDate`, joined and separately, in lower case. */
function wordsOfName(name: string): string[] {
  const found = [...name.matchAll(anyWord), ...name.matchAll(/\p{Lu}?\p{Ll}+/gu)];
  return found.map(([word]) => word.toLowerCase());
}

function isDistinctive(word: string): boolean {
  return word.length >= shortestWord || (word.length >= 2 && /[\d\u0080-\uffff]/.test(word));
}
