import type { OutputUnit, Schema } from "@cfworker/json-schema";
import type { JsonPath } from "../../../../json/json-value.ts";
import type { ValueIssue } from "../../../../service/invalid-values.ts";
import { IssueList } from "../../issue-list.ts";
import { schemaListKeywords, schemaMapKeywords } from "./schema-keywords.ts";
import { messageFor, misfitMessage } from "./schema-messages.ts";

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
const passing = new Set([
  "$ref",
  "allOf",
  "if",
  "dependentSchemas",
  "properties",
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "items",
  "prefixItems",
  "additionalItems",
  "unevaluatedItems",
]);

/**
 * Tells in our own words what a validation found: no value is in them, and each stands at the member it is about.
 *
 * @param units - what the validator gives, a unit before those that are inside it
 */
export function issuesOf(units: readonly OutputUnit[], context: SchemaContext): readonly ValueIssue[] {
  const issues = new IssueList();
  collect(locate(units), context, issues);
  // Nothing that was refused may pass because nobody found words for it.
  if (units.length > 0 && issues.all.length === 0)
    issues.add({ path: [], message: "does not fit the schema" });
  return issues.all;
}

function locate(units: readonly OutputUnit[]): Located[] {
  let previous = "#";
  return units.map((unit) => {
    // A `false` schema gives the place in the values for its own (@cfworker/json-schema 4.1).
    previous = unit.keyword === "false" ? `${previous}/false` : unit.keywordLocation;
    return { unit, location: previous };
  });
}

function collect(units: readonly Located[], context: SchemaContext, issues: IssueList): void {
  for (let index = 0; index < units.length && !issues.isFull; index += 1) {
    const { unit, location } = units[index] as Located;
    if (unit.keyword === "anyOf" || unit.keyword === "oneOf") {
      const start = index + 1;
      while (units[index + 1]?.location.startsWith(`${location}/`)) index += 1;
      collectAlternatives(unit, units.slice(start, index + 1), context, issues);
    } else if (!passing.has(unit.keyword)) {
      collectOne(unit, location, context, issues);
    }
  }
}

function collectOne(unit: OutputUnit, location: string, context: SchemaContext, issues: IssueList): void {
  const { schema, applied } = walk(location, context);
  // What does not fit the items that an array has to contain says nothing: others may.
  if (applied.includes("contains")) return;
  const path = pathOf(unit, context.values);
  if (applied.includes("propertyNames")) {
    issues.add({ path, message: "has a name that is not allowed" });
    return;
  }
  // A member that does not fit counts as one that nobody has looked at.
  if (applied.at(-1)?.startsWith("unevaluated") && issues.hasWithin(path)) return;
  const missing = missingIn(unit.keyword, schema, valueAt(path, context.values));
  for (const name of missing) issues.add({ path: [...path, name], message: "is missing" });
  // Of schemas among the dependencies the faults follow, as units of their own.
  const isTold = missing.length > 0 || unit.keyword === "dependencies";
  if (!isTold) issues.add({ path, message: messageFor(unit.keyword, schema) });
}

/** Of several alternatives tells what is wrong with the one that was meant, where that shows. */
function collectAlternatives(
  unit: OutputUnit,
  inner: readonly Located[],
  context: SchemaContext,
  issues: IssueList,
): void {
  const { schema, applied } = walk(unit.keywordLocation, context);
  if (applied.includes("contains") || applied.includes("propertyNames")) {
    collectOne(unit, unit.keywordLocation, context, issues);
    return;
  }
  const path = pathOf(unit, context.values);
  const all = schema[unit.keyword] as readonly unknown[];
  const branches = all.flatMap((branch, index) => {
    const location = `${unit.keywordLocation}/${index}/`;
    return branch === false ? [] : [inner.filter((each) => each.location.startsWith(location))];
  });
  if (branches.some((branch) => branch.length === 0)) {
    issues.add({ path, message: "fits more than one of the forms that exclude each other" });
    return;
  }
  const ofType = branches.filter((branch) => !branch.some((each) => isAbout(each, "type", unit)));
  const meant = ofType.length === 1 ? ofType : ofType.filter((branch) => !branch.some(isConstant));
  if (meant.length === 1 && meant[0]) {
    collect(meant[0], context, issues);
    return;
  }
  const types = branches.flatMap((branch) =>
    branch.filter((each) => isAbout(each, "type", unit)).map((each) => walk(each.location, context).schema),
  );
  issues.add({
    path,
    message:
      ofType.length === 0 && types.length > 0 ? misfitMessage(types) : "fits none of the allowed forms",
  });
}

function isAbout({ unit }: Located, keyword: string, { instanceLocation }: OutputUnit): boolean {
  return unit.keyword === keyword && unit.instanceLocation === instanceLocation;
}

function isConstant({ unit }: Located): boolean {
  return unit.keyword === "const" || unit.keyword === "enum";
}

/** Follows a location such as `#/properties/lines/items/$ref/type` to the schema that has the last keyword. */
function walk(
  location: string,
  { schema: root, resolve }: SchemaContext,
): { schema: Schema; applied: string[] } {
  const steps = location.split("/").slice(1).map(decodeName);
  const applied: string[] = [];
  let schema = root as Schema;
  for (let index = 0; index < steps.length - 1; index += 1) {
    const keyword = steps[index] ?? "";
    applied.push(keyword);
    let next: unknown = keyword === "$ref" ? resolve(schema) : schema[keyword];
    const isList = schemaListKeywords.includes(keyword) && Array.isArray(next);
    if (isList || schemaMapKeywords.includes(keyword)) {
      index += 1;
      next = (next as Record<string, unknown>)[steps[index] ?? ""];
    }
    if (typeof next !== "object" || next === null) break;
    schema = next as Schema;
  }
  return { schema, applied };
}

/** Which members a keyword asks for that are not there. */
function missingIn(keyword: string, schema: Schema, value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const needed =
    keyword === "required"
      ? (schema.required ?? [])
      : keyword === "dependentRequired" || keyword === "dependencies"
        ? Object.entries(schema[keyword] ?? {}).flatMap(([name, names]) =>
            Object.hasOwn(value, name) && Array.isArray(names) ? (names as string[]) : [],
          )
        : [];
  return needed.filter((name) => !Object.hasOwn(value, name));
}

function pathOf({ instanceLocation }: OutputUnit, values: unknown): JsonPath {
  const path: (string | number)[] = [];
  let value = values;
  for (const name of instanceLocation.split("/").slice(1).map(decodeName)) {
    path.push(Array.isArray(value) ? Number(name) : name);
    value = (value as Record<string, unknown> | null | undefined)?.[name];
  }
  return path;
}

function valueAt(path: JsonPath, values: unknown): unknown {
  let value = values;
  for (const key of path) value = (value as Record<string | number, unknown> | null | undefined)?.[key];
  return value;
}

/** Undoes what makes a name a step of a JSON pointer in a URL. */
export function decodeName(step: string): string {
  return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
}
