import type { Shape } from "../../../../src/cli/template-types/shape.ts";

/** Whether a value of JSON is assignable to the type that a shape is written as, as TypeScript sees it. */
export function fits(
  value: unknown,
  shape: Shape,
  definitions: ReadonlyMap<string, Shape> = new Map(),
): boolean {
  const isIn = (one: unknown, other: Shape) => fits(one, other, definitions);
  switch (shape.kind) {
    case "unknown":
      return true;
    case "never":
      return false;
    case "null":
      return value === null;
    case "literal":
      return value === shape.value;
    case "array":
      return Array.isArray(value) && value.every((item) => isIn(item, shape.items));
    case "tuple": {
      const { items, rest } = shape;
      if (!Array.isArray(value) || value.length < items.length) return false;
      if (rest === undefined && value.length > items.length) return false;
      return value.every((item, index) => isIn(item, items[index] ?? rest ?? { kind: "never" }));
    }
    case "object": {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
      const { members, others } = shape;
      const given = new Map(Object.entries(value));
      for (const [name, member] of members) {
        if (!given.has(name) && !member.isOptional) return false;
      }
      return [...given].every(([name, one]) => {
        const expected = members.get(name)?.shape ?? others;
        return expected === undefined || isIn(one, expected);
      });
    }
    case "union":
      return shape.of.some((one) => isIn(value, one));
    case "reference": {
      const meant = definitions.get(shape.name);
      if (meant === undefined) throw new Error(`nothing is defined as ${shape.name}`);
      return isIn(value, meant);
    }
    default:
      return typeof value === shape.kind;
  }
}
