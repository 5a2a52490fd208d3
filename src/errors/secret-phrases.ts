/**
 * Values of several words of which one is too short to be told from chance, such as `Li Wei` or 1.5. They are found as a
 * whole, by their first word: the time taken grows with the text and the values, not with their product.
 */
export class SecretPhrases {
  readonly #phrases = new Set<string>();
  /** How long the phrases are that begin with a word. */
  readonly #lengths = new Map<string, Set<number>>();

  /**
   * Adds what stands between the first letter or digit of a value and the last.
   *
   * @param value - as it was sent
   * @param words - the words in it
   */
  add(value: string, words: readonly string[]): void {
    const [first = ""] = words;
    const last = words.at(-1) ?? "";
    const phrase = value.slice(value.indexOf(first), value.lastIndexOf(last) + last.length);
    if (phrase.length > longestPhrase) return;
    this.#phrases.add(phrase);
    const lengths = this.#lengths.get(first);
    if (lengths) lengths.add(phrase.length);
    else this.#lengths.set(first, new Set([phrase.length]));
  }

  /** Puts a mark in the place of every phrase. */
  replaceIn(text: string, mark: string): string {
    if (this.#phrases.size === 0) return text;
    let safe = "";
    let end = 0;
    for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}]+/gu)) {
      if (index < end) continue;
      for (const length of this.#lengths.get(word) ?? []) {
        const follows = text.codePointAt(index + length) ?? 0x20;
        const isWhole = !/[\p{L}\p{N}]/u.test(String.fromCodePoint(follows));
        if (isWhole && this.#phrases.has(text.slice(index, index + length))) {
          safe += text.slice(end, index) + mark;
          end = index + length;
          break;
        }
      }
    }
    return safe + text.slice(end);
  }
}

/** A longer value is cut off by most who quote it, and has words that tell. */
const longestPhrase = 200;
