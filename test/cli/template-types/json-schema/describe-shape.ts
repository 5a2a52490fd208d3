import type { Shape } from "../../../../src/cli/template-types/shape.ts";

/** Writes a shape on one line, in words that are nearly those of TypeScript. */
export function describeShape(shape: Shape): string {
  switch (shape.kind) {
    case "literal":
      return JSON.stringify(shape.value);
    case "array":
      return `Array<${describeShape(shape.items)}>`;
    case "tuple":
      return `[${[...shape.items.map(describeShape), ...(shape.rest ? [`...${describeShape(shape.rest)}`] : [])].join(", ")}]`;
    case "object": {
      const members = [...shape.members].map(
        ([name, { isOptional, shape: inner, comment }]) =>
          `${comment === undefined ? "" : `/* ${comment} */ `}${name}${isOptional ? "?" : ""}: ${describeShape(inner)}`,
      );
      const others = shape.others ? [`[others]: ${describeShape(shape.others)}`] : [];
      return `{ ${[...members, ...others].join("; ")} }`;
    }
    case "union":
      return shape.of.map(describeShape).join(" | ");
    case "reference":
      return `→${shape.name}`;
    default:
      return shape.kind;
  }
}
