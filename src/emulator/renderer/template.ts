import type { ValueIssue } from "../../service/invalid-values.ts";

/** A document definition, or why there is none: at least one thing. */
export type Filled =
  | { readonly definition: object; readonly issues?: undefined }
  | { readonly issues: readonly ValueIssue[] };

/** A template that is ready to be filled with values. */
export interface Template {
  /** Values to try it with. */
  readonly sample: Record<string, unknown>;
  /** Puts values in, and leaves them as they are. */
  fill(values: Record<string, unknown>): Filled | Promise<Filled>;
}
