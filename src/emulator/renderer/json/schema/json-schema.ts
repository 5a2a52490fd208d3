import type { Schema } from "@cfworker/json-schema";
import { validateJson } from "../../../../json/json-schema.ts";
import {
  isDeeperThan,
  isJsonObject,
  type JsonPath,
  maxNesting,
  tooDeep,
} from "../../../../json/json-value.ts";
import {
  normalizeSchema,
  openSchema,
  resolveReference,
  type SchemaDocument,
  schemasWithin,
} from "../../../../json/schema-document.ts";
import { formatJsonPath } from "../../../../request/serialize-values.ts";
import type { ValueIssue } from "../../../../service/invalid-values.ts";
import { issuesOf } from "./schema-issues.ts";
import { schemaRules } from "./schema-rules.ts";

/** Creates the error for a mistake in a part of the schema. */
type MistakeAt = (place: JsonPath, problem: string) => Error;

/** Formats a mistake in a part of a schema: `schema.json, properties.date: …`. An empty file or place is left out. */
export function formatMistake(file: string, place: JsonPath, problem: string): string {
  return `${[file, formatJsonPath(place)].filter(Boolean).join(", ")}: ${problem}`;
}

/**
 * Compiles a JSON Schema of draft 4, 6, 7, 2019-09 or 2020-12, depending on its `$schema`. Does not fetch other documents.
 *
 * @param schema - the parsed schema, whose nesting must already have been checked
 * @param file - the path of its file, because the schema may refer to itself by the file name
 * @returns a function that checks values. Its issues contain paths and rules but never a value
 * @throws the error of `mistake` if the schema is invalid or refers to another document.
 */
export function parseSchema(
  schema: unknown,
  file: string,
  mistake: MistakeAt,
): (values: Record<string, unknown>) => readonly ValueIssue[] {
  if (typeof schema !== "boolean" && !isJsonObject(schema)) {
    throw mistake([], "must be a JSON Schema: an object, true or false.");
  }
  const document = openDocument(schema, file, mistake);
  checkSchema(document, mistake);
  normalizeSchema(document);
  const { root: normalized, addresses } = document as SchemaDocument & { readonly root: Schema | boolean };
  const context = { schema: normalized, resolve: (from: Schema) => resolveReference(document, from) };

  return (values) => {
    if (isDeeperThan(values, maxNesting)) return [{ path: [], message: tooDeep }];
    try {
      const { errors } = validateJson(values, normalized, "2020-12", addresses, false);
      return issuesOf(errors, { ...context, values });
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

function openDocument(schema: unknown, file: string, mistake: MistakeAt): SchemaDocument {
  let document: SchemaDocument;
  try {
    document = openSchema(schema, file);
  } catch {
    const problem =
      "has two schemas with the same `$id`, or has a `$id`, `$ref` or name that is not valid in a URL";
    throw mistake([], `${problem}. Change it.`);
  }
  if (document.draft !== undefined) return document;
  throw mistake(["$schema"], "is an unknown draft. Use https://json-schema.org/draft/2020-12/schema.");
}

/** Checks a schema, its inner schemas and the targets of its references before any values are checked. */
function checkSchema(document: SchemaDocument, mistake: MistakeAt): void {
  const rules = schemaRules(document.draft);
  const seen = new Set<unknown>();
  const check = (part: unknown, place: JsonPath): void => {
    if (seen.has(part)) return;
    seen.add(part);
    const { errors } = validateJson(part, rules, "2020-12", {}, false);
    const [issue] = issuesOf(errors, { schema: rules, values: part, resolve: () => undefined });
    if (issue) {
      const hint = /^\$(?:dynamic|recursive)Ref$/.test(String(issue.path[0])) ? " Use `$ref`." : "";
      throw mistake([...place, ...issue.path], `${issue.message}.${hint}`);
    }
    if (!isJsonObject(part)) return;
    if (part["$ref"] !== undefined) references.push([part, [...place, "$ref"]]);
    for (const [inner, path] of schemasWithin(part)) check(inner, [...place, ...path]);
  };
  const references: (readonly [Schema, JsonPath])[] = [];
  check(document.root, []);
  // The list grows in the loop, because each target adds its own references.
  for (const [from, place] of references) {
    const target = resolveReference(document, from);
    if (target === undefined) {
      throw mistake(
        place,
        "does not exist in this schema, and other documents are not fetched. Fix the reference, or put that schema into `$defs`.",
      );
    }
    check(target, place);
  }
}
