import type { Job } from "../../bulk/index.ts";
import type { AnyTemplate } from "../../index.ts";

/** A row on its way to its document. */
export interface RowJob extends Job {
  readonly template: AnyTemplate;
  readonly values: Record<string, unknown>;
  /** Which record of the data it is, from 1. */
  readonly number: number;
  /** The line on which it begins, from 1. */
  readonly line: number;
}
