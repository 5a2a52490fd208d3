import type { FailureGroup } from "../bulk/index.ts";
import { isInstance } from "../errors/foreign-values.ts";
import { checkOptions, isByteCount, isFunction, isSignal, type Rule } from "../options/option-rules.ts";

/** Options for `add`. */
export interface AddOptions<J> {
  /**
   * Returns a unique ID for a job, for example an invoice number. Default: an ID derived from the job's
   * template and values.
   */
  key?: ((job: NoInfer<J>) => string | number) | undefined;
  /** Called after every batch. If the callback throws, `add` rejects with that error. */
  onProgress?: ((progress: AddProgress) => void) | undefined;
  /**
   * The time before which workers do not begin these jobs. Jobs that the run already has keep their time.
   * Default: they begin immediately.
   */
  notBefore?: Date | undefined;
  /** The maximum size of a job in bytes of JSON. A larger job counts as invalid. Default: 1,048,576. */
  maxJobBytes?: number | undefined;
  /**
   * Aborts `add`, which rejects with the abort reason. Jobs that were already added remain in the queue. To
   * continue, add the same jobs again.
   */
  signal?: AbortSignal | undefined;
}

/** The progress of a call to `add`. */
export interface AddProgress {
  /** The number of jobs that this call put in the queue: new ones, and ones that the run had lost. */
  readonly added: number;
  /** The number of jobs that needed nothing: the run has them as waiting, finished or failed jobs. */
  readonly known: number;
  /** The number of jobs that were not added, because their values are invalid or too large. */
  readonly invalid: number;
}

/** The summary of a call to `add`. */
export interface AddSummary extends AddProgress {
  /** Why jobs are invalid, most frequent reason first. */
  readonly failures: readonly FailureGroup[];
}

const isTime: Rule = {
  words: "a valid Date before 2038",
  test: (value) => isInstance(value, Date) && (value as Date).getTime() < Date.UTC(2038, 0, 1),
};

/** Checks the `add` options, and returns a copy. Throws a {@link ConfigurationError} for the first invalid one. */
export function checkAddOptions(options: AddOptions<unknown>): AddOptions<unknown> {
  const rules = { key: isFunction, onProgress: isFunction, maxJobBytes: isByteCount, signal: isSignal };
  return checkOptions(options, { ...rules, notBefore: isTime }, "add");
}
