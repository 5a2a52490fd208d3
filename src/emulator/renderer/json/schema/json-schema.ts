import { dereference, type Schema, type SchemaDraft } from "@cfworker/json-schema";
import { validateJson } from "../../../../json/json-schema.ts";
import {
  isDeeperThan,
  isJsonObject,
  type JsonPath,
  maxNesting,
  tooDeep,
} from "../../../../json/json-value.ts";
import type { ValueIssue } from "../../../../service/invalid-values.ts";
import { mistakeAt } from "../../template.ts";
import { issuesOf } from "./schema-issues.ts";
import { schemaKeywords, schemaListKeywords, schemaMapKeywords, schemaRules } from "./schema-rules.ts";

type MistakeAt = (place: JsonPath, problem: string) => Error;

type Resolve = (from: Schema) => Schema | boolean | undefined;

/**
 * Compiles a JSON Schema of draft 4, 6, 7, 2019-09 or 2020-12, depending on its `$schema`. Does not fetch other documents.
 *
 * @param schema - the parsed schema, whose nesting must already have been checked
 * @param root - the location of the schema in the file
 * @returns a function that checks values. Its issues contain paths and rules but never a value
 * @throws {TemplateMistake} with the location if the schema is invalid or refers to another document.
 */
export function parseSchema(
  schema: unknown,
  file: string,
  root: JsonPath = ["schema"],
): (values: Record<string, unknown>) => readonly ValueIssue[] {
  const mistake: MistakeAt = (place, problem) => mistakeAt(file, [...root, ...place], problem);
  if (typeof schema !== "boolean" && !isJsonObject(schema)) {
    throw mistake([], "must be a JSON Schema: an object, true or false.");
  }
  const draft = draftOf(schema);
  if (draft === undefined) {
    throw mistake(["$schema"], "is an unknown draft. Use https://json-schema.org/draft/2020-12/schema.");
  }
  let addresses: Record<string, Schema | boolean>;
  try {
    addresses = dereference(schema);
  } catch {
    const problem =
      "has two schemas with the same `$id`, or has a `$id`, `$ref` or name that is not valid in a URL";
    throw mistake([], `${problem}. Change it.`);
  }
  const resolve: Resolve = (from) => addresses[from.__absolute_ref__ ?? from.$ref ?? ""];
  checkSchema(schema, draft, resolve, mistake);

  return (values) => {
    if (isDeeperThan(values, maxNesting)) return [{ path: [], message: tooDeep }];
    try {
      const { errors } = validateJson(values, schema, draft, addresses, false);
      return issuesOf(errors, { schema, values, resolve });
    } catch (error) {
      // The validator encodes the path of each property as a URL.
      if (error instanceof URIError) {
        return [{ path: [], message: "has a property whose name is not valid Unicode" }];
      }
      // The validator is recursive and spreads errors as arguments, so that both can exceed the stack.
      if (!(error instanceof RangeError)) throw error;
      const message =
        "cannot be checked, because it has too many errors, is nested too deeply, or refers to itself";
      return [{ path: [], message }];
    }
  };
}

const drafts: readonly (readonly [RegExp, SchemaDraft])[] = [
  [/\/draft-04\//, "4"],
  [/\/draft-0[67]\//, "7"],
  [/\/draft\/2019-09\//, "2019-09"],
  [/\/draft\/2020-12\//, "2020-12"],
];

function draftOf(schema: Schema | boolean): SchemaDraft | undefined {
  if (typeof schema === "boolean" || schema.$schema === undefined) return "2020-12";
  return drafts.find(([pattern]) => pattern.test(String(schema.$schema)))?.[1];
}

/** Checks a schema, its inner schemas and the targets of its references before any values are checked. */
function checkSchema(schema: unknown, draft: SchemaDraft, resolve: Resolve, mistake: MistakeAt): void {
  const rules = schemaRules(draft);
  const seen = new Set<unknown>();
  const check = (part: unknown, place: JsonPath): void => {
    if (seen.has(part)) return;
    seen.add(part);
    const { errors } = validateJson(part, rules, "2020-12", {}, false);
    const [issue] = issuesOf(errors, { schema: rules, values: part, resolve });
    if (issue) throw mistake([...place, ...issue.path], `${issue.message}.`);
    if (!isJsonObject(part)) return;
    if (part["$ref"] !== undefined) references.push([part, [...place, "$ref"]]);
    for (const [inner, path] of within(part)) check(inner, [...place, ...path]);
  };
  const references: (readonly [Schema, JsonPath])[] = [];
  check(schema, []);
  // The list grows in the loop, because each target adds its own references.
  for (const [from, place] of references) {
    const target = resolve(from);
    if (target === undefined) {
      throw mistake(
        place,
        "does not exist in this schema, and other documents are not fetched. Fix the reference, or put that schema into `$defs`.",
      );
    }
    check(target, place);
  }
}

function* within(schema: Schema): Iterable<readonly [unknown, JsonPath]> {
  for (const [keyword, value] of Object.entries(schema)) {
    if (schemaMapKeywords.has(keyword)) {
      for (const [name, inner] of Object.entries(value as object)) {
        const isListOfNames = keyword === "dependencies" && Array.isArray(inner);
        if (!isListOfNames) yield [inner, [keyword, name]];
      }
    } else if (schemaListKeywords.has(keyword) && Array.isArray(value)) {
      for (const [index, inner] of value.entries()) yield [inner, [keyword, index]];
    } else if (schemaKeywords.has(keyword)) {
      yield [value, [keyword]];
    }
  }
}
