import { isJsonObject } from "../../json/json-value.ts";
import { type MemberShape, type ObjectShape, type Shape, sortedMembers, type TupleShape } from "../shape.ts";
import { areExclusive, mention, mentioning } from "./mention.ts";
import type { SchemaDefinitions } from "./schema-definitions.ts";

type List = Shape & { readonly kind: "array" | "tuple" };
type Literal = Shape & { readonly kind: "literal" };
type Reference = Shape & { readonly kind: "reference" };

/** Two unions with more combinations than this are not combined; the first is used for both, with the names of the other. */
const maxCombinations = 1000;

/** Creates the union of shapes, without duplicates and without literals that another shape includes. */
export function unite(shapes: readonly Shape[]): Shape {
  const flat = shapes.flatMap((shape) => (shape.kind === "union" ? shape.of : [shape]));
  if (flat.some(({ kind }) => kind === "unknown")) {
    return mentioning(flat.flatMap((shape) => (shape.kind === "unknown" ? (shape.mentions ?? []) : [shape])));
  }
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

/**
 * Creates the union of the alternatives in `anyOf` or `oneOf`. A value that matches one of them may have the properties of another,
 * unless a literal property distinguishes them.
 */
export function uniteAlternatives(shapes: readonly Shape[], definitions: SchemaDefinitions): Shape {
  const all = unite(shapes);
  const alternatives = alternativesIn(all);
  if (all.kind !== "union" || alternatives.length ** 2 > maxCombinations) return all;
  return unite(
    alternatives.map((one) =>
      alternatives
        .filter((other) => one.kind !== "reference" && other !== one && !areExclusive(one, other))
        .reduce((known, other) => mention(known, other, definitions), one),
    ),
  );
}

/** A key that two shapes share only if they are equal apart from comments. */
export function keyOf(shape: Shape): string {
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
export function intersect(
  one: Shape,
  other: Shape,
  definitions: SchemaDefinitions,
  open: readonly string[] = [],
): Shape {
  const both = (left: Shape, right: Shape) => intersect(left, right, definitions, open);
  if (one === other || one.kind === "never") return one;
  if (other.kind === "never") return other;
  if (one.kind === "unknown" && other.kind === "unknown") {
    return mentioning([...(one.mentions ?? []), ...(other.mentions ?? [])]);
  }
  if (other.kind === "unknown") return both(other, one);
  if (one.kind === "unknown") {
    return (one.mentions ?? []).reduce((all: Shape, each) => mention(all, each, definitions), other);
  }
  if (one.kind === "reference") return intersectReference(one, other, definitions, open);
  if (other.kind === "reference") return intersectReference(other, one, definitions, open);
  if (one.kind === "union" || other.kind === "union") {
    const [ones, others] = [alternativesIn(one), alternativesIn(other)];
    if (ones.length * others.length > maxCombinations) return mention(one, other, definitions);
    return unite(ones.flatMap((left) => others.map((right) => both(left, right))));
  }
  if (one.kind === "literal") return literalIn(one, other);
  if (other.kind === "literal") return literalIn(other, one);
  if (one.kind === "array" && other.kind === "array") {
    return { kind: "array", items: both(one.items, other.items) };
  }
  if (isList(one) && isList(other)) return intersectTuples(asTuple(one), asTuple(other), both);
  if (one.kind === "object" && other.kind === "object") return intersectObjects(one, other, both);
  return one.kind === other.kind ? one : { kind: "never" };
}

type Combine = (left: Shape, right: Shape) => Shape;

function intersectReference(
  reference: Reference,
  other: Shape,
  definitions: SchemaDefinitions,
  open: readonly string[],
): Shape {
  const { name } = reference;
  const meant = definitions.resolve(name);
  // A recursive definition may be combined with itself endlessly.
  const isEndless = open.includes(name) || (other.kind === "reference" && other.name === name);
  if (meant === undefined || isEndless) return mention(reference, other, definitions);
  return intersect(meant, other, definitions, [...open, name]);
}

function intersectTuples(one: TupleShape, other: TupleShape, both: Combine): Shape {
  const minItems = Math.max(one.minItems, other.minItems);
  const length = Math.max(one.items.length, other.items.length);
  const items = Array.from({ length }, (_, index) => {
    const [left, right] = [one, other].map((list) => list.items[index] ?? list.rest ?? nothing);
    return both(left ?? nothing, right ?? nothing);
  });
  return tupleOf(items, one.rest && other.rest && both(one.rest, other.rest), minItems);
}

const nothing: Shape = { kind: "never" };

/** Creates a tuple that ends before the first item that no value fits. */
export function tupleOf(items: readonly Shape[], rest: Shape | undefined, minItems: number): Shape {
  const end = items.findIndex(({ kind }) => kind === "never");
  if (end !== -1 && end < minItems) return nothing;
  if (end !== -1) return { kind: "tuple", items: items.slice(0, end), rest: undefined, minItems };
  return { kind: "tuple", items, rest: rest?.kind === "never" ? undefined : rest, minItems };
}

function asTuple(list: List): TupleShape {
  return list.kind === "tuple" ? list : { kind: "tuple", items: [], rest: list.items, minItems: 0 };
}

function intersectObjects(one: ObjectShape, other: ObjectShape, both: Combine): Shape {
  const members = new Map<string, MemberShape>();
  for (const name of new Set([...one.members.keys(), ...other.members.keys()])) {
    const [left, right] = [memberOf(one, name), memberOf(other, name)];
    const shape = both(left.shape, right.shape);
    const isOptional = left.isOptional && right.isOptional;
    if (shape.kind !== "never") {
      const isMentioned = left.isMentioned === true && right.isMentioned === true;
      members.set(name, { shape, isOptional, comment: left.comment ?? right.comment, isMentioned });
    } else if (!isOptional) {
      return nothing;
    }
  }
  return { kind: "object", members, ...othersOf(one, other, both) };
}

/** The other properties of two object shapes. Of an open one it is unknown which properties it describes. */
function othersOf(
  one: ObjectShape,
  other: ObjectShape,
  both: Combine,
): Pick<ObjectShape, "others" | "isOpen"> {
  if (one.others === undefined) return { others: other.others, isOpen: other.isOpen === true };
  if (other.others === undefined) return { others: one.others, isOpen: one.isOpen === true };
  if (one.isOpen && other.isOpen) return { others: unite([one.others, other.others]), isOpen: true };
  if (one.isOpen) return { others: other.others };
  return { others: other.isOpen ? one.others : both(one.others, other.others) };
}

/** Returns a property of an object shape. A property that the shape does not name may be anything, even if others are not allowed. */
function memberOf({ members, others, isOpen }: ObjectShape, name: string): MemberShape {
  const shape: Shape =
    others === undefined || others.kind === "never" || isOpen ? { kind: "unknown" } : others;
  return members.get(name) ?? { shape, isOptional: true, comment: undefined, isMentioned: true };
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
 * Completes a shape after all its schemas were combined. Before that, an object shape may still receive properties from another
 * schema.
 */
export function settle(shape: Shape): Shape {
  switch (shape.kind) {
    case "unknown":
      return { kind: "unknown" };
    case "union":
      return unite(shape.of.map(settle));
    case "array":
      return { ...shape, items: settle(shape.items) };
    case "tuple":
      return { ...shape, items: shape.items.map(settle), rest: shape.rest && settle(shape.rest) };
    case "object":
      return settleObject(shape);
    default:
      return shape;
  }
}

function settleObject({ members, others }: ObjectShape): ObjectShape {
  const described = [...members].filter(([, { isMentioned }]) => !isMentioned);
  if (described.length === 0 && others === undefined) {
    return { kind: "object", members: new Map(), others: { kind: "unknown" } };
  }
  // The properties that are only mentioned are not allowed either if others are not.
  const allowed = others?.kind === "never" ? described : [...members];
  const settled = allowed.map(([name, { shape, isOptional, comment }]) => {
    return [name, { shape: settle(shape), isOptional, comment }] as const;
  });
  if (others?.kind === "never" && settled.length > 0) {
    return { kind: "object", members: new Map(settled), others: undefined, isClosed: true };
  }
  return { kind: "object", members: new Map(settled), others: others && settle(others) };
}

/** The shape of one JSON value. */
export function shapeOfConstant(value: unknown): Shape {
  if (value === null) return { kind: "null" };
  if (Array.isArray(value)) return tupleOf(value.map(shapeOfConstant), undefined, value.length);
  if (!isJsonObject(value)) return { kind: "literal", value: value as string | number | boolean };
  const members = Object.entries(value).map(([name, inner]) => {
    return [name, { shape: shapeOfConstant(inner), isOptional: false, comment: undefined }] as const;
  });
  return { kind: "object", members: new Map(members), others: nothing };
}
