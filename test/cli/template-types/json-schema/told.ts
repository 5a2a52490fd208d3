import { shapeOfSchema } from "../../../../src/cli/template-types/json-schema/shape-of-schema.ts";
import { describeShape } from "./describe-shape.ts";

/** The shape of a member that has this schema. */
export function typeOf(schema: unknown, more: object = {}): string {
  const whole = { type: "object", properties: { x: schema }, required: ["x"], ...more };
  const text = describeShape(shapeOfSchema(whole, "a.schema.json").shape);
  return /^\{ (?:\/\*.*\*\/ )?x: (.*) \}$/s.exec(text)?.[1] ?? text;
}

/** A whole schema, and what its references stand for. */
export function told(schema: unknown): readonly string[] {
  const { shape, definitions } = shapeOfSchema(schema, "a.schema.json");
  return [describeShape(shape), ...[...definitions].map(([name, one]) => `${name} = ${describeShape(one)}`)];
}
