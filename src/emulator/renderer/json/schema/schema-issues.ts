import type { OutputUnit, Schema } from "@cfworker/json-schema";
import type { JsonPath } from "../../../../json/json-value.ts";
import { schemaKeywords, schemaListKeywords, schemaMapKeywords } from "../../../../json/schema-document.ts";
import { ownOption } from "../../../../runtime/own-options.ts";
import type { ValueIssue } from "../../../../service/invalid-values.ts";
import { IssueList } from "../../issue-list.ts";

interface SchemaContext {
  readonly schema: Schema | boolean;
  readonly values: unknown;
  readonly resolve: (schema: Schema) => Schema | boolean | undefined;
}

/** Keywords whose units only repeat that an inner schema failed. The inner error follows as a separate unit. */
const passing = new Set(["$ref", ...schemaKeywords, ...schemaListKeywords, ...schemaMapKeywords]);
for (const keyword of ["not", "contains", "anyOf", "oneOf"]) passing.delete(keyword);

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  null: "null",
  array: "an array",
  object: "an object",
};

/** The message for each keyword. `%` is replaced by the value of the keyword in the schema. */
const demands: Readonly<Record<string, string>> = {
  const: "must be %",
  enum: "must be one of %",
  minLength: "must have at least % characters",
  maxLength: "must have at most % characters",
  minItems: "must have at least % items",
  maxItems: "must have at most % items",
  contains: "must have at least 1 matching item",
  minContains: "must have at least % matching items",
  maxContains: "must have at most % matching items",
  minProperties: "must have at least % properties",
  maxProperties: "must have at most % properties",
  minimum: "must be at least %",
  maximum: "must be at most %",
  exclusiveMinimum: "must be more than %",
  exclusiveMaximum: "must be less than %",
  multipleOf: "must be a multiple of %",
  pattern: "must match the pattern %",
  format: "must have the format %",
  uniqueItems: "has duplicate items",
  not: "matches a schema that is not allowed",
  false: "is not allowed",
};

const maxConstant = 80;

/**
 * Converts the errors of the validator to issues with the path of the property and a message that contains no value.
 *
 * @param units - the errors of the validator, each before its inner errors
 */
export function issuesOf(units: readonly OutputUnit[], context: SchemaContext): readonly ValueIssue[] {
  const issues = new IssueList();
  let location = "#";
  const located = units.map((unit) => {
    // A `false` schema reports the location in the values instead of its own (@cfworker/json-schema 4.1).
    location = unit.keyword === "false" ? `${location}/false` : unit.keywordLocation;
    return { ...unit, keywordLocation: location };
  });
  collect(located, context, issues);
  // Rejected values must stay rejected even if no issue was found.
  if (units.length > 0 && issues.all.length === 0) {
    issues.add({ path: [], message: "does not match the schema" });
  }
  return issues.all;
}

function collect(units: readonly OutputUnit[], context: SchemaContext, issues: IssueList): void {
  for (let index = 0; index < units.length && !issues.isFull; index += 1) {
    const unit = units[index] as OutputUnit;
    const { keyword, keywordLocation } = unit;
    if (passing.has(keyword)) continue;
    const { schema, applied } = follow(keywordLocation, context);
    const inner: OutputUnit[] = [];
    if (keyword === "anyOf" || keyword === "oneOf") {
      while (isWithin(units[index + 1], keywordLocation)) inner.push(units[++index] as OutputUnit);
    }
    // An item that does not match `contains` is not an issue, because another item may match.
    if (applied.includes("contains")) continue;
    const path = pathOf(unit, context.values);
    // The validator also reports invalid properties as unevaluated.
    if (applied.at(-1)?.startsWith("unevaluated") && issues.hasWithin(path)) continue;
    const missing = missingNameOf(unit);
    if (missing !== undefined) {
      issues.add({ path: [...path, missing], message: "is missing" });
    } else if (applied.includes("propertyNames")) {
      issues.add({ path, message: "has a name that is not allowed" });
    } else if (inner.length > 0 || keyword === "oneOf") {
      collectAlternatives(unit, inner, schema, context, issues);
    } else {
      issues.add({ path, message: messageFor(keyword, schema) });
    }
  }
}

/** The name of the missing property, which the validator reports only in its message. */
function missingNameOf({ keyword, error }: OutputUnit): string | undefined {
  if (!requiring.has(keyword)) return undefined;
  const before = missingBefore.find((text) => error.includes(text));
  return before && error.slice(error.lastIndexOf(before) + before.length, -'".'.length);
}

const requiring = new Set(["required", "dependentRequired"]);
const missingBefore = ['does not have required property "', 'but does not have "'];

/** Adds the issues of the intended alternative if there is one, and otherwise an issue about all alternatives. */
function collectAlternatives(
  { keyword, keywordLocation, instanceLocation }: OutputUnit,
  inner: readonly OutputUnit[],
  schema: Schema,
  context: SchemaContext,
  issues: IssueList,
): void {
  const path = pathOf({ instanceLocation }, context.values);
  const alternatives = [...(schema[keyword] as readonly unknown[]).entries()];
  const branches = alternatives
    .filter(([, alternative]) => alternative !== false)
    .map(([index]) => inner.filter((unit) => isWithin(unit, `${keywordLocation}/${index}`)));
  if (branches.some((branch) => branch.length === 0)) {
    issues.add({ path, message: "matches more than one of the schemas in `oneOf`" });
    return;
  }
  const isOfOtherType = (unit: OutputUnit) =>
    unit.keyword === "type" && unit.instanceLocation === instanceLocation;
  const isOfConstant = (unit: OutputUnit) => unit.keyword === "const" || unit.keyword === "enum";
  const ofType = branches.filter((branch) => !branch.some(isOfOtherType));
  const [meant, other] = ofType.length === 1 ? ofType : ofType.filter((branch) => !branch.some(isOfConstant));
  if (meant && !other) {
    collect(meant, context, issues);
    return;
  }
  const types = inner.filter(isOfOtherType).map((unit) => follow(unit.keywordLocation, context).schema);
  const isOfNoType = ofType.length === 0 && types.length > 0;
  issues.add({
    path,
    message: isOfNoType ? typeMessage(types) : "does not match any of the allowed schemas",
  });
}

function isWithin(unit: OutputUnit | undefined, location: string): boolean {
  return unit?.keywordLocation.startsWith(`${location}/`) ?? false;
}

/** Resolves a location such as `#/properties/lines/items/$ref/type` to the schema that contains the last keyword. */
function follow(location: string, { schema, resolve }: SchemaContext) {
  const applied: string[] = [];
  let at = schema as Schema;
  let isSchema = true;
  for (const step of stepsOf(location).slice(0, -1)) {
    const next: unknown = isSchema && step === "$ref" ? resolve(at) : at[step];
    if (isSchema) applied.push(step);
    // Names in a map and indices in a list are not keywords.
    isSchema = !isSchema || !(schemaMapKeywords.has(step) || Array.isArray(next));
    if (typeof next !== "object" || next === null) break;
    at = next as Schema;
  }
  return { schema: at, applied };
}

function pathOf({ instanceLocation }: Pick<OutputUnit, "instanceLocation">, values: unknown): JsonPath {
  let value = values;
  return stepsOf(instanceLocation).map((name) => {
    const key = Array.isArray(value) ? Number(name) : name;
    value = (value as Record<string, unknown> | null | undefined)?.[name];
    return key;
  });
}

/** The decoded steps of a JSON pointer in a URL fragment. */
function stepsOf(pointer: string): string[] {
  const steps = pointer.split("/").slice(1);
  return steps.map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"));
}

function messageFor(keyword: string, schema: Schema): string {
  if (keyword === "type") return typeMessage([schema]);
  const demand = demands[keyword];
  if (demand === undefined) return `does not match \`${keyword}\` in the schema`;
  const constant = schema[keyword];
  const constants = keyword === "enum" ? (constant as readonly unknown[]) : [constant];
  const shown = constants.map((each) => JSON.stringify(each)).join(", ");
  const message = constant === 1 ? demand.replace(/ies$/, "ys").replace(/s$/, "") : demand;
  return message.replace("%", () => (shown.length > maxConstant ? `${shown.slice(0, maxConstant)}…` : shown));
}

function typeMessage(schemas: readonly Schema[]): string {
  const allowed = new Set(
    schemas.flatMap(({ type = [] }) => type).map((type) => ownOption(typeNames, type) ?? type),
  );
  return `must be ${new Intl.ListFormat("en-GB", { type: "disjunction" }).format(allowed)}`;
}
