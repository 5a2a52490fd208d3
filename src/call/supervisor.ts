import type { RetryPolicy } from "../options/retry.ts";
import type { Decision, Setback } from "./retry-policy.ts";

/**
 * Decides in place of a call's own loop whether there is another attempt, and hears how the one attempt that the call makes
 * has ended. A run over many documents is one: what the service says to one call matters to all of them.
 */
export interface Supervisor {
  /** Hears that the call begins; gives the attempts that were made before it, and what the last of them failed with. */
  begin(): { readonly attempts: number; readonly lastError: unknown };
  /**
   * Hears that the attempt has failed.
   *
   * @param failure - what it means for another attempt, and what makes its error
   * @param attempts - how many there were, with those before this call
   * @param policy - the call's own options of trying again
   * @returns whether another call is to follow, and when
   */
  onSetback(
    failure: Setback & { readonly error: (note: string) => unknown },
    attempts: number,
    policy: RetryPolicy,
  ): Decision;
  /** Hears that the call has failed, or was given up, after so many attempts in all. */
  onFailure(error: unknown, attempts: number): void;
  /** Hears that a form has read the document to its end, and that it is whole. */
  onWhole(attempts: number): void;
}

/**
 * The name of a call option that no caller has: its supervisor. Registered globally, because the client may come from another
 * copy of this package.
 */
export const supervisor: unique symbol = Symbol.for("template-pdf.supervisor") as never;
