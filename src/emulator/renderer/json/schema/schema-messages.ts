import type { Schema } from "@cfworker/json-schema";

/** How much of a schema's own constants is told. */
const maxListed = 10;
const maxLength = 60;

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  null: "null",
  array: "an array",
  object: "an object",
};

const formats: Readonly<Record<string, string>> = {
  date: "must be a date, such as 2026-11-20",
  time: "must be a time with its zone, such as 09:30:00Z",
  "date-time": "must be a date and time, such as 2026-11-20T09:30:00Z",
  duration: "must be a duration, such as P30D",
  email: "is no e-mail address",
  hostname: "is no host name",
  ipv4: "is no IPv4 address",
  ipv6: "is no IPv6 address",
  uri: "is no absolute URL",
  url: "is no absolute URL",
  "uri-reference": "is no URL",
  uuid: "is no UUID",
  regex: "is no regular expression",
};

const messages: Readonly<Record<string, (schema: Schema) => string>> = {
  type: (schema) => misfitMessage([schema]),
  const: (schema) => `must be ${shown(schema.const)}`,
  enum: ({ enum: allowed = [] }) => {
    const listed = allowed.slice(0, maxListed).map(shown);
    if (allowed.length > maxListed) listed.push("…");
    return `must be ${listed.length === 1 ? "" : "one of "}${listed.join(", ")}`;
  },
  false: () => "is not allowed",
  not: () => "has a form that is not allowed",
  minLength: ({ minLength }) => `must have at least ${count(minLength, "character")}`,
  maxLength: ({ maxLength: most }) => `must have at most ${count(most, "character")}`,
  pattern: ({ pattern }) => `must match the pattern ${shown(pattern)}`,
  format: ({ format = "" }) =>
    (Object.hasOwn(formats, format) ? formats[format] : undefined) ?? `must have the format ${shown(format)}`,
  minimum: ({ minimum, exclusiveMinimum }) =>
    `must be ${exclusiveMinimum === true ? "more than" : "at least"} ${minimum}`,
  maximum: ({ maximum, exclusiveMaximum }) =>
    `must be ${exclusiveMaximum === true ? "less than" : "at most"} ${maximum}`,
  exclusiveMinimum: ({ exclusiveMinimum }) => `must be more than ${exclusiveMinimum}`,
  exclusiveMaximum: ({ exclusiveMaximum }) => `must be less than ${exclusiveMaximum}`,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${multipleOf}`,
  minItems: ({ minItems }) => `must have at least ${count(minItems, "item")}`,
  maxItems: ({ maxItems }) => `must have at most ${count(maxItems, "item")}`,
  uniqueItems: () => "has an item twice",
  contains: () => "must have an item of a certain form, and has none",
  minContains: ({ minContains }) => `must have at least ${count(minContains, "item")} of a certain form`,
  maxContains: ({ maxContains }) => `must have at most ${count(maxContains, "item")} of a certain form`,
  minProperties: ({ minProperties }) => `must have at least ${count(minProperties, "member")}`,
  maxProperties: ({ maxProperties }) => `must have at most ${count(maxProperties, "member")}`,
};

/**
 * Says what a keyword asks of a value.
 *
 * @param schema - the one that has the keyword
 */
export function messageFor(keyword: string, schema: Schema): string {
  const message = Object.hasOwn(messages, keyword) ? messages[keyword] : undefined;
  return message?.(schema) ?? `does not fit \`${keyword}\` of the schema`;
}

/** Says which types a value may have, by one schema or the other. */
export function misfitMessage(schemas: readonly Schema[]): string {
  const names = schemas.flatMap(({ type = [] }) => type).map((type) => typeNames[type] ?? type);
  const [last, ...others] = [...new Set(names)].reverse();
  return `must be ${others.length > 0 ? `${others.reverse().join(", ")} or ` : ""}${last}`;
}

function count(number: number | undefined, thing: string): string {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}

function shown(constant: unknown): string {
  const json = JSON.stringify(constant);
  return json.length > maxLength ? `${json.slice(0, maxLength)}…` : json;
}
