import type { RetryPolicy } from "../options/retry.ts";
import type { PdfResponse } from "./attempt.ts";
import type { Decision, Failure } from "./retry-policy.ts";

/** A document that has begun to arrive, or what a call failed with. */
export type CallOutcome = { readonly response: PdfResponse } | { readonly error: unknown };

/** What became of a call, for a bulk run. */
export interface Outcome {
  /** How many attempts there were, including those before this call. */
  readonly attempts: number;
  /** What it failed with; missing if the document is whole and an output has it. */
  readonly failure?: { readonly error: unknown };
}

/** The job of a bulk run, of which a call makes one attempt. The run decides about the next one. */
export interface BulkAttempt {
  /** How many attempts there were before. */
  readonly attempts: number;
  /** What the last of them failed with. */
  readonly lastError: unknown;
  /** Decides what follows a failed attempt. */
  decide(failure: Failure, attempts: number, policy: RetryPolicy): Decision;
  /** Called when the call is over. */
  onOutcome(outcome: Outcome): void;
}

/** Names an internal method of the client. Registered globally, because client and run may come from two copies of this package. */
export const startAttempt: unique symbol = Symbol.for("template-pdf.start-attempt") as never;
