/** A value that may distinguish one variant of an object from another. */
export type Literal = string | boolean;

/** The maximum number of literals of one property. A property with more is not a tag. */
const maxLiterals = 8;

/** One word, because tags are single words and everything else is free text. */
const word = /^[\p{L}\p{N}_$@+#./:-]{1,64}$/u;

/**
 * The literals that occur at a path with their counts, as long as they are few and nothing else occurs there. Only possible tags are
 * kept, because every kept text may be written to a file.
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

/** The number of characters at the end of a name that are read. Longer words do not match. */
const maxTailLength = 32;

/** A cache of ranks by name, because most objects have the same few names. */
const knownRanks = new Map<string, TagRank>();

/** Ranks a name by its last word: `type`, `$type`, `__typename`, `paymentType` and `payment_kind` are tags by name. */
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
