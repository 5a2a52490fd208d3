import type { TemplateShape } from "../template-types/shape.ts";
import { shapesIn } from "../template-types/shape.ts";

/** Whether an object somewhere in the values of a template has a member of that name. */
export function holdsMember({ shape, definitions }: TemplateShape, name: string): boolean {
  return [shape, ...definitions.values()]
    .flatMap(shapesIn)
    .some((each) => each.kind === "object" && each.members.has(name));
}
