import type { JsonPath } from "../../json/json-value.ts";
import type { ValueIssue } from "../../service/invalid-values.ts";
import type { ValueShape } from "./json/sample-values.ts";

import type { TemplateFault } from "./template-fault.ts";

/** A document definition, or at least one issue. */
export type Filled =
  | { readonly definition: object; readonly issues?: undefined }
  | { readonly issues: readonly ValueIssue[] };

/** A position in the source of a template. */
export interface SourcePosition extends Pick<TemplateFault, "file" | "line" | "column" | "part"> {}

/** A loaded template. */
export interface Template {
  /** Sample values. */
  readonly sample: Record<string, unknown>;
  /** A JSON Schema for the values, if the template has one. */
  readonly schema: object | undefined;
  /** How a JSON template uses the values. */
  readonly usage?: ValueShape;
  /**
   * Fills in values without changing them.
   *
   * @param maxNodes - the maximum number of nodes. The function stops soon after it, but does not count exactly. Default: no limit
   */
  fill(values: Record<string, unknown>, maxNodes?: number): Filled | Promise<Filled>;
  /** Whether functions may read names that pdfmake does not know. */
  readonly hasFunctions: boolean;
  /**
   * Finds the source of a part of a definition.
   *
   * @param path - the path in the definition
   * @param values - the values of the definition
   * @param of - whether the name of the property is wrong or its value
   */
  locate(path: JsonPath, values: Record<string, unknown>, of?: "name"): SourcePosition;
}

/** A mistake in a template that the emulator detects. Its message contains no values, and is shown unchanged. */
export class TemplateMistake extends Error {
  override readonly name = "TemplateMistake";
  /**
   * The part of the definition that the message refers to. It is redacted, because it may be a value from the
   * call.
   */
  about: string | undefined;

  /** The export of the module that the message refers to. */
  readonly exportName: string | undefined;

  constructor(message: string, about?: string, exportName?: string) {
    super(message);
    this.about = about;
    this.exportName = exportName;
  }
}
