import { type Complete, isBoolean, isCount, type Rules, resolveGroup } from "./option-rules.ts";

/**
 * When a call is retried: after a random delay of up to 0.5 s, 1 s, 2 s … 8 s, or after the delay in `Retry-After`
 * (RFC 9110, 10.2.3; 60 s at most).
 *
 * @example
 * ```ts
 * await pdfs.generate("invoice", values, { retry: { limit: 4, mayRenderTwice: false } }).bytes();
 * ```
 */
export interface Retry {
  /** How many retries at most. Default: 2. */
  limit?: number | undefined;
  /**
   * Whether to retry if the service may have rendered the document already; `false` if you pay for every render.
   * A request that was not sent is retried anyway. A browser cannot see that, and treats every request as sent.
   * Default: `true`.
   */
  mayRenderTwice?: boolean | undefined;
}

/** A call's `retry`, complete. */
export type RetryPolicy = Complete<Retry>;

const defaults: RetryPolicy = /* @__PURE__ */ Object.freeze({ limit: 2, mayRenderTwice: true });

const rules: Rules<Retry> = { limit: isCount, mayRenderTwice: isBoolean };

/** Checks `retry`. Unset properties come from `base`. @throws {ConfigurationError} for the first mistake */
export function resolveRetry(retry?: Retry | false, base = defaults): RetryPolicy {
  return resolveGroup("retry", retry === false ? { limit: 0 } : retry, rules, base);
}
