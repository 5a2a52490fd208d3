import {
  dereference,
  encodePointer,
  type Schema,
  schemaArrayKeyword,
  schemaKeyword,
  schemaMapKeyword,
} from "@cfworker/json-schema";
import { isJsonObject, type JsonPath } from "./json-value.ts";

/** Keywords whose value is a schema. The next two sets are those with an array or a map of schemas. */
export const schemaKeywords: ReadonlySet<string> = new Set(Object.keys(schemaKeyword));
export const schemaListKeywords: ReadonlySet<string> = new Set(Object.keys(schemaArrayKeyword));
export const schemaMapKeywords: ReadonlySet<string> = new Set([
  ...Object.keys(schemaMapKeyword),
  "dependencies",
]);

/** A JSON Schema whose references can be resolved. */
export interface SchemaDocument {
  /** A copy of the parsed schema. */
  readonly root: unknown;
  /** The draft in `$schema`; `undefined` if it is unknown. */
  readonly draft: SchemaDraft | undefined;
  /** Every schema by its address. */
  readonly addresses: Record<string, Schema | boolean>;
}

type SchemaDraft = "4" | "7" | "2019-09" | "2020-12" | "unspecified";

const drafts: readonly (readonly [RegExp, SchemaDraft])[] = [
  [/\/draft-04\//, "4"],
  [/\/draft-0[67]\//, "7"],
  [/\/draft\/2019-09\//, "2019-09"],
  [/\/draft\/2020-12\/|\/oas\/3\.1\/dialect\//, "2020-12"],
];

/**
 * Copies a schema and finds the addresses of its parts. Does not fetch other documents.
 *
 * @param schema - the parsed schema
 * @param file - the path of its file, because the schema may refer to itself by the file name
 * @throws {Error} if two schemas have the same `$id`, or an address is not a URL
 */
export function openSchema(schema: unknown, file: string): SchemaDocument {
  const root: unknown = structuredClone(schema);
  for (const part of schemasIn(root)) {
    // `dereference` would read a part of an example as a schema, and does not know this anchor.
    delete part["example"];
    if (typeof part["$dynamicAnchor"] === "string") part.$anchor ??= part["$dynamicAnchor"];
  }
  const base = new URL(`schema:///${encodeURIComponent(file.split("/").at(-1) ?? "")}`);
  const addresses = dereference(root as Schema, undefined, base);
  for (const part of schemasIn(root)) addDependencies(part, addresses);
  return { root, draft: draftOf(root), addresses };
}

/** `dereference` does not know `dependencies`, and reads a schema in it only if its name is not that of a keyword. */
function addDependencies(schema: Schema, addresses: SchemaDocument["addresses"]): void {
  const [document = "", pointer = ""] = schema.__absolute_uri__?.split("#") ?? [];
  const { dependencies } = schema;
  if (!isJsonObject(dependencies)) return;
  for (const [name, inner] of Object.entries(dependencies)) {
    if (!isJsonObject(inner)) continue;
    dereference(inner, addresses, new URL(document), `${pointer}/dependencies/${encodePointer(name)}`);
  }
}

function draftOf(schema: unknown): SchemaDraft | undefined {
  if (!isJsonObject(schema) || schema["$schema"] === undefined) return "unspecified";
  return drafts.find(([pattern]) => pattern.test(String(schema["$schema"])))?.[1];
}

/** Returns the schema that a `$ref` means. */
export function resolveReference({ addresses }: SchemaDocument, from: Schema): Schema | boolean | undefined {
  return addresses[from.__absolute_ref__ ?? from.$ref ?? ""];
}

/** Lists the schemas directly inside a schema, with their locations in it. */
export function* schemasWithin(schema: Schema): Iterable<readonly [unknown, JsonPath]> {
  for (const [keyword, value] of Object.entries(schema)) {
    if (schemaMapKeywords.has(keyword)) {
      for (const [name, inner] of Object.entries((value ?? {}) as object)) {
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

/** Lists a schema and the schemas inside it; with a document, also the targets of their references. */
function schemasIn(root: unknown, document?: SchemaDocument): ReadonlySet<Schema> {
  const found = new Set<Schema>();
  const add = (part: unknown) => {
    if (isJsonObject(part)) found.add(part);
  };
  add(root);
  // The set grows in the loop.
  for (const schema of found) {
    for (const [inner] of schemasWithin(schema)) add(inner);
    if (document) add(resolveReference(document, schema));
  }
  return found;
}

/**
 * Rewrites a schema of any draft, or of OpenAPI 3.0, in place with the keywords of draft 2020-12, so that types, zod schemas and the
 * validator read the same schema. A part that is not valid stays as it is. References still have their old addresses.
 */
export function normalizeSchema(document: SchemaDocument): void {
  const ignoresSiblings = document.draft === "4" || document.draft === "7";
  for (const schema of schemasIn(document.root, document)) {
    if (ignoresSiblings && typeof schema.$ref === "string") removeConstraints(schema);
    normalizeItems(schema);
    normalizeDependencies(schema);
    normalizeLimit(schema, "minimum", "exclusiveMinimum");
    normalizeLimit(schema, "maximum", "exclusiveMaximum");
    normalizeNullable(schema);
  }
}

/** Keywords that do not constrain a value, or that the schemas inside it need. */
const annotations: ReadonlySet<string> = new Set(
  "$schema $id id $anchor $defs definitions title description default".split(" "),
);

/** Up to draft 7, the keywords beside `$ref` have no effect. */
function removeConstraints(schema: Schema): void {
  for (const keyword of Object.keys(schema)) {
    if (keyword !== "$ref" && keyword !== "nullable" && !annotations.has(keyword)) delete schema[keyword];
  }
}

/** Before draft 2020-12, `items` could be the list of the first items, and `additionalItems` the schema of the others. */
function normalizeItems(schema: Schema): void {
  const { items, prefixItems, additionalItems } = schema;
  delete schema.additionalItems;
  if (prefixItems !== undefined || !Array.isArray(items) || !items.every(isSchema)) return;
  schema.prefixItems = items;
  delete schema.items;
  if (additionalItems !== undefined) schema.items = additionalItems;
}

/** Before draft 2019-09, `dependencies` contained both lists of names and schemas. */
function normalizeDependencies(schema: Schema): void {
  const { dependencies, dependentRequired, dependentSchemas, allOf = [] } = schema;
  if (!isJsonObject(dependencies)) return;
  const all = Object.entries(dependencies);
  const lists = all.filter((entry): entry is [string, string[]] => Array.isArray(entry[1]));
  const schemas = all.filter(([, each]) => isSchema(each));
  if (lists.length + schemas.length < all.length) return;
  const split: Schema = {};
  if (lists.length > 0) split.dependentRequired = Object.fromEntries(lists);
  if (schemas.length > 0) split.dependentSchemas = Object.fromEntries(schemas);
  delete schema["dependencies"];
  if (dependentRequired === undefined && dependentSchemas === undefined) Object.assign(schema, split);
  else schema.allOf = [...(Array.isArray(allOf) ? allOf : []), split];
}

/** In draft 4 and OpenAPI 3.0, `exclusiveMinimum` is a flag that changes the meaning of `minimum`. */
function normalizeLimit(
  schema: Schema,
  limit: "minimum" | "maximum",
  exclusive: "exclusiveMinimum" | "exclusiveMaximum",
): void {
  const flag: unknown = schema[exclusive];
  if (typeof flag !== "boolean") return;
  delete schema[exclusive];
  if (!flag || schema[limit] === undefined) return;
  schema[exclusive] = schema[limit];
  delete schema[limit];
}

/** In OpenAPI 3.0, `nullable` also allows null. */
function normalizeNullable(schema: Schema): void {
  const { nullable } = schema;
  if (typeof nullable !== "boolean") return;
  delete schema["nullable"];
  if (!nullable) return;
  const value: Schema = {};
  for (const keyword of Object.keys(schema).filter((name) => !annotations.has(name))) {
    value[keyword] = schema[keyword];
    delete schema[keyword];
  }
  // These addresses are not enumerable.
  const { __absolute_ref__, __absolute_uri__ } = schema;
  Object.defineProperty(value, "__absolute_uri__", { value: __absolute_uri__ });
  Object.defineProperty(value, "__absolute_ref__", { value: __absolute_ref__ });
  schema.anyOf = [value, { type: "null" }];
}

function isSchema(value: unknown): boolean {
  return isJsonObject(value) || typeof value === "boolean";
}
