import { withoutPrototype } from "../runtime/own-options.ts";
import type { ValueIssue } from "../service/invalid-values.ts";
import { countPages } from "./playground/count-pages.ts";
import type { TemplateFault } from "./renderer/template-fault.ts";
import type { Renderers, Terms } from "./renderers.ts";
import type { TemplateFile } from "./template-folder.ts";

/** The sample values of a template, and the JSON Schema of its values, if it has one. */
interface Inspected {
  readonly sample: Record<string, unknown>;
  readonly schema: object | undefined;
}

/** What is known about a template. */
export interface ExaminedTemplate extends Partial<Inspected> {
  /** The faults of the file, or of the document; empty if the document was rendered, or the values do not fit. */
  readonly faults: readonly TemplateFault[];
  /** Whether the only fault is that the limit was exceeded. */
  readonly isTimeout?: boolean;
  /** Why the template refuses its own sample. */
  readonly issues?: readonly ValueIssue[];
  /** The number of pages of the document, if it could be rendered. */
  readonly pages?: number;
}

interface ExamineOptions {
  /** The values of the document. Default: the sample. */
  readonly values?: Record<string, unknown> | undefined;
  /** Called before the document is rendered. */
  readonly onInspected?: (inspected: Inspected) => void;
}

/**
 * Finds the faults of a template: of its file, and of the document that it makes from its sample.
 *
 * @param terms - `limitMs` limits each of the two steps; `signal` ends them, and its abort reason is thrown
 */
export async function examineTemplate(
  template: TemplateFile,
  renderers: Renderers,
  terms: Terms,
  options: ExamineOptions = {},
): Promise<ExaminedTemplate> {
  const { values, onInspected } = withoutPrototype(options);
  const { path, duplicate } = template;
  if (duplicate !== undefined) return { faults: [{ file: path, part: "", message: duplicate }] };
  const found = await renderers.perform({ template }, terms);
  if (found.kind === "broken") return faultsOf(found);
  if (found.kind !== "inspected") throw terms.signal?.reason;
  const { sample, schema } = found;
  onInspected?.({ sample, schema });
  const made = await renderers.perform({ template, values: values ?? sample }, terms);
  if (made.kind === "document") {
    const pages = countPages(Buffer.from(made.bytes).toString("latin1"));
    return { faults: [], sample, schema, pages };
  }
  if (made.kind === "broken") return { ...faultsOf(made), sample, schema };
  if (made.kind === "refused") return { faults: [], issues: made.issues, sample, schema };
  throw terms.signal?.reason;
}

function faultsOf({ faults, isTimeout = false }: { faults: readonly TemplateFault[]; isTimeout?: boolean }) {
  return { faults, isTimeout };
}
