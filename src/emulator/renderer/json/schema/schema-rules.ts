import {
  type Schema,
  type SchemaDraft,
  schemaArrayKeyword,
  schemaKeyword,
  schemaMapKeyword,
} from "@cfworker/json-schema";

/** Keywords whose value is a schema. The next two sets are those with an array or a map of schemas. */
export const schemaKeywords: ReadonlySet<string> = new Set(Object.keys(schemaKeyword));
export const schemaListKeywords: ReadonlySet<string> = new Set(Object.keys(schemaArrayKeyword));
export const schemaMapKeywords: ReadonlySet<string> = new Set([
  ...Object.keys(schemaMapKeyword),
  "dependencies",
]);

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
  uniqueItems: { type: "boolean" },
};

function ruleFor<Rule>(keywords: Iterable<string>, rule: Rule): Record<string, Rule> {
  return Object.fromEntries([...keywords].map((keyword) => [keyword, rule]));
}

/** Creates the JSON Schema that one schema must match. Inner schemas are checked separately. */
export function schemaRules(draft: SchemaDraft): Schema {
  const exclusive: Schema = { type: draft === "4" ? "boolean" : "number" };
  return {
    ...aSchema,
    properties: { ...keywordRules, exclusiveMinimum: exclusive, exclusiveMaximum: exclusive },
  };
}
