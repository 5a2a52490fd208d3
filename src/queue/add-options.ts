import type { FailureGroup } from "../bulk/index.ts";
import { checkOptions, isByteCount, isFunction, isSignal } from "../options/option-rules.ts";

/** The options of `add`. */
export interface AddOptions<J> {
  /** What identifies a job, such as the number of an invoice. Default: its template and values. */
  key?: ((job: NoInfer<J>) => string | number) | undefined;
  /** Called after every batch. What it throws ends the adding. */
  onProgress?: ((progress: AddProgress) => void) | undefined;
  /** How large a job may be in Redis, in bytes of JSON. Larger ones are invalid. Default: 1,048,576. */
  maxJobBytes?: number | undefined;
  /** Ends the adding with its reason. What was added stays; add the same jobs again for the rest. */
  signal?: AbortSignal | undefined;
}

/** How far an `add` has come. */
export interface AddProgress {
  /** Jobs that are in the queue because of this `add`. */
  readonly added: number;
  /** Jobs that the run had already. */
  readonly known: number;
  /** Jobs that were not added because their values do not fit, or are too large. */
  readonly invalid: number;
}

/** What became of the jobs of an `add`. */
export interface AddSummary extends AddProgress {
  /** Why jobs are invalid, the most frequent reason first. */
  readonly failures: readonly FailureGroup[];
}

/** Throws a {@link ConfigurationError} for the first option of `add` that is wrong. */
export function checkAddOptions(options: AddOptions<unknown>): void {
  const rules = { key: isFunction, onProgress: isFunction, maxJobBytes: isByteCount, signal: isSignal };
  checkOptions(options, rules, "add");
}
