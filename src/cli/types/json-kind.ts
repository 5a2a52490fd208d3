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
  if (!isObject(json)) return "nothing";
  if (isTemplate(json)) return "template";
  return isSchema(json) ? "schema" : "sample";
}

/** Whether it is pdfmake's definition, and more than that: data may have a content, too. */
function isTemplate(json: object): boolean {
  const { content, schema, sample } = json as Readonly<Record<string, unknown>>;
  if (typeof content !== "string" && (typeof content !== "object" || content === null)) return false;
  if (isObject(schema) || typeof schema === "boolean") return true;
  return (isObject(sample) && typeof content === "object") || fillings.test(JSON.stringify(json));
}

/** Data may have a `$schema`, too: of its own schema, which is not one of json-schema.org. */
function isSchema(json: object): boolean {
  const { $schema, type, properties } = json as Readonly<Record<string, unknown>>;
  if (typeof $schema === "string" && /^https?:\/\/json-schema\.org\//.test($schema)) return true;
  return (
    type === "object" &&
    isObject(properties) &&
    Object.values(properties).every((one) => isObject(one) || typeof one === "boolean")
  );
}

export function isObject(json: unknown): json is object {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
