import type { Shape } from "./shape.ts";

/** One of several things a value may be; never a union. */
export type Alternative = Exclude<Shape, { readonly kind: "union" | "never" | "unknown" }>;

/**
 * What a value may be, one after the other.
 *
 * @returns nothing where there is no such value, and `undefined` where it may be anything
 */
export function alternativesOf(shape: Shape): readonly Alternative[] | undefined {
  if (shape.kind === "never") return [];
  if (shape.kind === "unknown") return undefined;
  if (shape.kind !== "union") return [shape];
  const all: Alternative[] = [];
  for (const each of shape.of) {
    const alternatives = alternativesOf(each);
    if (alternatives === undefined) return undefined;
    all.push(...alternatives);
  }
  return all;
}

const order = ["string", "number", "boolean", "literal", "array", "tuple", "object", "reference", "null"];

/**
 * Puts alternatives into the order in which they are written, leaving out what would read as one that is there.
 *
 * @param write - gives the text of one; what has one text is one
 */
export function arrange<Written>(
  alternatives: readonly Alternative[],
  write: (alternative: Alternative) => Written,
  textOf: (written: Written) => string,
): readonly { readonly alternative: Alternative; readonly written: Written }[] {
  const tag = discriminantOf(alternatives.filter(({ kind }) => kind === "object"));
  const entries = alternatives.map((alternative) => {
    const written = write(alternative);
    return { alternative, written, rank: `${rankOf(alternative)} ${tagOf(alternative, tag)}` };
  });
  // Only where ranks are equal: the text of what is nested would be written once for every level around it.
  const texts = new Map<Written, string>();
  const textIn = (written: Written) => {
    const text = texts.get(written) ?? textOf(written);
    texts.set(written, text);
    return text;
  };
  const order = (a: (typeof entries)[number], b: (typeof entries)[number]) =>
    compare(a.rank, b.rank) || compare(textIn(a.written), textIn(b.written));
  entries.sort(order);
  return entries.filter((entry, index) => {
    const before = entries[index - 1];
    return before === undefined || order(before, entry) !== 0;
  });
}

/** The first member that every one of several objects has, always as a literal, and never two objects the same. */
export function discriminantOf(alternatives: readonly Alternative[]): string | undefined {
  const [first] = alternatives;
  if (alternatives.length < 2 || first?.kind !== "object") return undefined;
  return [...first.members.keys()].sort().find((name) => {
    const literals = alternatives.map((alternative) => literalsOf(alternative, name));
    const all = literals.flatMap((some) => some ?? []);
    return literals.every((some) => some !== undefined) && new Set(all).size === all.length;
  });
}

/** The literals that a required member may be, where it is always one. */
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

function rankOf(alternative: Alternative): string {
  const rank = `${order.indexOf(alternative.kind)}`.padStart(2, "0");
  return alternative.kind === "literal" ? `${rank}${typeof alternative.value}` : rank;
}

function tagOf(alternative: Alternative, name: string | undefined): string {
  const literals = name === undefined ? undefined : literalsOf(alternative, name);
  return literals ? JSON.stringify([...literals].sort()) : "";
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
