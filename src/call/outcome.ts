import type { RetryPolicy } from "../options/retry.ts";
import type { PdfResponse } from "./attempt.ts";
import type { Decision, Failure } from "./retry-policy.ts";

/** A document that has begun to arrive, or the error of a call. */
export type CallOutcome =
  | { readonly response: PdfResponse; readonly error?: undefined }
  | { readonly response: undefined; readonly error: unknown };

/** The result of a call, for a bulk run. */
export interface Outcome {
  /** The number of attempts, including those before this call. */
  readonly attempts: number;
  /** The error; missing if an output has the complete document. */
  readonly failure?: { readonly error: unknown };
}

/** The bulk job that a call makes one attempt at. The run decides about retries. */
export interface BulkAttempt {
  /** The number of previous attempts. */
  readonly attempts: number;
  /** The error from the last attempt. */
  readonly lastError: unknown;
  /** Decides what to do after a failed attempt. */
  decide(failure: Failure, attempts: number, policy: RetryPolicy): Decision;
  /** Called when the call is over. */
  onOutcome(outcome: Outcome): void;
}

/**
 * Names an internal method of the client. Registered globally, because the client and the run may come from different copies of
 * this package.
 */
export const startAttempt: unique symbol = Symbol.for("template-pdf.start-attempt") as never;
