import { describeThrown } from "../../errors/foreign-values.ts";
import { isStandardSchema, type StandardSchemaV1 } from "../../request/schema.ts";
import { Misuse } from "../failure.ts";
import { loadModule } from "../load-module.ts";
import { type SampleFile, uidOf } from "./sample-file.ts";
import { type Collection, samplesOf } from "./template-samples.ts";

/**
 * The part of the Standard Schema interface that converts a schema to JSON Schema.
 *
 * @see https://standardschema.dev/json-schema
 */
interface JsonSchemaConverter {
  readonly jsonSchema?: { input?(options: { readonly target: "draft-2020-12" }): unknown };
}

/**
 * Reads the exported schema of an emulator template that is a module, or else its sample.
 *
 * @returns warnings
 * @throws {Misuse} if the module cannot be loaded, or exports neither
 */
export async function readModule(
  file: SampleFile,
  collection: Collection,
  signal: AbortSignal,
): Promise<string[]> {
  const { name } = file;
  const { schema, sample }: { schema?: unknown; sample?: unknown } = await loadModule(
    file,
    "template",
    signal,
  );
  const found = samplesOf(collection, uidOf(file, true));
  let problem: string | undefined;
  if (schema !== undefined) {
    const converted = convert(schema, name);
    if ("json" in converted) {
      found.addSchema(converted.json, file);
      return [];
    }
    problem = `${name}: its \`schema\`, created with ${converted.problem}`;
  }
  if (sample === undefined) {
    throw new Misuse(
      problem === undefined
        ? `${name}: the module exports neither a schema nor a sample. Export a \`schema\` or a \`sample\`.`
        : `${problem}. Export a \`sample\` as well.`,
    );
  }
  found.addSample(jsonOf(sample, name), file, () => `${name}, \`sample\``, name);
  return problem === undefined ? [] : [`${problem}; its sample is used instead.`];
}

function convert(schema: unknown, name: string): { readonly json: unknown } | { readonly problem: string } {
  if (!isStandardSchema(schema)) {
    throw new Misuse(
      `${name}: its \`schema\` is not a Standard Schema. Export a schema from zod, valibot, arktype or a similar library.`,
    );
  }
  const { vendor, jsonSchema } = schema["~standard"] as StandardSchemaV1["~standard"] & JsonSchemaConverter;
  if (typeof jsonSchema?.input !== "function") {
    return { problem: `${vendor}, cannot be converted to JSON Schema` };
  }
  try {
    return { json: jsonSchema.input({ target: "draft-2020-12" }) };
  } catch (error) {
    const [reason = ""] = describeThrown(error).split("\n", 1);
    return { problem: `${vendor}, cannot be converted to JSON Schema (${reason})` };
  }
}

/** Converts the sample as a request would. */
function jsonOf(sample: unknown, name: string): unknown {
  try {
    return JSON.parse(JSON.stringify(sample));
  } catch {
    throw new Misuse(`${name}: its \`sample\` cannot be converted to JSON.`);
  }
}
