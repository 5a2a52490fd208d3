import { isJsonObject } from "../../json/json-value.ts";

/** What a JSON file holds. */
export type JsonKind = "sample" | "samples" | "schema" | "template" | "nothing";

type Json = Readonly<Record<string, unknown>>;

/** Where a template of the emulator has something to fill in. */
const fillings = /\{\{|"\$(?:each|if)"\s*:/;

const typeNames: readonly unknown[] = "string number integer boolean null object array".split(" ");

/**
 * Tells what a JSON file holds, by its content and its name.
 *
 * @param json - its content
 * @param name - its path
 */
export function kindOfJson(json: unknown, name: string): JsonKind {
  if (/\.schema\.json$/i.test(name)) return "schema";
  if (Array.isArray(json)) return "samples";
  if (!isJsonObject(json)) return "nothing";
  if (isTemplate(json)) return "template";
  return isSchema(json) ? "schema" : "sample";
}

/** Whether it is pdfmake's definition, and more than that: data may have a content, too. */
function isTemplate(json: Json): boolean {
  const { content, schema, sample } = json;
  if (typeof content !== "string" && (typeof content !== "object" || content === null)) return false;
  if (isSchemaLike(schema)) return true;
  return (isJsonObject(sample) && typeof content === "object") || fillings.test(JSON.stringify(json));
}

/**
 * Whether only a schema looks like this: it describes properties, or combines what it defines. Data may have a `$schema`,
 * too, of its own schema, which is not one of json-schema.org; and a `type`, or `properties`.
 */
function isSchema(json: Json): boolean {
  const { $schema, type, properties, required, $defs, definitions } = json;
  if (typeof $schema === "string" && /^https?:\/\/json-schema\.org\//.test($schema)) return true;
  const defines = areSchemas($defs) || areSchemas(definitions);
  if (areSchemas(properties)) return isTypeOfObjects(type) || areNames(required) || defines;
  return properties === undefined && defines && isCombined(json);
}

/** Whether what was taken for a sample may have been meant for a schema. */
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

/** Whether it is made of other schemas. */
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
