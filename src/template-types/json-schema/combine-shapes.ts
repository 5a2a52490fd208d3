import { type MemberShape, type ObjectShape, type Shape, sortedMembers } from "../shape.ts";

/** Returns the definition with this name, or `undefined` while it is still being read. */
export type Resolve = (name: string) => Shape | undefined;

type List = Shape & { readonly kind: "array" | "tuple" };
type Literal = Shape & { readonly kind: "literal" };
type Reference = Shape & { readonly kind: "reference" };

/** Two unions with more combinations than this are not combined; the first is used for both. */
const maxCombinations = 1000;

/** Creates the union of shapes, without duplicates and without literals that another shape includes. */
export function unite(shapes: readonly Shape[]): Shape {
  const flat = shapes.flatMap((shape) => (shape.kind === "union" ? shape.of : [shape]));
  if (flat.some(({ kind }) => kind === "unknown")) return { kind: "unknown" };
  const byKey = new Map(flat.filter(({ kind }) => kind !== "never").map((shape) => [keyOf(shape), shape]));
  const boolean: Shape = { kind: "boolean" };
  const [isTrue, isFalse] = [true, false].map((value) => byKey.has(keyOf({ kind: "literal", value })));
  if (isTrue && isFalse) byKey.set(keyOf(boolean), boolean);
  const kinds = new Set([...byKey.values()].map(({ kind }) => kind as string));
  const of = [...byKey.values()].filter(
    (shape) => shape.kind !== "literal" || !kinds.has(typeof shape.value),
  );
  const [first] = of;
  if (first === undefined) return { kind: "never" };
  return of.length === 1 ? first : { kind: "union", of };
}

/** A key that two shapes share only if they are equal apart from comments. */
function keyOf(shape: Shape): string {
  return JSON.stringify(shape, (_name, value: unknown) =>
    value instanceof Map
      ? sortedMembers(value).map(([name, { shape, isOptional }]) => [name, isOptional, shape])
      : value,
  );
}

/**
 * Combines two shapes that both apply. Returns the first if they cannot be combined, because a type may allow too much but must
 * not reject what the schema accepts.
 *
 * @param open - the references that are being resolved
 */
export function intersect(one: Shape, other: Shape, resolve: Resolve, open: readonly string[] = []): Shape {
  const both = (left: Shape, right: Shape) => intersect(left, right, resolve, open);
  if (one === other || other.kind === "unknown" || one.kind === "never") return one;
  if (one.kind === "unknown" || other.kind === "never") return other;
  if (one.kind === "reference") return intersectReference(one, other, resolve, open);
  if (other.kind === "reference") return intersectReference(other, one, resolve, open);
  if (one.kind === "union" || other.kind === "union") {
    const [ones, others] = [alternativesIn(one), alternativesIn(other)];
    if (ones.length * others.length > maxCombinations) return one;
    return unite(ones.flatMap((left) => others.map((right) => both(left, right))));
  }
  if (one.kind === "literal") return literalIn(one, other);
  if (other.kind === "literal") return literalIn(other, one);
  if (one.kind === "array" && other.kind === "array") {
    return { kind: "array", items: both(one.items, other.items) };
  }
  if (isList(one) && isList(other)) return one.kind === "tuple" ? one : other;
  if (one.kind === "object" && other.kind === "object") return intersectObjects(one, other, both);
  return one.kind === other.kind ? one : { kind: "never" };
}

function intersectReference(
  reference: Reference,
  other: Shape,
  resolve: Resolve,
  open: readonly string[],
): Shape {
  const { name } = reference;
  const meant = resolve(name);
  // A recursive definition may be combined with itself endlessly.
  const isEndless = open.includes(name) || (other.kind === "reference" && other.name === name);
  return meant === undefined || isEndless ? reference : intersect(meant, other, resolve, [...open, name]);
}

function intersectObjects(
  one: ObjectShape,
  other: ObjectShape,
  both: (left: Shape, right: Shape) => Shape,
): Shape {
  const members = new Map<string, MemberShape>();
  for (const name of new Set([...one.members.keys(), ...other.members.keys()])) {
    const [left, right] = [memberOf(one, name), memberOf(other, name)];
    const shape = both(left.shape, right.shape);
    const isOptional = left.isOptional && right.isOptional;
    if (shape.kind !== "never") {
      members.set(name, { shape, isOptional, comment: left.comment ?? right.comment });
    } else if (!isOptional) {
      return { kind: "never" };
    }
  }
  const others = one.others && other.others ? both(one.others, other.others) : (one.others ?? other.others);
  return { kind: "object", members, others };
}

/** Returns a property of an object shape. A property that the shape does not name may be anything, even if others are not allowed. */
function memberOf({ members, others }: ObjectShape, name: string): MemberShape {
  const shape: Shape = others === undefined || others.kind === "never" ? { kind: "unknown" } : others;
  return members.get(name) ?? { shape, isOptional: true, comment: undefined };
}

function alternativesIn(shape: Shape): readonly Shape[] {
  return shape.kind === "union" ? shape.of : [shape];
}

function isList(shape: Shape): shape is List {
  return shape.kind === "array" || shape.kind === "tuple";
}

function literalIn(literal: Literal, other: Shape): Shape {
  const isIn = other.kind === "literal" ? other.value === literal.value : other.kind === typeof literal.value;
  return isIn ? literal : { kind: "never" };
}

/**
 * Completes the shape of one value after all its schemas were combined. Before that, an object shape may still receive properties from
 * another schema.
 */
export function settle(shape: Shape): Shape {
  if (shape.kind === "union") return { ...shape, of: shape.of.map(settle) };
  if (shape.kind !== "object") return shape;
  const { members, others } = shape;
  if (members.size === 0) return { ...shape, others: others ?? { kind: "unknown" } };
  return others?.kind === "never" ? { ...shape, others: undefined } : shape;
}
