/** The shape of the values at one path, from samples or from a JSON Schema. A plain, frozen object. */
export type Shape =
  | UnknownShape
  | { readonly kind: "never" }
  | { readonly kind: "null" }
  | { readonly kind: "string" }
  | { readonly kind: "number" }
  | { readonly kind: "boolean" }
  | { readonly kind: "literal"; readonly value: string | number | boolean }
  | { readonly kind: "array"; readonly items: Shape }
  | TupleShape
  | ObjectShape
  /** One of several different shapes. A union does not contain another union. */
  | { readonly kind: "union"; readonly of: readonly Shape[] }
  /** A reference to one of the `definitions` of its template, because a recursive shape needs a name. */
  | { readonly kind: "reference"; readonly name: string };

/** Any value. */
export interface UnknownShape {
  readonly kind: "unknown";
  /** While a schema is read: shapes whose property names must not be unknown if the value has another shape as well. */
  readonly mentions?: readonly Shape[];
  /** Whether the value is null in every sample. */
  readonly isNull?: boolean;
}

/** An array whose first items have different shapes. */
export interface TupleShape {
  readonly kind: "tuple";
  readonly items: readonly Shape[];
  /** The shape of the items after these, if they are allowed. */
  readonly rest: Shape | undefined;
  /** The number of items that are required, at most the number of `items`. */
  readonly minItems: number;
}

/** An object, with its known properties. */
export interface ObjectShape {
  readonly kind: "object";
  /** The properties by name. Their order has no meaning. */
  readonly members: ReadonlyMap<string, MemberShape>;
  /** The shape of properties with other names, if they are allowed. */
  readonly others: Shape | undefined;
  /** While a schema is read: whether `others` describes only some of the other properties, so that the rest is unknown. */
  readonly isOpen?: boolean;
  /** Whether the schema forbids other properties. Types forbid them also if the schema does not describe them. */
  readonly isClosed?: boolean;
}

/** One property of an object. */
export interface MemberShape {
  readonly shape: Shape;
  readonly isOptional: boolean;
  /** The description from its author. */
  readonly comment: string | undefined;
  /** While a schema is read: whether the schema only mentions the name, without describing the property. */
  readonly isMentioned?: boolean;
}

/** The shape of the values of one template. */
export interface TemplateShape {
  readonly uid: string;
  /** An object, or a union of objects. */
  readonly shape: Shape;
  /** The targets of `reference`s by name. A reference to all values has the same object as `shape`. */
  readonly definitions: ReadonlyMap<string, Shape>;
  /** The sample files or the schema file, for comments: paths with slashes, relative to the written file. */
  readonly sources: readonly string[];
}

/** Returns a shape and all shapes inside it, but not the targets of references. */
export function shapesIn(shape: Shape): readonly Shape[] {
  const found = [shape];
  // The list grows in the loop. A separate list for each level would be copied once for every level above it.
  for (const each of found) for (const inner of innerShapes(each)) found.push(inner);
  return found;
}

function innerShapes(shape: Shape): readonly Shape[] {
  switch (shape.kind) {
    case "array":
      return [shape.items];
    case "tuple":
      return shape.rest ? [...shape.items, shape.rest] : shape.items;
    case "object": {
      const members = [...shape.members.values()].map((member) => member.shape);
      return shape.others ? [...members, shape.others] : members;
    }
    case "union":
      return shape.of;
    default:
      return [];
  }
}

/** Sorts properties by the code units of their names, independently of the language. */
export function sortedMembers(
  members: ReadonlyMap<string, MemberShape>,
): readonly (readonly [string, MemberShape])[] {
  return [...members].sort(([a], [b]) => (a < b ? -1 : 1));
}
