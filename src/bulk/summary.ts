import type { FailureGroup } from "./failure-groups.ts";

/** What became of the jobs of a run. */
export interface BulkSummary {
  /** Jobs whose documents were stored and recorded by this run. */
  readonly fulfilled: number;
  /** Jobs that earlier runs had finished, and that were passed over. */
  readonly skipped: number;
  /** Jobs that failed; the next run tries them again. */
  readonly rejected: number;
  /** Jobs among the fulfilled and rejected ones whose input had changed since an earlier run finished them. */
  readonly changed: number;
  /**
   * Jobs that earlier runs finished and that were not among the jobs of this one: their documents are where they were. `undefined` of a
   * run that has not seen all of its jobs.
   */
  readonly missing: number | undefined;
  /** What went wrong, sorted by its kind, the most frequent first. */
  readonly failures: readonly FailureGroup[];
  /** How long the run took, in milliseconds. */
  readonly durationMs: number;
}
