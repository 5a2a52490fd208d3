import type { Bytes } from "../index.ts";
import type { TemplateFault } from "./renderer/template-fault.ts";
import type { Renderers } from "./renderers.ts";
import type { TemplateFile } from "./template-folder.ts";

/** What is known about a template. */
export interface ExaminedTemplate {
  /** The faults of the file, or of the document; empty if the document was rendered, or the values do not fit. */
  readonly faults: readonly TemplateFault[];
  /** The sample values, if the file has no faults. */
  readonly sample?: Record<string, unknown>;
  /** The JSON Schema of the values, if the template has one. */
  readonly schema?: object | undefined;
  /** The document, if it could be rendered. */
  readonly bytes?: Bytes;
}

/**
 * Finds the faults of a template: of its file, and of the document that it makes from its sample.
 *
 * @param signal - ends a document that takes too long; the abort reason is thrown
 * @param values - the values of the document. Default: the sample
 */
export async function examineTemplate(
  template: TemplateFile,
  renderers: Renderers,
  signal: AbortSignal,
  values?: Record<string, unknown>,
): Promise<ExaminedTemplate> {
  const { path, duplicate } = template;
  if (duplicate !== undefined) return { faults: [{ file: path, part: "", message: duplicate }] };
  const found = await renderers.perform({ template }, signal);
  if (found.kind === "broken") return { faults: found.faults };
  if (found.kind !== "inspected") throw signal.reason;
  const { sample, schema } = found;
  const made = await renderers.perform({ template, values: values ?? sample }, signal);
  if (made.kind === "document") return { faults: [], sample, schema, bytes: made.bytes };
  if (made.kind === "broken") return { faults: made.faults, sample, schema };
  if (made.kind === "refused") return { faults: [], sample, schema };
  throw signal.reason;
}
