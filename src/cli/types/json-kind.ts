import { isJsonObject } from "../../json/json-value.ts";

/** The content of a JSON file. */
export type JsonKind = "sample" | "samples" | "schema" | "template" | "nothing";

type Json = Readonly<Record<string, unknown>>;

/** Matches the placeholders and directives of an emulator template. */
const fillings = /\{\{|"\$(?:each|if)"\s*:/;

const typeNames: readonly unknown[] = "string number integer boolean null object array".split(" ");

/**
 * Detects what a JSON file contains from its content and its name.
 *
 * @param json - the content of the file
 * @param name - the path of the file
 */
export function kindOfJson(json: unknown, name: string): JsonKind {
  if (/\.schema\.json$/i.test(name)) return "schema";
  if (Array.isArray(json)) return "samples";
  if (!isJsonObject(json)) return "nothing";
  if (isTemplate(json)) return "template";
  return isSchema(json) ? "schema" : "sample";
}

/**
 * Whether the object is a pdfmake definition with placeholders, a schema or a sample. Data can also have a `content` property.
 */
function isTemplate(json: Json): boolean {
  const { content, schema, sample } = json;
  if (typeof content !== "string" && (typeof content !== "object" || content === null)) return false;
  if (isSchemaLike(schema)) return true;
  return (isJsonObject(sample) && typeof content === "object") || fillings.test(JSON.stringify(json));
}

/**
 * Whether the object can only be a schema, because it describes properties or combines its definitions. Data can also have
 * a `type`, `properties`, or a `$schema` that does not come from json-schema.org.
 */
function isSchema(json: Json): boolean {
  const { $schema, type, properties, required, $defs, definitions } = json;
  if (typeof $schema === "string" && /^https?:\/\/json-schema\.org\//.test($schema)) return true;
  const defines = areSchemas($defs) || areSchemas(definitions);
  if (areSchemas(properties)) return isTypeOfObjects(type) || areNames(required) || defines;
  return properties === undefined && defines && isCombined(json);
}

/** Whether an object that was read as a sample may be intended as a schema. */
export function mayBeSchema(json: Json): boolean {
  const { type, properties } = json;
  if (properties === undefined) return isTypeOfObjects(type) || isCombined(json);
  return areSchemas(properties) && Object.values(properties).some(isTyped);
}

function isTypeOfObjects(type: unknown): boolean {
  const types = Array.isArray(type) ? type : [type];
  return types.includes("object") && types.every((name) => typeNames.includes(name));
}

function isTyped(schema: unknown): boolean {
  return isJsonObject(schema) && typeNames.includes(schema["type"]);
}

/** Whether the schema consists of other schemas. */
function isCombined({ $ref, allOf, anyOf, oneOf }: Json): boolean {
  const isList = (list: unknown) => Array.isArray(list) && list.length > 0 && list.every(isSchemaLike);
  return typeof $ref === "string" || [allOf, anyOf, oneOf].some(isList);
}

function areSchemas(json: unknown): json is Json {
  return isJsonObject(json) && Object.values(json).every(isSchemaLike);
}

function isSchemaLike(json: unknown): boolean {
  return isJsonObject(json) || typeof json === "boolean";
}

function areNames(json: unknown): boolean {
  return Array.isArray(json) && json.every((name) => typeof name === "string");
}
