import type { Shape, TemplateShape } from "./shape.ts";

/** A shape and all those inside it; what it refers to is outside. */
export function shapesIn(shape: Shape): readonly Shape[] {
  const found = [shape];
  // The list grows while it is read. A list for each level would be copied once for every level above it.
  for (const each of found) for (const inner of innerShapes(each)) found.push(inner);
  return found;
}

/** The definitions that a template needs, in the order of their names. */
export function neededDefinitions({ shape, definitions }: TemplateShape): ReadonlyMap<string, Shape> {
  const needed = new Set<string>();
  const visit = (from: Shape): void => {
    for (const each of shapesIn(from)) {
      if (each.kind !== "reference" || needed.has(each.name)) continue;
      const definition = definitions.get(each.name);
      if (definition === undefined) continue;
      needed.add(each.name);
      visit(definition);
    }
  };
  visit(shape);
  return new Map([...definitions].filter(([name]) => needed.has(name)).sort(([a], [b]) => (a < b ? -1 : 1)));
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
