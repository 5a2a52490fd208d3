/** Something that may tell one variant of an object from another. */
export type Literal = string | boolean;

/** How many literals are kept of one property: one that has more is no tag. */
const maxLiterals = 8;

/** One word, as tags are: everything else is a text somebody wrote. */
const word = /^[\p{L}\p{N}_$@+#./:-]{1,64}$/u;

/**
 * The literals that occur at a path with their counts, as long as they are few and nothing else occurs there. Every text that is
 * kept may be written into a file, so only what may be a tag is.
 */
export class Literals {
  #counts: Map<Literal, number> | undefined = new Map();

  /** The count of each literal, or `undefined` if other values or too many literals occur. */
  get counts(): ReadonlyMap<Literal, number> | undefined {
    return this.#counts;
  }

  add(value: unknown): void {
    if (this.#counts === undefined) return;
    const literal = literalOf(value);
    if (literal === undefined) this.#counts = undefined;
    else this.#count(literal, 1);
  }

  absorb({ counts }: Literals): void {
    if (counts === undefined) this.#counts = undefined;
    for (const [literal, count] of counts ?? []) this.#count(literal, count);
  }

  #count(literal: Literal, count: number): void {
    if (this.#counts === undefined) return;
    this.#counts.set(literal, (this.#counts.get(literal) ?? 0) + count);
    if (this.#counts.size > maxLiterals) this.#counts = undefined;
  }
}

/** The value itself if it may be a tag. */
export function literalOf(value: unknown): Literal | undefined {
  if (typeof value === "boolean") return value;
  return typeof value === "string" && value.length <= 64 && word.test(value) ? value : undefined;
}

/** How strongly the name of a property suggests that it is a tag. */
export type TagRank = "by name" | "likely" | "any";

const tagWord = /^(?:type|kind|tag|variant|typename|discriminator)$/i;
const likelyWord =
  /^(?:action|category|channel|class|event|format|method|mode|op|operation|role|scheme|shape|state|status|style)$/i;

/** The length of a name's end that is read. Longer words do not match. */
const maxTailLength = 32;

/** What was found for names: most objects have the same few. */
const knownRanks = new Map<string, TagRank>();

/** Judges by the last word: `type`, `$type`, `__typename`, `paymentType`, `payment_kind` are tags by their name. */
export function tagRankOf(name: string): TagRank {
  const known = knownRanks.get(name);
  if (known !== undefined) return known;
  const last =
    name
      .slice(-maxTailLength)
      .match(/[A-Z]?[a-z]+|[A-Z]+/g)
      ?.at(-1) ?? "";
  const rank = tagWord.test(last) ? "by name" : likelyWord.test(last) ? "likely" : "any";
  if (knownRanks.size >= 1_000) knownRanks.clear();
  knownRanks.set(name, rank);
  return rank;
}
