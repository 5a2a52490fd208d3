import { type Literal, type TagRank, tagRankOf } from "./literals.ts";
import { kinds, merge, type ObservedValues, type Variant } from "./observed-values.ts";

/** Groups of objects that one property distinguishes. */
export interface Parts {
  readonly discriminant: string;
  readonly parts: readonly Part[];
}

/** The objects in which that property has one of these literals, which occur in no other part. */
interface Part {
  readonly variant: Variant;
  /** The count of each literal. */
  readonly literals: ReadonlyMap<Literal, number>;
}

/** The maximum number of literals that may occur only once each. */
const fewLiterals = 8;

/** A value that may be a discriminant whatever the name of its property: `card` or `bank-transfer`, but not `Ada Lovelace`, `2026-11-21` or `A-17`. */
const tagLike = /^[A-Za-z]+(?:[_-][A-Za-z]+)*$/;

/**
 * Finds the property whose literal distinguishes objects. It is a literal in every variant, groups of variants do not
 * share a literal, the groups differ in other properties, and there is evidence that this is not a coincidence
 * (docs/decisions/0022).
 *
 * @returns the parts, or `undefined` if the objects are more likely one kind with optional properties
 */
export function tellApart(variants: readonly Variant[]): Parts | undefined {
  const [first, ...rest] = variants;
  if (first === undefined || rest.length === 0) return undefined;
  const ranks: readonly TagRank[] = ["by name", "likely", "any"];
  const candidates = [...first.members.keys()].filter((name) =>
    variants.every((each) => isLiteral(each, name)),
  );
  for (const rank of ranks) {
    const found = candidates
      .filter((name) => tagRankOf(name) === rank)
      .map((name) => ({ discriminant: name, parts: partsBy(name, variants) }))
      .filter((found) => found.parts.length > 1 && isEvident(found, rank))
      .sort((a, b) => b.parts.length - a.parts.length || (a.discriminant < b.discriminant ? -1 : 1));
    if (found[0]) return found[0];
  }
  return undefined;
}

function isLiteral({ members, count }: Variant, name: string): boolean {
  const member = members.get(name);
  return member?.count === count && member.literals.counts !== undefined;
}

/** Joins parts that share a literal, then parts that differ only in the literal, until no more can be joined. */
function partsBy(name: string, variants: readonly Variant[]): readonly Part[] {
  const single = variants.map((variant) => ({
    variant,
    literals: variant.members.get(name)?.literals.counts ?? new Map<Literal, number>(),
  }));
  let parts = joinWhere(single, (a, b) => [...a.literals.keys()].some((literal) => b.literals.has(literal)));
  for (;;) {
    const fewer = joinWhere(parts, (a, b) => !differenceOf(a.variant, b.variant, name).isAnything);
    if (fewer.length === parts.length) return parts;
    parts = fewer;
  }
}

/** Joins parts that are connected directly or through other parts. */
function joinWhere(parts: readonly Part[], isOne: (a: Part, b: Part) => boolean): readonly Part[] {
  const groups: Part[][] = [];
  for (const part of parts) {
    const near = groups.filter((group) => group.some((other) => isOne(other, part)));
    for (const group of near) groups.splice(groups.indexOf(group), 1);
    groups.push([...near.flat(), part]);
  }
  return groups.map((group) => (group.length === 1 && group[0] ? group[0] : joined(group)));
}

function joined(parts: readonly Part[]): Part {
  const literals = new Map<Literal, number>();
  for (const [literal, count] of parts.flatMap((part) => [...part.literals])) {
    literals.set(literal, (literals.get(literal) ?? 0) + count);
  }
  return { variant: merge(parts.map(({ variant }) => variant)), literals };
}

function isEvident({ discriminant, parts }: Parts, rank: TagRank): boolean {
  const literals = parts.flatMap((part) => [...part.literals]);
  const seen = literals.reduce((sum, [, count]) => sum + count, 0);
  if (rank === "by name") return literals.length <= fewLiterals || seen >= 2 * literals.length;
  const areBooleans = literals.every(([literal]) => typeof literal === "boolean");
  if (!literals.every(([literal]) => typeof literal === "boolean" || tagLike.test(literal))) return false;
  const isRepeated = literals.every(([, count]) => count > 1);
  if (isRepeated && (rank === "likely" || areBooleans)) return true;
  const areExclusive = parts.every(({ variant }, index) =>
    parts.slice(index + 1).every((other) => differenceOf(variant, other.variant, discriminant).isMutual),
  );
  return (isRepeated || rank === "likely") && areExclusive;
}

interface Difference {
  /** One requires a property that the other never has, or types differ. */
  readonly isAnything: boolean;
  /** Each requires a property that the other never has, or types differ, so no value matches both. */
  readonly isMutual: boolean;
}

function differenceOf(a: Variant, b: Variant, discriminant?: string): Difference {
  const [inA, inB] = [requiresMore(a, b), requiresMore(b, a)];
  const differs = [...a.members].some(([name, { values }]) => {
    const other = b.members.get(name);
    return name !== discriminant && other !== undefined && valuesDiffer(values, other.values);
  });
  return { isAnything: inA || inB || differs, isMutual: (inA && inB) || differs };
}

function requiresMore(a: Variant, b: Variant): boolean {
  return [...a.members].some(([name, { count }]) => count === a.count && !b.members.has(name));
}

/** Whether no value matches both. Null is ignored, because it marks a missing value anywhere. */
function valuesDiffer(a: ObservedValues, b: ObservedValues): boolean {
  const [inA, inB] = [a.kinds & ~kinds.null, b.kinds & ~kinds.null];
  if (inA === 0 || inB === 0) return false;
  if ((inA & inB) === 0) return true;
  if (inA !== inB) return false;
  if (inA === kinds.array)
    return a.items !== undefined && b.items !== undefined && valuesDiffer(a.items, b.items);
  if (inA !== kinds.object || !a.objects || !b.objects) return false;
  return differenceOf(a.objects.merged, b.objects.merged).isMutual;
}
