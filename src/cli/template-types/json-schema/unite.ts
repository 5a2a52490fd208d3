import type { Shape } from "../shape.ts";

/**
 * Makes one shape of several of which any may be there: what is alike once, and nothing that another holds already.
 *
 * @param shapes - in any order; unions among them are taken apart
 */
export function unite(shapes: readonly Shape[]): Shape {
  const flat = shapes.flatMap((shape) => (shape.kind === "union" ? shape.of : [shape]));
  if (flat.some(({ kind }) => kind === "unknown")) return { kind: "unknown" };
  const counts = new Map<string, number>();
  for (const { kind } of flat) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  // The only one of its kind is like no other: its whole text would be written once for every level around it.
  const keyIn = (shape: Shape) =>
    counts.get(shape.kind) === 1 && shape.kind !== "literal" ? shape.kind : keyOf(shape);
  const byKey = new Map(flat.filter(({ kind }) => kind !== "never").map((shape) => [keyIn(shape), shape]));
  if (byKey.has("literal true") && byKey.has("literal false")) byKey.set("boolean", { kind: "boolean" });
  const of = [...byKey.values()].filter(
    (shape) => shape.kind !== "literal" || !byKey.has(typeof shape.value as string),
  );
  const [first] = of;
  if (first === undefined) return { kind: "never" };
  return of.length === 1 ? first : { kind: "union", of };
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
