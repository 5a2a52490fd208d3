import type { Shape, TemplateShape } from "../../template-types/shape.ts";

/** Whether an object somewhere in the values of a template has a member of that name. */
export function holdsMember({ shape, definitions }: TemplateShape, name: string): boolean {
  return [shape, ...definitions.values()].some((one) => isIn(one, name));
}

function isIn(shape: Shape | undefined, name: string): boolean {
  switch (shape?.kind) {
    case "object":
      if (shape.members.has(name) || isIn(shape.others, name)) return true;
      return [...shape.members.values()].some((member) => isIn(member.shape, name));
    case "array":
      return isIn(shape.items, name);
    case "tuple":
      return isIn(shape.rest, name) || shape.items.some((item) => isIn(item, name));
    case "union":
      return shape.of.some((one) => isIn(one, name));
    default:
      return false;
  }
}
