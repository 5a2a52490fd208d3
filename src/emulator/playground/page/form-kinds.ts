/** The part of JSON Schema that the form uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly default?: unknown;
  readonly title?: string;
  readonly description?: string;
}

export type Kind = "text" | "number" | "boolean" | "choice" | "list" | "object" | "json";

const maxReferences = 20;
const maxDepth = 5;

/** Resolves references and alternatives to the schema that describes a value. */
export function resolveSchema(schema: Schema, root: Schema, value: unknown): Schema {
  let found: Schema = schema;
  for (let count = 0; count < maxReferences; count++) {
    if (found.$ref !== undefined) found = lookUp(found.$ref, root);
    else if (found.anyOf ?? found.oneOf) found = alternativeOf(found.anyOf ?? found.oneOf ?? [], root, value);
    else if (found.allOf?.[0]) found = { ...found.allOf[0], ...found, allOf: found.allOf.slice(1) };
    else return found;
  }
  return {};
}

function lookUp(reference: string, root: Schema): Schema {
  if (!reference.startsWith("#")) return {};
  let found: unknown = root;
  for (const part of decodeURIComponent(reference).split("/").slice(1)) {
    found = memberOf(found, part.replaceAll("~1", "/").replaceAll("~0", "~"));
  }
  return Object(found) as Schema;
}

/** Returns an own property. Other names, such as `constructor`, are inherited. */
export function memberOf(object: unknown, name: string): unknown {
  return Object.hasOwn(Object(object), name) ? Object(object)[name] : undefined;
}

function alternativeOf(alternatives: readonly Schema[], root: Schema, value: unknown): Schema {
  const resolved = alternatives.map((each) => (each.$ref === undefined ? each : lookUp(each.$ref, root)));
  const fits = (schema: Schema) => kindOf(schema, undefined) === kindOf({}, value);
  return resolved.find(fits) ?? resolved.find(({ type }) => type !== "null") ?? {};
}

/** Returns the input kind for a value, from its schema or from the value itself. */
export function kindOf(schema: Schema, value: unknown): Kind {
  if (schema.enum || schema.const !== undefined) return "choice";
  const types = [schema.type ?? []].flat().filter((type) => type !== "null");
  const [type = typeOf(value, schema)] = types.length === 1 ? types : [];
  const hasMisfit =
    value !== undefined && value !== null && typeOf(value, {}) !== type.replace("integer", "number");
  // A value that does not match its schema is shown unchanged as JSON.
  return hasMisfit && types.length > 0 ? "json" : ((memberOf(kinds, type) as Kind | undefined) ?? "json");
}

const kinds: Readonly<Record<string, Kind>> = {
  string: "text",
  number: "number",
  integer: "number",
  boolean: "boolean",
  array: "list",
  object: "object",
};

function typeOf(value: unknown, schema: Schema): string {
  if (schema.properties) return "object";
  if (schema.items) return "array";
  if (value === null || value === undefined) return schema.type === undefined ? "string" : "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Returns an initial value. `like` is another item of the same list. */
export function emptyValue(schema: Schema, root: Schema, like?: unknown, depth = 0): unknown {
  const found = resolveSchema(schema, root, like);
  if (found.default !== undefined) return found.default;
  if (found.const !== undefined) return found.const;
  if (found.enum) return found.enum[0];
  const kind = kindOf(found, like);
  if (kind === "object") {
    // A schema can require itself recursively.
    if (depth === maxDepth) return {};
    const names = found.properties ? (found.required ?? []) : Object.keys(Object(like));
    const member = (name: string) =>
      emptyValue((memberOf(found.properties, name) ?? {}) as Schema, root, memberOf(like, name), depth + 1);
    return Object.fromEntries(names.map((name) => [name, member(name)]));
  }
  if (kind === "list") return [];
  return kind === "number" ? 0 : kind === "boolean" ? false : "";
}

/** The maximum number of columns of a table in the form. */
const maxColumns = 6;

/** Returns the properties of items that fit in a table: few, and none of them an object or a list. */
export function columnsOf(
  schema: Schema,
  root: Schema,
  items: readonly unknown[],
): readonly string[] | undefined {
  const found = resolveSchema(schema, root, items[0]);
  if (kindOf(found, items[0]) !== "object" || !items.every((item) => kindOf({}, item) === "object"))
    return undefined;
  const names = [
    ...Object.keys(found.properties ?? {}),
    ...items.flatMap((item) => Object.keys(Object(item))),
  ];
  const columns = [...new Set(names)];
  const isFlat = (column: string) => {
    const ofColumn = (memberOf(found.properties, column) ?? {}) as Schema;
    const kinds = items.map((item) => {
      const value = memberOf(item, column);
      return kindOf(resolveSchema(ofColumn, root, value), value);
    });
    return kinds.every((kind) => kind !== "object" && kind !== "list" && kind !== "json");
  };
  return items.length > 0 && columns.length <= maxColumns && columns.every(isFlat) ? columns : undefined;
}
