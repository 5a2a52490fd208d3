import { isWild, kinds, ObservedObjects, type ObservedValues, type Variant } from "./observed-values.ts";
import type { MemberShape, ObjectShape, Shape } from "./shape.ts";
import { tellApart } from "./tell-apart.ts";

/** A path at which samples have unrelated kinds of values. */
export interface Disagreement {
  /** The path, such as `payment` or `lines[].note`. */
  readonly path: string;
  /** The observed kinds: "text", "a number", "true or false", "an array", "an object". */
  readonly kinds: readonly string[];
}

/**
 * The observed values of one template. The order of samples and properties does not matter, and memory use grows with
 * the number of shapes, not with the number of samples.
 */
export class Samples {
  readonly #objects = new ObservedObjects();

  /**
   * Reads one sample, a JSON value. Keeps no values except single words and booleans that may be discriminants.
   *
   * @throws {RangeError} if the sample is nested deeper than 500 levels
   */
  add(values: Readonly<Record<string, unknown>>): void {
    this.#objects.add(values, 1);
  }

  /** Returns an object, or a union of objects that a literal property distinguishes. */
  shape(): Shape {
    return oneOf(shapesOfObjects(this.#objects, "", new Map()));
  }

  /** The paths at which every sample is null, so that the type is unknown. */
  nulls(): readonly string[] {
    const found: Findings = new Map();
    shapesOfObjects(this.#objects, "", found);
    return [...found]
      .filter(([, seen]) => seen === kinds.null)
      .map(([path]) => path)
      .sort();
  }

  /** The paths at which samples have unrelated kinds of values, for example a string and an object. */
  disagreements(): readonly Disagreement[] {
    const found: Findings = new Map();
    shapesOfObjects(this.#objects, "", found);
    return [...found]
      .filter(([, seen]) => seen !== kinds.null)
      .map(([path, seen]) => ({ path, kinds: words.filter(([kind]) => seen & kind).map(([, word]) => word) }))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}

/** The observed kinds by path, for paths at which samples disagree, or are all null. */
type Findings = Map<string, number>;

const words = [
  [kinds.string, "text"],
  [kinds.number, "a number"],
  [kinds.boolean, "true or false"],
  [kinds.array, "an array"],
  [kinds.object, "an object"],
] as const;

/** The shape of observed values; `isMeant` if a single array contained unrelated kinds. */
function shapeOfValues(values: ObservedValues, path: string, found: Findings, isMeant = false): Shape {
  if (isWild(values.kinds) && !isMeant) found.set(path, (found.get(path) ?? 0) | values.kinds);
  if (values.kinds === kinds.null) {
    found.set(path, kinds.null);
    return { kind: "unknown", isNull: true };
  }
  const shapes: Shape[] = [];
  for (const kind of ["string", "number", "boolean"] as const) {
    if (values.kinds & kinds[kind]) shapes.push({ kind });
  }
  if (values.items) {
    const items = shapeOfValues(values.items, `${path}[]`, found, values.isMixed);
    shapes.push({ kind: "array", items });
  }
  if (values.objects) shapes.push(...shapesOfObjects(values.objects, path, found));
  if (values.kinds & kinds.null) shapes.push({ kind: "null" });
  return oneOf(shapes);
}

function oneOf(shapes: readonly Shape[]): Shape {
  if (shapes.length > 1) return { kind: "union", of: shapes };
  return shapes[0] ?? { kind: "unknown" };
}

function shapesOfObjects(objects: ObservedObjects, path: string, found: Findings): readonly Shape[] {
  const told = tellApart(objects.variants);
  if (!told) return [shapeOfVariant(objects.merged, path, found)];
  const { discriminant, parts } = told;
  return parts.map(({ variant, literals }) => {
    const tags = [...literals.keys()].map((value): Shape => ({ kind: "literal", value }));
    const shape = shapeOfVariant(variant, path, found);
    const tag: MemberShape = { shape: oneOf(tags), isOptional: false, comment: undefined };
    return { ...shape, members: new Map([...shape.members, [discriminant, tag]]) };
  });
}

function shapeOfVariant(variant: Variant, path: string, found: Findings): ObjectShape {
  const members = new Map<string, MemberShape>();
  for (const [name, member] of variant.members) {
    const shape = shapeOfValues(member.values, pathTo(path, name), found);
    members.set(name, { shape, isOptional: member.count < variant.count, comment: commentOf(shape) });
  }
  let others: Shape | undefined;
  if (variant.others) others = shapeOfValues(variant.others.values, `${path}[…]`, found);
  else if (members.size === 0) others = { kind: "unknown" };
  return { kind: "object", members, others };
}

/** Null says nothing about the other values of a property. */
function commentOf(shape: Shape): string | undefined {
  return shape.kind === "unknown" && shape.isNull ? "Null in every sample." : undefined;
}

function pathTo(path: string, name: string): string {
  if (!/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === "" ? name : `${path}.${name}`;
}
