import type { JsonPath } from "../../json/json-value.ts";
import { formatJsonPath } from "../../request/serialize-values.ts";
import type { ValueIssue } from "../../service/invalid-values.ts";
import type { ValueShape } from "./json/sample-values.ts";

/** A document definition, or at least one issue. */
export type Filled =
  | { readonly definition: object; readonly issues?: undefined }
  | { readonly issues: readonly ValueIssue[] };

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
}

/** A mistake in a template that the emulator detects. Its message contains no values, and is shown unchanged. */
export class TemplateMistake extends Error {
  override readonly name = "TemplateMistake";
  /**
   * The part of the definition that the message refers to. It is redacted, because it may be a value from the
   * call.
   */
  about: string | undefined;

  constructor(message: string, about?: string) {
    super(message);
    this.about = about;
  }
}

/** Creates the one-line error for a mistake in a template file. The message begins with the file name. */
export function mistakeAt(file: string, place: JsonPath, problem: string): TemplateMistake {
  return new TemplateMistake(`${[file, formatJsonPath(place)].filter(Boolean).join(", ")}: ${problem}`);
}
