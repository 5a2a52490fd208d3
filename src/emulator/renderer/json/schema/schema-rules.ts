import {
  type Schema,
  type SchemaDraft,
  schemaArrayKeyword,
  schemaKeyword,
  schemaMapKeyword,
} from "@cfworker/json-schema";

/** Keywords whose value is a schema, an array of schemas, or schemas by name. */
export const schemaKeywords: ReadonlySet<string> = new Set(Object.keys(schemaKeyword));
export const schemaListKeywords: ReadonlySet<string> = new Set(Object.keys(schemaArrayKeyword));
export const schemaMapKeywords: ReadonlySet<string> = new Set([
  ...Object.keys(schemaMapKeyword),
  "dependencies",
]);

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  null: "null",
  array: "an array",
  object: "an object",
};

const types = Object.keys(typeNames);
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
  ...ruleFor(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], { type: "number" }),
  // The validator does not know them, or other places in a schema cannot be told from them.
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

/** Builds the JSON Schema for one schema, apart from the schemas that stand in it. */
export function schemaRules(draft: SchemaDraft): Schema {
  const exclusive: Schema = { type: draft === "4" ? "boolean" : "number" };
  return {
    ...aSchema,
    properties: { ...keywordRules, exclusiveMinimum: exclusive, exclusiveMaximum: exclusive },
  };
}

/** How much of a schema's own constants a message shows. */
const maxListed = 10;
const maxLength = 60;

const counted: Readonly<Record<string, string>> = {
  Length: "character",
  Items: "item",
  Contains: "matching item",
  Properties: "member",
};

const examples: Readonly<Record<string, string>> = {
  date: "2026-11-20",
  time: "09:30:00Z",
  "date-time": "2026-11-20T09:30:00Z",
};

const messages: Readonly<Record<string, (schema: Schema) => string>> = {
  type: (schema) => typeMessage([schema]),
  const: (schema) => `must be ${shown(schema.const)}`,
  enum: ({ enum: allowed = [] }) => {
    const listed = allowed.slice(0, maxListed).map(shown);
    if (allowed.length > maxListed) listed.push("…");
    return `must be ${listed.length === 1 ? "" : "one of "}${listed.join(", ")}`;
  },
  false: () => "is not allowed",
  not: () => "has a form that is not allowed",
  pattern: (schema) => `must match the pattern ${shown(schema.pattern)}`,
  format: ({ format = "" }) => {
    const example = Object.hasOwn(examples, format) ? `, such as ${examples[format]}` : "";
    return `must have the format ${shown(format)}${example}`;
  },
  minimum: ({ minimum, exclusiveMinimum }) =>
    `must be ${exclusiveMinimum === true ? "more than" : "at least"} ${minimum}`,
  maximum: ({ maximum, exclusiveMaximum }) =>
    `must be ${exclusiveMaximum === true ? "less than" : "at most"} ${maximum}`,
  exclusiveMinimum: ({ exclusiveMinimum }) => `must be more than ${exclusiveMinimum}`,
  exclusiveMaximum: ({ exclusiveMaximum }) => `must be less than ${exclusiveMaximum}`,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${multipleOf}`,
  uniqueItems: () => "has an item twice",
  contains: () => "must have at least 1 matching item",
};

/** Says what a keyword of a schema demands of a value. */
export function messageFor(keyword: string, schema: Schema): string {
  const [, end, what = ""] = /^(min|max)(Length|Items|Contains|Properties)$/.exec(keyword) ?? [];
  if (end !== undefined) {
    const limit = schema[keyword];
    return `must have at ${end === "min" ? "least" : "most"} ${limit} ${counted[what]}${limit === 1 ? "" : "s"}`;
  }
  const message = Object.hasOwn(messages, keyword) ? messages[keyword] : undefined;
  return message?.(schema) ?? `does not fit \`${keyword}\` of the schema`;
}

/** Says which types a value may have, by one schema or the other. */
export function typeMessage(schemas: readonly Schema[]): string {
  const allowed = new Set(schemas.flatMap(({ type = [] }) => type).map((type) => typeNames[type] ?? type));
  return `must be ${new Intl.ListFormat("en-GB", { type: "disjunction" }).format(allowed)}`;
}

function shown(constant: unknown): string {
  const json = JSON.stringify(constant);
  return json.length > maxLength ? `${json.slice(0, maxLength)}…` : json;
}
