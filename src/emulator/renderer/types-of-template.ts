import { shapeOfSchema } from "../../template-types/json-schema/shape-of-schema.ts";
import { Samples } from "../../template-types/samples.ts";
import { writeTypes } from "../../template-types/write-types.ts";
import type { TemplateFile } from "../template-folder.ts";
import type { Template } from "./template.ts";

/**
 * Writes the TypeScript types of the values of a template, like `template-pdf types`: from its schema, otherwise from its sample.
 */
export function typesOf({ schema, sample }: Template, { uid, file }: TemplateFile): string {
  const samples = new Samples();
  samples.add(sample);
  const known = schema
    ? shapeOfSchema(schema, file)
    : { shape: samples.shape(), definitions: new Map<string, never>() };
  return writeTypes([{ uid, ...known, sources: [file] }], { zod: false });
}
