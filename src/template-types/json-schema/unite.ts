import type { ObjectShape, Shape } from "../shape.ts";

/**
 * Makes one shape of several of which any may be there: what is alike once, and nothing that another holds already.
 *
 * @param shapes - in any order; unions among them are taken apart
 */
export function unite(shapes: readonly Shape[]): Shape {
  const flat = shapes.flatMap((shape) => (shape.kind === "union" ? shape.of : [shape]));
  if (flat.some(({ kind }) => kind === "unknown")) return { kind: "unknown" };
  const byKey = new Map(flat.filter(({ kind }) => kind !== "never").map((shape) => [keyOf(shape), shape]));
  if (byKey.has("literal true") && byKey.has("literal false")) byKey.set("boolean", { kind: "boolean" });
  const of = [...byKey.values()].filter(
    (shape) => shape.kind !== "literal" || !byKey.has(typeof shape.value as string),
  );
  const [first] = of;
  if (first === undefined) return { kind: "never" };
  return of.length === 1 ? first : { kind: "union", of, discriminant: discriminantOf(of) };
}

/** A text that two shapes share only where they are alike, comments aside. */
function keyOf(shape: Shape): string {
  switch (shape.kind) {
    case "literal":
      return `literal ${JSON.stringify(shape.value)}`;
    case "array":
      return `array [${keyOf(shape.items)}]`;
    case "tuple":
      return `tuple [${shape.items.map(keyOf)}${shape.rest ? `, ...${keyOf(shape.rest)}` : ""}]`;
    case "object": {
      const members = [...shape.members].map(
        ([name, member]) => `${JSON.stringify(name)}${member.isOptional ? "?" : ""}: ${keyOf(member.shape)}`,
      );
      return `object {${members.sort()}; ${shape.others ? keyOf(shape.others) : ""}}`;
    }
    case "union":
      return `union (${shape.of.map(keyOf).sort()})`;
    case "reference":
      return `reference ${JSON.stringify(shape.name)}`;
    default:
      return shape.kind;
  }
}

/** Names that say of themselves what they are for, the usual one first. */
const usualDiscriminants: readonly string[] = ["type", "kind", "$type", "tag", "variant"];

/** The member by whose literal objects can be told apart, if there is one and they are objects. */
function discriminantOf(shapes: readonly Shape[]): string | undefined {
  const objects = shapes.filter((shape): shape is ObjectShape => shape.kind === "object");
  const [first, ...rest] = objects;
  if (first === undefined || objects.length < shapes.length) return undefined;
  const names = [...first.members.keys()].filter((name) => rest.every(({ members }) => members.has(name)));
  const ranked = [
    ...usualDiscriminants.filter((name) => names.includes(name)),
    ...names.filter((name) => !usualDiscriminants.includes(name)).sort(),
  ];
  return ranked.find((name) => tellsApart(objects, name));
}

function tellsApart(objects: readonly ObjectShape[], name: string): boolean {
  const seen = new Set<unknown>();
  return objects.every(({ members }) => {
    const member = members.get(name);
    const literals = member && !member.isOptional ? literalsOf(member.shape) : undefined;
    if (literals === undefined || literals.some((value) => seen.has(value))) return false;
    for (const value of literals) seen.add(value);
    return true;
  });
}

function literalsOf(shape: Shape): readonly unknown[] | undefined {
  const all = shape.kind === "union" ? shape.of : [shape];
  const literals = all.flatMap((one) => (one.kind === "literal" ? [one.value] : []));
  return literals.length === all.length ? literals : undefined;
}
