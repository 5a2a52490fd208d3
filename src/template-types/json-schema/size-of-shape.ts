import type { Shape } from "../shape.ts";

/** How many parts a shape has, written out. */
export function sizeOfShape(shape: Shape): number {
  const sum = (shapes: Iterable<Shape>) => [...shapes].reduce((total, one) => total + sizeOfShape(one), 1);
  switch (shape.kind) {
    case "array":
      return sum([shape.items]);
    case "tuple":
      return sum(shape.rest ? [...shape.items, shape.rest] : shape.items);
    case "object":
      return sum([
        ...[...shape.members.values()].map((member) => member.shape),
        ...(shape.others ? [shape.others] : []),
      ]);
    case "union":
      return sum(shape.of);
    default:
      return 1;
  }
}
