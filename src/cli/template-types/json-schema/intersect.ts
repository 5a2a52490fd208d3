import type { MemberShape, ObjectShape, Shape } from "../shape.ts";
import { unite } from "./unite.ts";

/** Gives what a name of a definition stands for, or nothing while that is still being read. */
export type Resolve = (name: string) => Shape | undefined;

/** More ways than these to combine two unions, and the first of the two has to do. */
const maxCombinations = 1000;

/**
 * Makes one shape of two that both hold. Where that has no shape, it is the first: a type may allow too much, and
 * may not refuse what the schema takes.
 */
export function intersect(one: Shape, other: Shape, resolve: Resolve): Shape {
  return new Intersection(resolve).of(one, other);
}

class Intersection {
  readonly #resolve: Resolve;
  /** The pairs of a definition and something else that are being gone through. */
  readonly #open = new Set<string>();

  constructor(resolve: Resolve) {
    this.#resolve = resolve;
  }

  of(one: Shape, other: Shape): Shape {
    if (one === other || other.kind === "unknown" || one.kind === "never") return one;
    if (one.kind === "unknown" || other.kind === "never") return other;
    if (one.kind === "reference") return this.#ofReference(one, other);
    if (other.kind === "reference") return this.#ofReference(other, one);
    if (one.kind === "union" || other.kind === "union") return this.#ofUnions(one, other);
    if (one.kind === "literal") return literalIn(one, other);
    if (other.kind === "literal") return literalIn(other, one);
    if (isList(one) && isList(other)) return this.#ofLists(one, other);
    if (one.kind === "object" && other.kind === "object") return this.#ofObjects(one, other);
    return one.kind === other.kind ? one : { kind: "never" };
  }

  #ofReference(reference: Shape & { readonly kind: "reference" }, other: Shape): Shape {
    if (other.kind === "reference" && other.name === reference.name) return reference;
    const meant = this.#resolve(reference.name);
    // What is defined in terms of itself may be combined with itself without an end.
    if (meant === undefined || this.#open.has(reference.name)) return reference;
    this.#open.add(reference.name);
    const shape = this.of(meant, other);
    this.#open.delete(reference.name);
    return shape;
  }

  #ofUnions(one: Shape, other: Shape): Shape {
    const [ones, others] = [one, other].map((shape) => (shape.kind === "union" ? shape.of : [shape]));
    if (ones === undefined || others === undefined || ones.length * others.length > maxCombinations) {
      return one;
    }
    return unite(ones.flatMap((left) => others.map((right) => this.of(left, right))));
  }

  #ofLists(one: List, other: List): Shape {
    if (one.kind === "array" && other.kind === "array") {
      return { kind: "array", items: this.of(one.items, other.items) };
    }
    const length = Math.max(...[one, other].map((list) => (list.kind === "tuple" ? list.items.length : 0)));
    const items = Array.from({ length }, (_, index) => this.of(itemOf(one, index), itemOf(other, index)));
    if (items.some(({ kind }) => kind === "never")) return { kind: "never" };
    const rest = this.of(itemOf(one, length), itemOf(other, length));
    return { kind: "tuple", items, rest: rest.kind === "never" ? undefined : rest };
  }

  #ofObjects(one: ObjectShape, other: ObjectShape): Shape {
    const members = new Map<string, MemberShape>();
    for (const name of new Set([...one.members.keys(), ...other.members.keys()])) {
      const [left, right] = [memberOf(one, name), memberOf(other, name)];
      const shape = this.of(left.shape, right.shape);
      const isOptional = left.isOptional && right.isOptional;
      if (shape.kind !== "never") {
        members.set(name, { shape, isOptional, comment: left.comment ?? right.comment });
      } else if (!isOptional) {
        return { kind: "never" };
      }
    }
    const others =
      one.others && other.others ? this.of(one.others, other.others) : (one.others ?? other.others);
    return { kind: "object", members, others };
  }
}

type List = Shape & { readonly kind: "array" | "tuple" };

function isList(shape: Shape): shape is List {
  return shape.kind === "array" || shape.kind === "tuple";
}

function itemOf(list: List, index: number): Shape {
  if (list.kind === "array") return list.items;
  return list.items[index] ?? list.rest ?? { kind: "never" };
}

/** A member as an object has it; one it does not speak of may be anything, also where it allows no others. */
function memberOf({ members, others }: ObjectShape, name: string): MemberShape {
  const shape: Shape = others === undefined || others.kind === "never" ? { kind: "unknown" } : others;
  return members.get(name) ?? { shape, isOptional: true, comment: undefined };
}

function literalIn(literal: Shape & { readonly kind: "literal" }, other: Shape): Shape {
  const isIn = other.kind === "literal" ? other.value === literal.value : other.kind === typeof literal.value;
  return isIn ? literal : { kind: "never" };
}
