import { type Shape, sortedMembers } from "../shape.ts";

/**
 * Converts the shape of samples to a JSON Schema of draft 2020-12. Like the generated types, it allows only the properties that a
 * sample has.
 *
 * @param allowsMissing - whether properties may be missing although all samples have them
 */
export function schemaOfShape(shape: Shape, options = { allowsMissing: false }): Record<string, unknown> {
  const inner = (each: Shape) => schemaOfShape(each, options);
  switch (shape.kind) {
    case "string":
    case "number":
    case "boolean":
    case "null":
      return { type: shape.kind };
    case "literal":
      return { const: shape.value };
    case "array":
      return { type: "array", items: inner(shape.items) };
    case "union":
      return { anyOf: shape.of.map(inner) };
    case "object": {
      const members = sortedMembers(shape.members);
      // `Object.fromEntries` treats `__proto__` as an ordinary name.
      const properties = Object.fromEntries(members.map(([name, each]) => [name, inner(each.shape)]));
      const required = members.filter(([, { isOptional }]) => !isOptional).map(([name]) => name);
      const additionalProperties = shape.others ? inner(shape.others) : false;
      return {
        type: "object",
        properties,
        ...(!options.allowsMissing && { required }),
        additionalProperties,
      };
    }
    default:
      // Samples have no other kinds, except values that are unknown.
      return {};
  }
}
