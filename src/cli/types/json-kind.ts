import { isJsonObject } from "../../json/json-value.ts";

/** What a JSON file holds. */
export type JsonKind = "sample" | "samples" | "schema" | "template" | "nothing";

/** Where a template of the emulator has something to fill in. */
const fillings = /\{\{|"\$(?:each|if)"\s*:/;

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
function isTemplate(json: object): boolean {
  const { content, schema, sample } = json as Members;
  if (typeof content !== "string" && (typeof content !== "object" || content === null)) return false;
  if (isJsonObject(schema) || typeof schema === "boolean") return true;
  return (isJsonObject(sample) && typeof content === "object") || fillings.test(JSON.stringify(json));
}

/**
 * Whether only a schema looks like this: it describes members, or combines what it defines. Data may have a `$schema`,
 * too, of its own schema, which is not one of json-schema.org; and a `type`, or `properties`.
 */
function isSchema(json: object): boolean {
  const { $schema, type, properties, required, $defs, definitions } = json as Members;
  if (typeof $schema === "string" && /^https?:\/\/json-schema\.org\//.test($schema)) return true;
  const defines = areSchemas($defs) || areSchemas(definitions);
  if (areSchemas(properties)) return isTypeOfObjects(type) || areNames(required) || defines;
  return properties === undefined && defines && isCombined(json);
}

/** Whether what was taken for a sample may have been meant for a schema. */
export function mayBeSchema(json: object): boolean {
  const { type, properties } = json as Members;
  if (properties !== undefined) return areSchemas(properties) && Object.values(properties).some(isTyped);
  return isTypeOfObjects(type) || isCombined(json);
}

type Members = Readonly<Record<string, unknown>>;

const typeNames: readonly unknown[] = "string number integer boolean null object array".split(" ");

function isTypeOfObjects(type: unknown): boolean {
  return (
    type === "object" ||
    (Array.isArray(type) && type.includes("object") && type.every((name) => typeNames.includes(name)))
  );
}

function isTyped(schema: unknown): boolean {
  return isJsonObject(schema) && typeNames.includes((schema as Members)["type"]);
}

/** Whether it is made of other schemas. */
function isCombined(json: object): boolean {
  const { $ref, allOf, anyOf, oneOf } = json as Members;
  if (typeof $ref === "string") return true;
  return [allOf, anyOf, oneOf].some(
    (list) => Array.isArray(list) && list.length > 0 && list.every(isSchemaLike),
  );
}

function areSchemas(json: unknown): json is object {
  return isJsonObject(json) && Object.values(json).every(isSchemaLike);
}

function isSchemaLike(json: unknown): boolean {
  return isJsonObject(json) || typeof json === "boolean";
}

function areNames(json: unknown): boolean {
  return Array.isArray(json) && json.every((name) => typeof name === "string");
}
