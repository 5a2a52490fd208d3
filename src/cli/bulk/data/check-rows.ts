import { extname, resolve } from "node:path";
import type { Readable } from "node:stream";
import { formatMistake, parseSchema } from "../../../emulator/renderer/json/schema/json-schema.ts";
import { type AnyTemplate, template, ValuesError, type ValuesIssue } from "../../../index.ts";
import { isDeeperThan, isJsonObject, maxNesting, tooDeep } from "../../../json/json-value.ts";
import { isStandardSchema, type StandardSchemaV1, serializeChecked } from "../../../request/schema.ts";
import { ownOption } from "../../../runtime/own-options.ts";
import { decodeJson } from "../../decode-utf8.ts";
import { describeReadError, Misuse } from "../../failure.ts";
import { maxJsonBytes, readInput } from "../../input.ts";
import { divertStdout, loadModule } from "../../load-module.ts";
import { CellReader, type CheckedValues, type CheckValues } from "./read-cells.ts";

/** The schema that rows are checked against before the first request. */
export interface RowSchema {
  /** A template whose schema transforms the values; `undefined` if they are sent unchanged. */
  readonly template?: AnyTemplate;
  /**
   * Checks the values of a row. In CSV, reads the texts of the cells as the values that the schema requires. The issues do not
   * contain values. Throws if the schema itself fails.
   */
  read(values: Record<string, unknown>): Promise<CheckedValues>;
}

/** The context in which the schema is used. */
export interface SchemaOptions {
  /** The uid of the template. */
  readonly uid: string;
  /** The columns of CSV, in which all values are texts. */
  readonly columns: readonly string[] | undefined;
  readonly stdin: Readable;
  readonly signal: AbortSignal;
}

const moduleExtensions = [".mjs", ".js", ".cjs", ".ts", ".mts", ".cts"];

/** Reads the schema of the rows: a JSON Schema, or a module that exports a Standard Schema or a `template()`. */
export async function readSchema(file: string, options: SchemaOptions): Promise<RowSchema> {
  const isModule = moduleExtensions.includes(extname(file).toLowerCase());
  const { check, ...rest } = isModule
    ? await readSchemaModule(file, options)
    : await readJsonSchema(file, options);
  const { columns } = options;
  if (columns === undefined)
    return { ...rest, read: async (values) => ({ values, issues: await check(values) }) };
  const cells = await CellReader.for(columns, check);
  return { ...rest, read: (texts) => cells.read(texts) };
}

/** A schema as it was written, without the knowledge that cells are texts. */
interface WrittenSchema {
  readonly template?: AnyTemplate;
  readonly check: CheckValues;
}

async function readJsonSchema(file: string, options: SchemaOptions): Promise<WrittenSchema> {
  const bytes = await readInput(file, options.stdin, maxJsonBytes).catch((cause: unknown) => {
    const what = `Could not read the schema ${file}: ${describeReadError(cause)}.`;
    throw new Misuse(`${what} Give --schema a JSON Schema, or a module.`, { cause });
  });
  return { check: parseJsonSchema(decodeJson(bytes, file), file, options) };
}

/** Keywords that restrict an object. Every schema that checks anything contains one of them. */
const keywords =
  "$ref type enum const properties required patternProperties additionalProperties propertyNames minProperties maxProperties " +
  "dependentRequired dependentSchemas dependencies unevaluatedProperties allOf anyOf oneOf not if";
const demanding = new Set(keywords.split(" "));

/** Parses a JSON Schema, or the schema of an emulator template. */
function parseJsonSchema(
  json: unknown,
  file: string,
  { columns = [] }: SchemaOptions,
): (values: Record<string, unknown>) => readonly ValuesIssue[] {
  const isOfTemplate =
    !demandsAnything(json) && isJsonObject(json) && demandsAnything(ownOption(json, "schema"));
  const schema = isOfTemplate ? ownOption(json, "schema") : json;
  // Every object is a valid JSON Schema, so a sample that is passed by mistake would accept every row.
  if (!demandsAnything(schema)) {
    throw new Misuse(
      `${file}: this JSON Schema checks nothing. Describe the values, for example {"required":["date"]}.`,
    );
  }
  refuseNearNames(columns, isJsonObject(schema) ? ownOption(schema, "properties") : undefined, file);
  if (isDeeperThan(schema, maxNesting)) throw new Misuse(`${file}: this ${tooDeep}. Flatten it.`);
  const root = isOfTemplate ? ["schema"] : [];
  return parseSchema(
    schema,
    file,
    (place, problem) => new Misuse(formatMistake(file, [...root, ...place], problem)),
  );
}

/** Refuses a column that the schema would not read, because its name is written in another way. */
function refuseNearNames(columns: readonly string[], properties: unknown, file: string): void {
  const names = new Set(isJsonObject(properties) ? Object.keys(properties) : []);
  const unused = [...names].filter((name) => !columns.includes(name));
  const folded = (name: string) => name.normalize("NFKC").toLowerCase();
  const byFolded = new Map(unused.map((name) => [folded(name), name]));
  for (const [index, column] of columns.entries()) {
    const near = names.has(column) ? undefined : byFolded.get(folded(column));
    if (near === undefined) continue;
    throw new Misuse(
      `Column ${index + 1} of the header resembles ${JSON.stringify(near)} in ${file}, but is not the same name. Write it as in the schema.`,
    );
  }
}

function demandsAnything(json: unknown): boolean {
  return isJsonObject(json) && Object.keys(json).some((keyword) => demanding.has(keyword));
}

async function readSchemaModule(file: string, { uid, signal }: SchemaOptions): Promise<WrittenSchema> {
  const exported = await divertStdout(() =>
    loadModule({ path: resolve(file), name: file }, "schema", signal),
  );
  const found = schemaIn(exported, uid, file);
  if (isTemplate(found) && found.uid !== uid) {
    const other = JSON.stringify(found.uid);
    throw new Misuse(
      `${file}: this is template ${other}, but ${JSON.stringify(uid)} was requested. Use the same uid for both.`,
    );
  }
  const schema = isTemplate(found) ? found.schema : found;
  const asked: AnyTemplate = schema ? template(uid, schema) : template(uid);
  return { template: asked, check: (values) => issuesOf(asked, values) };
}

/** Returns the export named after the template, or else the default export, the export `schema`, or the only schema. */
function schemaIn(
  exported: Readonly<Record<string, unknown>>,
  uid: string,
  file: string,
): AnyTemplate | StandardSchemaV1 {
  const schemas = Object.entries(exported).filter(([, each]) => isTemplate(each) || isStandardSchema(each));
  const byName = new Map(schemas as [string, AnyTemplate | StandardSchemaV1][]);
  const named = byName.get(uid) ?? byName.get("default") ?? byName.get("schema");
  if (named) return named;
  const [only, another] = [...byName.values()];
  if (!only) {
    throw new Misuse(
      `${file}: the module exports no schema. As the default export, use a schema from zod, valibot, arktype or a similar library, or a template() that has one.`,
    );
  }
  if (!another) return only;
  throw new Misuse(
    `${file}: it exports ${byName.size} schemas: ${[...byName.keys()].join(", ")}. Export one of them as the default.`,
  );
}

/** Does not use `instanceof`, because the template may come from another copy of this package. */
function isTemplate(value: unknown): value is AnyTemplate {
  const { uid, schema } = Object(value) as Partial<AnyTemplate>;
  return (
    typeof uid === "string" && (schema === undefined || isStandardSchema(schema)) && !isStandardSchema(value)
  );
}

async function issuesOf(
  asked: AnyTemplate,
  values: Record<string, unknown>,
): Promise<readonly ValuesIssue[]> {
  try {
    // The output of the schema must be convertible to JSON.
    await serializeChecked(asked, values);
    return [];
  } catch (error) {
    if (ValuesError.is(error)) return error.issues;
    throw error;
  }
}
