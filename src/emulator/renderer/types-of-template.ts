import { shapeOfSchema } from "../../template-types/json-schema/shape-of-schema.ts";
import { mergeSources } from "../../template-types/merge-shapes.ts";
import { Samples } from "../../template-types/samples.ts";
import { writeTypes } from "../../template-types/write-types.ts";
import type { TemplateFile } from "../template-folder.ts";
import type { Template } from "./template.ts";

/** Writes the TypeScript types of the values of a template, like `template-pdf types`: from its schema, sample and placeholders. */
export function typesOf({ schema, sample, usage }: Template, { uid, file }: TemplateFile): string {
  const samples = new Samples();
  samples.add(sample);
  const known = mergeSources({
    schema: schema && shapeOfSchema(schema, file),
    sample: samples.shape(),
    usage: usage?.objectShape(),
  });
  return writeTypes([{ uid, ...known, sources: [file] }], { zod: false });
}
