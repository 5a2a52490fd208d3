import { dereference, type Schema, type SchemaDraft } from "@cfworker/json-schema";
import { validateJson } from "../../../../json/json-schema.ts";
import type { JsonPath } from "../../../../json/json-value.ts";
import { isJsonObject } from "../../../../json/json-value.ts";
import type { ValueIssue } from "../../../../service/invalid-values.ts";
import { isTooDeep, tooDeep } from "../../../nesting.ts";
import { mistakeAt } from "../../template-mistake.ts";
import { decodeName, issuesOf } from "./schema-issues.ts";
import {
  inPlaceKeywords,
  isPattern,
  keywordProblem,
  schemaKeywords,
  schemaListKeywords,
  schemaMapKeywords,
} from "./schema-keywords.ts";

/** Finds the schema that a `$ref` leads to. */
type Resolve = (schema: Schema) => Schema | boolean | undefined;

/**
 * Reads a JSON Schema, of draft 4, 6, 7, 2019-09 or 2020-12 by its `$schema`.
 *
 * @param schema - what stands in a file, not nested too deep
 * @param file - the name of the file, with which errors begin
 * @param root - where the schema stands in it
 * @returns what checks values, and tells what is wrong with them: places and rules, never a value
 * @throws {TemplateMistake} that names the place, where the schema breaks its own rules, or refers to another document: nothing
 *   is fetched.
 */
export function parseSchema(
  schema: unknown,
  file: string,
  root: JsonPath = ["schema"],
): (values: Record<string, unknown>) => readonly ValueIssue[] {
  if (typeof schema !== "boolean" && !isJsonObject(schema)) {
    throw mistakeAt(file, root, "must be a JSON Schema: an object, true or false.");
  }
  const issue = misnamedIn(schema);
  if (issue) throw mistakeAt(file, [...root, ...issue.path], `${issue.message}. Rename it.`);
  const draft = draftOf(schema, file, root);
  const addresses = addressesOf(schema, file, root);
  const resolve: Resolve = (from) => addresses[from.__absolute_ref__ ?? from.$ref ?? ""];
  new SchemaCheck(file, root, draft, addresses, resolve).check(schema, root);

  return (values) => {
    if (isTooDeep(values)) return [{ path: [], message: tooDeep }];
    const misnamed = misnamedIn(values);
    if (misnamed) return [misnamed];
    for (const stopsEarly of [false, true]) {
      try {
        const { errors } = validateJson(values, schema, draft, addresses, stopsEarly);
        return issuesOf(errors, { schema, values, resolve });
      } catch (error) {
        // The validator calls itself for what is nested, and hands on faults as arguments: the stack may not hold it all.
        if (!(error instanceof RangeError)) throw error;
      }
    }
    return [{ path: [], message: "has too many faults, or is nested too deep, to be checked by the schema" }];
  };
}

const drafts: readonly (readonly [RegExp, SchemaDraft])[] = [
  [/\/draft-04\//, "4"],
  [/\/draft-0[67]\//, "7"],
  [/\/draft\/2019-09\//, "2019-09"],
  [/\/draft\/2020-12\//, "2020-12"],
];

function draftOf(schema: Schema | boolean, file: string, root: JsonPath): SchemaDraft {
  const { $schema = "/draft/2020-12/" } = schema === true || schema === false ? {} : schema;
  const draft = drafts.find(([pattern]) => pattern.test(String($schema)))?.[1];
  if (draft !== undefined) return draft;
  const newest = "https://json-schema.org/draft/2020-12/schema";
  throw mistakeAt(file, [...root, "$schema"], `is a draft that nobody here knows. Take ${newest}.`);
}

/** Every schema in it by its address. */
function addressesOf(
  schema: Schema | boolean,
  file: string,
  root: JsonPath,
): Record<string, Schema | boolean> {
  try {
    return dereference(schema);
  } catch {
    throw mistakeAt(
      file,
      root,
      "has two schemas of one `$id`, or a `$id` or `$ref` that is no URL. Change it.",
    );
  }
}

/** Looks through a schema once, before any value is checked by it. */
class SchemaCheck {
  readonly #file: string;
  readonly #root: JsonPath;
  readonly #draft: SchemaDraft;
  readonly #addresses: Record<string, Schema | boolean>;
  readonly #resolve: Resolve;
  readonly #seen = new Set<Schema>();
  readonly #free = new Set<Schema>();

  constructor(
    file: string,
    root: JsonPath,
    draft: SchemaDraft,
    addresses: Record<string, Schema | boolean>,
    resolve: Resolve,
  ) {
    this.#file = file;
    this.#root = root;
    this.#draft = draft;
    this.#addresses = addresses;
    this.#resolve = resolve;
  }

  /** Checks a schema and all that it holds or leads to. */
  check(schema: unknown, place: JsonPath): void {
    if (typeof schema === "boolean") return;
    if (!isJsonObject(schema)) throw this.#mistake(place, "must be a schema: an object, true or false.");
    if (this.#seen.has(schema)) return;
    this.#seen.add(schema);
    for (const keyword of Object.keys(schema)) {
      const problem = keywordProblem(schema, keyword, this.#draft);
      if (problem !== undefined) throw this.#mistake([...place, keyword], problem);
      for (const [inner, at] of this.#within(schema, keyword, place)) this.check(inner, at);
    }
    this.#checkWayBack(schema, place, new Set());
  }

  /** Finds what the validator would follow for ever: a way from a schema to itself that stays at one value. */
  #checkWayBack(schema: unknown, place: JsonPath, open: Set<Schema>): void {
    if (!isJsonObject(schema) || this.#free.has(schema)) return;
    if (open.has(schema)) throw this.#mistake(place, "leads back to itself for ever. Take it away.");
    open.add(schema);
    for (const keyword of inPlaceKeywords) {
      for (const [inner, at] of this.#within(schema, keyword, place)) this.#checkWayBack(inner, at, open);
    }
    open.delete(schema);
    this.#free.add(schema);
  }

  /** The schemas that a keyword holds or leads to, and where they stand. */
  *#within(schema: Schema, keyword: string, place: JsonPath): Iterable<readonly [unknown, JsonPath]> {
    const value: unknown = schema[keyword];
    if (value === undefined) return;
    const at = [...place, keyword];
    if (keyword === "$ref") {
      const target = this.#referencedSchema(schema, at);
      yield [target, pathOfSchema(target, this.#root) ?? at];
    } else if (schemaMapKeywords.includes(keyword)) {
      for (const [name, inner] of Object.entries(value as object)) {
        if (keyword === "patternProperties" && !isPattern(name)) {
          throw this.#mistake([...at, name], "is no regular expression.");
        }
        const isListOfNames = keyword === "dependencies" && Array.isArray(inner);
        if (!isListOfNames) yield [inner, [...at, name]];
      }
    } else if (schemaListKeywords.includes(keyword) && Array.isArray(value)) {
      for (const [index, inner] of value.entries()) yield [inner, [...at, index]];
    } else if (schemaKeywords.includes(keyword)) {
      yield [value, at];
    }
  }

  #referencedSchema(schema: Schema, place: JsonPath): Schema | boolean {
    const target = this.#resolve(schema);
    if (target !== undefined) return target;
    const documentOf = (address: string) => address.split("#", 1)[0];
    const document = documentOf(schema.__absolute_ref__ ?? "");
    const isHere = Object.keys(this.#addresses).some((address) => documentOf(address) === document);
    throw this.#mistake(
      place,
      isHere
        ? "leads to nothing in this schema. Mend the name, or put a schema there."
        : "leads to another document, and nothing is fetched. Put that schema into `$defs`, and refer to it there.",
    );
  }

  #mistake(place: JsonPath, problem: string): Error {
    return mistakeAt(this.#file, place, problem);
  }
}

/** Where a schema stands by its address, `…#/$defs/line`. */
function pathOfSchema(schema: Schema | boolean, root: JsonPath): JsonPath | undefined {
  const address = typeof schema === "boolean" ? "" : (schema.__absolute_uri__ ?? "");
  const keys = address.split("#/")[1]?.split("/").map(decodeName);
  return keys && [...root, ...keys.map((key) => (/^\d+$/.test(key) ? Number(key) : key))];
}

/** Finds a name that the validator cannot take, because it writes the way to each member as a URL. */
function misnamedIn(values: unknown): ValueIssue | undefined {
  const path: (string | number)[] = [];
  const isMisnamed = (value: unknown): boolean => {
    if (typeof value !== "object" || value === null) return false;
    const isArray = Array.isArray(value);
    for (const [name, member] of Object.entries(value)) {
      if (!isArray && /\p{Surrogate}/u.test(name)) return true;
      path.push(isArray ? Number(name) : name);
      if (isMisnamed(member)) return true;
      path.pop();
    }
    return false;
  };
  return isMisnamed(values) ? { path, message: "has a member whose name is no Unicode text" } : undefined;
}
