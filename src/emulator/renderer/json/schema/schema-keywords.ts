import type { Schema, SchemaDraft } from "@cfworker/json-schema";
import { isJsonObject } from "../../../../json/json-value.ts";

/** Keywords whose value is a schema, an array of schemas, or schemas by name. */
export const schemaKeywords: readonly string[] = [
  "not",
  "if",
  "then",
  "else",
  "items",
  "additionalItems",
  "unevaluatedItems",
  "contains",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
];
export const schemaListKeywords: readonly string[] = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
export const schemaMapKeywords: readonly string[] = [
  "properties",
  "patternProperties",
  "dependentSchemas",
  "dependencies",
  "$defs",
  "definitions",
];

/** Those that put further demands on the very value that the schema is about. */
export const inPlaceKeywords: readonly string[] = [
  "$ref",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentSchemas",
  "dependencies",
];

const types = ["string", "number", "integer", "boolean", "null", "array", "object"];

interface Rule {
  /** What is said where it is broken. */
  readonly words: string;
  readonly test: (value: unknown) => boolean;
}

const isText: Rule = { words: "must be a text", test: (value) => typeof value === "string" };
const isNumber: Rule = { words: "must be a number", test: (value) => typeof value === "number" };
const isSwitch: Rule = { words: "must be true or false", test: (value) => typeof value === "boolean" };
const isCount: Rule = {
  words: "must be a whole number, 0 or more",
  test: (value) => Number.isInteger(value) && (value as number) >= 0,
};
const isSchema: Rule = {
  words: "must be a schema: an object, true or false",
  test: (value) => isJsonObject(value) || typeof value === "boolean",
};
const isSchemaList: Rule = {
  words: "must be an array of schemas, at least one",
  test: (value) => Array.isArray(value) && value.length > 0,
};
const isSchemaMap: Rule = { words: "must be an object of schemas", test: isJsonObject };
const isUnsupported: Rule = { words: "is not supported. Write it with `$ref`", test: () => false };

const rules: Readonly<Record<string, Rule>> = {
  ...ruleFor(schemaKeywords, isSchema),
  ...ruleFor(schemaListKeywords, isSchemaList),
  ...ruleFor(schemaMapKeywords, isSchemaMap),
  ...ruleFor(["minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains"], isCount),
  ...ruleFor(["minProperties", "maxProperties"], isCount),
  ...ruleFor(["$ref", "$id", "$anchor", "format"], isText),
  ...ruleFor(["$dynamicRef", "$recursiveRef"], isUnsupported),
  ...ruleFor(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], isNumber),
  multipleOf: { words: "must be a number above 0", test: (value) => typeof value === "number" && value > 0 },
  items: { words: "must be a schema", test: (value) => isSchema.test(value) || Array.isArray(value) },
  type: { words: `must be one of ${types.join(", ")}, or an array of them`, test: isType },
  enum: {
    words: "must be an array of what is allowed",
    test: (value) => Array.isArray(value) && value.length > 0,
  },
  required: { words: "must be an array of names", test: isListOfTexts },
  dependentRequired: { words: "must be an object of arrays of names", test: isMapOfTexts },
  pattern: { words: "must be a regular expression", test: isPattern },
  uniqueItems: isSwitch,
};

function ruleFor(keywords: readonly string[], rule: Rule): Record<string, Rule> {
  return Object.fromEntries(keywords.map((keyword) => [keyword, rule]));
}

/** Says what is wrong with the value of one keyword, schemas in it left aside. */
export function keywordProblem(schema: Schema, keyword: string, draft: SchemaDraft): string | undefined {
  const rule = ruleOf(keyword, draft);
  return rule === undefined || rule.test(schema[keyword]) ? undefined : `${rule.words}.`;
}

function ruleOf(keyword: string, draft: SchemaDraft): Rule | undefined {
  if (draft === "4" && keyword.startsWith("exclusive")) return isSwitch;
  return Object.hasOwn(rules, keyword) ? rules[keyword] : undefined;
}

export function isPattern(value: unknown): boolean {
  try {
    new RegExp(value as string, "u");
    return typeof value === "string";
  } catch {
    return false;
  }
}

function isType(value: unknown): boolean {
  const list = Array.isArray(value) ? value : [value];
  return list.length > 0 && list.every((name) => types.includes(name));
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function isMapOfTexts(value: unknown): boolean {
  return isJsonObject(value) && Object.values(value).every(isListOfTexts);
}
