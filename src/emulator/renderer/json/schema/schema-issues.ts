import type { OutputUnit, Schema } from "@cfworker/json-schema";
import type { JsonPath } from "../../../../json/json-value.ts";
import type { ValueIssue } from "../../../../service/invalid-values.ts";
import { IssueList } from "../../issue-list.ts";
import {
  messageFor,
  schemaKeywords,
  schemaListKeywords,
  schemaMapKeywords,
  typeMessage,
} from "./schema-rules.ts";

/** What is needed to tell more about an output unit than it says itself. */
interface SchemaContext {
  readonly schema: Schema | boolean;
  readonly values: unknown;
  readonly resolve: (schema: Schema) => Schema | boolean | undefined;
}

/** An output unit, and the place in the schema to which it belongs. */
interface Located {
  readonly unit: OutputUnit;
  readonly location: string;
}

/** Those that say only that something inside is wrong; it follows with a unit of its own. */
const passing = new Set(["$ref", ...schemaKeywords, ...schemaListKeywords, ...schemaMapKeywords]);
for (const keyword of ["not", "contains", "anyOf", "oneOf", "dependencies"]) passing.delete(keyword);

/**
 * Tells in our own words what a validation found: no value is in them, and each stands at the member it is about.
 *
 * @param units - what the validator gives, a unit before those that are inside it
 */
export function issuesOf(units: readonly OutputUnit[], context: SchemaContext): readonly ValueIssue[] {
  const issues = new IssueList();
  let location = "#";
  const located = units.map((unit) => {
    // A `false` schema gives the place in the values for its own (@cfworker/json-schema 4.1).
    location = unit.keyword === "false" ? `${location}/false` : unit.keywordLocation;
    return { unit, location };
  });
  collect(located, context, issues);
  // Nothing that was refused may pass because nobody found words for it.
  if (units.length > 0 && issues.all.length === 0) {
    issues.add({ path: [], message: "does not fit the schema" });
  }
  return issues.all;
}

function collect(units: readonly Located[], context: SchemaContext, issues: IssueList): void {
  for (let index = 0; index < units.length && !issues.isFull; index += 1) {
    const located = units[index] as Located;
    const { unit, location } = located;
    if (passing.has(unit.keyword)) continue;
    const { schema, applied } = follow(location, context);
    const inner: Located[] = [];
    if (unit.keyword === "anyOf" || unit.keyword === "oneOf") {
      while (units[index + 1]?.location.startsWith(`${location}/`)) inner.push(units[++index] as Located);
    }
    // What does not fit the items that an array has to contain says nothing: others may.
    if (applied.includes("contains")) continue;
    const [path, value] = find(unit, context.values);
    // A member that does not fit counts as one that nobody has looked at.
    if (applied.at(-1)?.startsWith("unevaluated") && issues.hasWithin(path)) continue;
    const missing = missingIn(unit.keyword, schema, value);
    for (const name of missing) issues.add({ path: [...path, name], message: "is missing" });
    // Of schemas among the dependencies the faults follow, as units of their own.
    if (missing.length > 0 || unit.keyword === "dependencies") continue;
    if (applied.includes("propertyNames")) {
      issues.add({ path, message: "has a name that is not allowed" });
    } else if (inner.length > 0 || unit.keyword === "oneOf") {
      collectAlternatives(located, inner, path, schema, context, issues);
    } else {
      issues.add({ path, message: messageFor(unit.keyword, schema) });
    }
  }
}

/** Of several alternatives tells what is wrong with the one that was meant, where that shows. */
function collectAlternatives(
  { unit, location }: Located,
  inner: readonly Located[],
  path: JsonPath,
  schema: Schema,
  context: SchemaContext,
  issues: IssueList,
): void {
  const branches = (schema[unit.keyword] as readonly unknown[]).flatMap((branch, index) =>
    branch === false ? [] : [inner.filter((each) => each.location.startsWith(`${location}/${index}/`))],
  );
  if (branches.some((branch) => branch.length === 0)) {
    issues.add({ path, message: "fits more than one of the forms that exclude each other" });
    return;
  }
  const ofOtherType = (each: Located) =>
    each.unit.keyword === "type" && each.unit.instanceLocation === unit.instanceLocation;
  const ofType = branches.filter((branch) => !branch.some(ofOtherType));
  const meant = ofType.length === 1 ? ofType : ofType.filter((branch) => !branch.some(isOfConstant));
  if (meant.length === 1 && meant[0]) {
    collect(meant[0], context, issues);
    return;
  }
  const types = inner.filter(ofOtherType).map((each) => follow(each.location, context).schema);
  const isOfNoType = ofType.length === 0 && types.length > 0;
  issues.add({ path, message: isOfNoType ? typeMessage(types) : "fits none of the allowed forms" });
}

function isOfConstant({ unit }: Located): boolean {
  return unit.keyword === "const" || unit.keyword === "enum";
}

/** Follows a location such as `#/properties/lines/items/$ref/type` to the schema that has the last keyword. */
function follow(location: string, { schema, resolve }: SchemaContext) {
  const applied: string[] = [];
  let at = schema as Schema;
  let isSchema = true;
  for (const step of stepsOf(location).slice(0, -1)) {
    const next: unknown = isSchema && step === "$ref" ? resolve(at) : at[step];
    if (isSchema) applied.push(step);
    // The names in a map, and the indices in a list, are not keywords.
    isSchema = !isSchema || !(schemaMapKeywords.has(step) || Array.isArray(next));
    if (typeof next !== "object" || next === null) break;
    at = next as Schema;
  }
  return { schema: at, applied };
}

/** Which members a keyword asks for that are not there. */
function missingIn(keyword: string, schema: Schema, value: unknown): string[] {
  const has = (name: string) => Object.hasOwn(value as object, name);
  if (keyword === "required") return (schema.required ?? []).filter((name) => !has(name));
  if (keyword !== "dependentRequired" && keyword !== "dependencies") return [];
  const demanded = Object.entries(schema[keyword] ?? {}).flatMap(([name, names]) =>
    has(name) && Array.isArray(names) ? (names as string[]) : [],
  );
  return demanded.filter((name) => !has(name));
}

/** Where a unit stands in the values, and the value there. */
function find({ instanceLocation }: OutputUnit, values: unknown): [path: JsonPath, value: unknown] {
  const path: (string | number)[] = [];
  let value = values;
  for (const name of stepsOf(instanceLocation)) {
    path.push(Array.isArray(value) ? Number(name) : name);
    value = (value as Record<string, unknown> | null | undefined)?.[name];
  }
  return [path, value];
}

/** The names in a JSON pointer that is part of a URL. */
function stepsOf(pointer: string): string[] {
  const steps = pointer.split("/").slice(1);
  return steps.map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"));
}
