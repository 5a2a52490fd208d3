import type { Shape } from "./shape.ts";

/** One of the alternatives for a value; never a union. */
export type Alternative = Exclude<Shape, { readonly kind: "union" | "never" | "unknown" }>;

/**
 * Lists the alternatives for a value.
 *
 * @returns an empty list if no value is valid, and `undefined` if any value is
 */
export function alternativesOf(shape: Shape): readonly Alternative[] | undefined {
  if (shape.kind === "never") return [];
  if (shape.kind === "unknown") return undefined;
  if (shape.kind !== "union") return [shape];
  const all = shape.of.map(alternativesOf);
  return all.every((some) => some !== undefined) ? all.flat() : undefined;
}

const kindsInOrder = [
  "string",
  "number",
  "boolean",
  "literal",
  "array",
  "tuple",
  "object",
  "reference",
  "null",
];

/**
 * Sorts alternatives into the order in which they are written, and removes those that would be written identically.
 *
 * @param write - writes one alternative
 * @param textOf - returns the text of an alternative
 */
export function arrange<Written>(
  alternatives: readonly Alternative[],
  write: (alternative: Alternative) => Written,
  textOf: (written: Written) => string,
): readonly { readonly alternative: Alternative; readonly written: Written }[] {
  const discriminant = discriminantOf(alternatives.filter(({ kind }) => kind === "object"));
  const ranks = alternatives.map((alternative) => rankOf(alternative, discriminant));
  // Otherwise the text of nested types would be written once for every level around it.
  const needsTexts = new Set(ranks).size < ranks.length;
  const entries = alternatives.map((alternative, index) => {
    const written = write(alternative);
    return { alternative, written, rank: ranks[index] ?? "", text: needsTexts ? textOf(written) : "" };
  });
  entries.sort((a, b) => compare(a.rank, b.rank) || compare(a.text, b.text));
  return entries.filter(({ rank, text }, index) => {
    const before = entries[index - 1];
    return before?.rank !== rank || before.text !== text;
  });
}

/** Finds the first property that is a different literal in each of several objects. */
export function discriminantOf(alternatives: readonly Alternative[]): string | undefined {
  const [first] = alternatives;
  if (alternatives.length < 2 || first?.kind !== "object") return undefined;
  return [...first.members.keys()].sort().find((name) => {
    const literals = alternatives.map((alternative) => literalsOf(alternative, name));
    const all = literals.flatMap((some) => some ?? []);
    return literals.every((some) => some !== undefined) && new Set(all).size === all.length;
  });
}

/** The literals that a required property can have, if its value is always a literal. */
export function literalsOf(
  alternative: Alternative,
  name: string,
): readonly (string | number | boolean)[] | undefined {
  const member = alternative.kind === "object" ? alternative.members.get(name) : undefined;
  if (member === undefined || member.isOptional) return undefined;
  const alternatives = alternativesOf(member.shape);
  const literals = alternatives?.flatMap((each) => (each.kind === "literal" ? [each.value] : []));
  return literals?.length && literals.length === alternatives?.length ? literals : undefined;
}

function rankOf(alternative: Alternative, discriminant: string | undefined): string {
  const rank = String(kindsInOrder.indexOf(alternative.kind));
  if (alternative.kind === "literal") return `${rank} ${typeof alternative.value}`;
  const literals = discriminant === undefined ? undefined : literalsOf(alternative, discriminant);
  return literals ? `${rank} ${JSON.stringify([...literals].sort())}` : rank;
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
