import { shapeOfSchema } from "../../../src/template-types/json-schema/shape-of-schema.ts";
import type { Shape } from "../../../src/template-types/shape.ts";

/** The shape of a property with this schema, on one line, similar to TypeScript. */
export function typeOf(schema: unknown, more: object = {}): string {
  const whole = { type: "object", properties: { x: schema }, required: ["x"], ...more };
  const text = describeShape(shapeOfSchema(whole, "a.schema.json").shape);
  return /^\{ (?:\/\*.*\*\/ )?x: (.*) \}$/s.exec(text)?.[1] ?? text;
}

/** The shape of a complete schema, and a line for each definition. */
export function readSchema(schema: unknown): readonly string[] {
  const { shape, definitions } = shapeOfSchema(schema, "a.schema.json");
  return [describeShape(shape), ...[...definitions].map(([name, one]) => `${name} = ${describeShape(one)}`)];
}

function describeShape(shape: Shape): string {
  switch (shape.kind) {
    case "literal":
      return JSON.stringify(shape.value);
    case "array":
      return `Array<${describeShape(shape.items)}>`;
    case "tuple":
      return `[${[...shape.items.map(describeShape), ...(shape.rest ? [`...${describeShape(shape.rest)}`] : [])].join(", ")}]`;
    case "object": {
      const properties = [...shape.members].map(
        ([name, { isOptional, shape: inner, comment }]) =>
          `${comment === undefined ? "" : `/* ${comment} */ `}${name}${isOptional ? "?" : ""}: ${describeShape(inner)}`,
      );
      const others = shape.others ? [`[others]: ${describeShape(shape.others)}`] : [];
      return `{ ${[...properties, ...others].join("; ")} }`;
    }
    case "union":
      return shape.of.map(describeShape).join(" | ");
    case "reference":
      return `→${shape.name}`;
    default:
      return shape.kind;
  }
}
