import type { Shape } from "../shape.ts";

/**
 * Ends what schemas have to say of one value. Until then an object of which no member was named may still get some, and one
 * that allows no others may still be combined with one that does.
 */
export function settle(shape: Shape): Shape {
  if (shape.kind === "union")
    return shape.of.some(isUnsettled) ? { ...shape, of: shape.of.map(settle) } : shape;
  if (shape.kind !== "object" || !isUnsettled(shape)) return shape;
  return { ...shape, others: shape.members.size === 0 ? { kind: "unknown" } : undefined };
}

function isUnsettled(shape: Shape): boolean {
  if (shape.kind !== "object") return false;
  const { members, others } = shape;
  return members.size === 0 ? others === undefined : others?.kind === "never";
}
