import { describeThrown } from "../../json/describe-thrown.ts";
import { isStandardSchema, type StandardSchemaV1 } from "../../request/schema.ts";
import { Misuse } from "../failure.ts";
import { loadModule } from "../load-module.ts";
import { SchemaFault } from "../template-types/json-schema/schema-fault.ts";
import { checkSample } from "./check-sample.ts";
import type { Collection } from "./collection.ts";
import { type SampleFile, uidOf } from "./sample-file.ts";

/** What is needed of a template's module. */
interface TemplateModule {
  readonly schema?: unknown;
  readonly sample?: unknown;
}

/**
 * The part of the Standard Schema interface by which a library writes a schema as JSON Schema.
 *
 * @see https://standardschema.dev/json-schema
 */
interface JsonSchemaConverter {
  readonly jsonSchema?: { input?(options: { readonly target: "draft-2020-12" }): unknown };
}

/**
 * Reads a template of the emulator that is a module: the schema that it exports, or else its sample.
 *
 * @returns what is to be told though it went well
 * @throws {Misuse} when it cannot be loaded, or exports neither
 */
export async function readModule(
  file: SampleFile,
  collection: Collection,
  signal: AbortSignal,
): Promise<string[]> {
  const { name } = file;
  const { schema, sample }: TemplateModule = await loadModule(file, "template", signal);
  const found = collection.of(uidOf(file, true));
  const addSample = () => {
    const json = jsonOf(sample, name);
    const values = checkSample(json, () => `${name}, \`sample\``, true);
    found.addSample(values, () => name, collection.sourceOf(file));
  };
  if (schema === undefined && sample === undefined) {
    throw new Misuse(
      `${name}: there is no schema where one was expected, nor a sample. Export a \`schema\` or a \`sample\`.`,
    );
  }
  if (schema === undefined) {
    addSample();
    return [];
  }
  if (!isStandardSchema(schema)) {
    throw new Misuse(
      `${name}: its \`schema\` is no Standard Schema. Export one of zod, valibot, arktype or their like.`,
    );
  }
  const converted = convert(schema);
  if ("schema" in converted) {
    addSchema(converted.schema);
    return [];
  }
  if (sample === undefined) {
    throw new Misuse(`${name}: ${converted.problem}. Export a \`sample\` beside it.`);
  }
  addSample();
  return [`${name}: ${converted.problem}; the types are those of its sample.`];

  function addSchema(json: unknown): void {
    try {
      found.addSchema(json, name, collection.sourceOf(file));
    } catch (error) {
      if (!(error instanceof SchemaFault)) throw error;
      throw new Misuse(`${error.message}.`);
    }
  }
}

function convert(schema: StandardSchemaV1): { readonly schema: unknown } | { readonly problem: string } {
  const { vendor, jsonSchema } = schema["~standard"] as StandardSchemaV1["~standard"] & JsonSchemaConverter;
  if (typeof jsonSchema?.input !== "function") {
    return { problem: `its \`schema\`, of ${vendor}, does not tell what it takes as a JSON Schema` };
  }
  try {
    return { schema: jsonSchema.input({ target: "draft-2020-12" }) };
  } catch (error) {
    const [reason = ""] = describeThrown(error).split("\n", 1);
    return { problem: `its \`schema\`, of ${vendor}, has no JSON Schema (${reason})` };
  }
}

/** The sample as a request would carry it. */
function jsonOf(sample: unknown, name: string): unknown {
  try {
    return JSON.parse(JSON.stringify(sample));
  } catch {
    throw new Misuse(`${name}: its \`sample\` is nothing that JSON can carry.`);
  }
}
