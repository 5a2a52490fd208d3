import type { Schema } from "@cfworker/json-schema";
import {
  type SchemaDocument,
  schemaKeywords,
  schemaListKeywords,
  schemaMapKeywords,
} from "../../../../json/schema-document.ts";

const types = ["string", "number", "integer", "boolean", "null", "array", "object"];
const count: Schema = { type: "integer", minimum: 0 };
const names: Schema = { type: "array", items: { type: "string" } };
const pattern: Schema = { type: "string", format: "regex" };
const aSchema: Schema = { type: ["object", "boolean"] };

const keywordRules: Readonly<Record<string, Schema | false>> = {
  ...ruleFor(schemaKeywords, aSchema),
  ...ruleFor(schemaListKeywords, { type: "array", minItems: 1 }),
  ...ruleFor(schemaMapKeywords, { type: "object" }),
  ...ruleFor(["minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains"], count),
  ...ruleFor(["minProperties", "maxProperties"], count),
  ...ruleFor(["$ref", "$id", "$anchor", "format"], { type: "string" }),
  ...ruleFor(["minimum", "maximum"], { type: "number" }),
  // Not allowed: the validator does not support them or cannot distinguish them from other locations in a schema.
  ...ruleFor(["$dynamicRef", "$recursiveRef"], false),
  multipleOf: { type: "number", exclusiveMinimum: 0 },
  items: { type: ["object", "boolean", "array"] },
  patternProperties: { type: "object", propertyNames: pattern },
  dependencies: {
    type: "object",
    additionalProperties: { type: ["object", "boolean", "array"], items: { type: "string" } },
  },
  type: {
    anyOf: [
      { type: "string", enum: types },
      { type: "array", minItems: 1, items: { enum: types } },
    ],
  },
  enum: { type: "array", minItems: 1 },
  required: names,
  dependentRequired: { type: "object", additionalProperties: names },
  pattern,
  ...ruleFor(["uniqueItems", "nullable"], { type: "boolean" }),
};

function ruleFor<Rule>(keywords: Iterable<string>, rule: Rule): Record<string, Rule> {
  return Object.fromEntries([...keywords].map((keyword) => [keyword, rule]));
}

/** Creates the JSON Schema that one schema must match. Inner schemas are checked separately. */
export function schemaRules(draft: SchemaDocument["draft"]): Schema {
  // OpenAPI 3.0 has the flags of draft 4, and does not name its draft.
  const types: Schema["type"] = draft === "unspecified" ? ["number", "boolean"] : "number";
  const exclusive: Schema = { type: draft === "4" ? "boolean" : types };
  return {
    ...aSchema,
    properties: { ...keywordRules, exclusiveMinimum: exclusive, exclusiveMaximum: exclusive },
  };
}
