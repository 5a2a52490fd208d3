import type { Shape } from "../shape.ts";

/** Gives the shape that holds one value of JSON and nothing else. */
export function shapeOfConstant(value: unknown): Shape {
  if (value === null) return { kind: "null" };
  switch (typeof value) {
    case "string":
    case "boolean":
      return { kind: "literal", value };
    case "number":
      // What JSON cannot spell, such as 1e999, no literal can.
      return Number.isFinite(value) ? { kind: "literal", value } : { kind: "number" };
    case "object":
      return Array.isArray(value) ? tupleOf(value) : objectOf(value as object);
    default:
      return { kind: "unknown" };
  }
}

function tupleOf(values: readonly unknown[]): Shape {
  return { kind: "tuple", items: values.map(shapeOfConstant), rest: undefined };
}

function objectOf(value: object): Shape {
  const members = Object.entries(value).map(
    ([name, one]) => [name, { shape: shapeOfConstant(one), isOptional: false, comment: undefined }] as const,
  );
  return {
    kind: "object",
    members: new Map(members),
    others: members.length === 0 ? { kind: "never" } : undefined,
  };
}
