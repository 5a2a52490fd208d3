import type { RetryPolicy } from "../options/retry.ts";
import type { AttemptFailure } from "./attempt-failures.ts";
import type { Decision } from "./retry-policy.ts";

/** The bulk job that a call makes one attempt at. The run decides about retries. */
export interface BulkAttempt {
  /** The number of previous attempts. */
  readonly attempts: number;
  /** The error from the last attempt. */
  readonly lastError: unknown;
  /** Decides what to do after a failed attempt. */
  decide(failure: AttemptFailure, attempts: number, policy: RetryPolicy): Decision;
  /**
   * Called when an output has the complete document.
   *
   * @param attempts - the number of attempts, including previous ones
   */
  onWhole(attempts: number): void;
  /** Called when the call has failed or was cancelled. */
  onFailed(error: unknown, attempts: number): void;
}

/**
 * Names what a client offers to bulk runs. Registered globally, because the client and the run may come from different copies of
 * this package.
 */
export const forBulkRuns: unique symbol = Symbol.for("template-pdf.for-bulk-runs") as never;
