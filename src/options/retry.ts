import { type Complete, isBoolean, isCount, isObject, type Rule, type Rules } from "./option-rules.ts";

/**
 * The retry policy for a call. Before a retry, the client waits for the delay in `Retry-After` (RFC 9110,
 * 10.2.3; 60 s at most). Without that header, the delay is random: up to 0.5 s before the first retry, then
 * up to 1 s, 2 s, 4 s and 8 s.
 *
 * @example
 * ```ts
 * await pdfs.generate("invoice", values, { retry: { limit: 4, mayRenderTwice: false } }).bytes();
 * ```
 */
export interface Retry {
  /** The maximum number of retries. Default: 2. */
  limit?: number | undefined;
  /**
   * Whether to retry a request if the service may already have rendered the document. Set it to `false` if
   * you pay for every render. Even then, requests that were never sent are retried, unless a retry would fail for the
   * same reason, such as an untrusted certificate or a wrong proxy password. A browser does not report whether a
   * request was sent, so the client treats every request as sent. Default: `true`.
   */
  mayRenderTwice?: boolean | undefined;
}

/** The retry policy for a call, with all defaults filled in. */
export type RetryPolicy = Complete<Retry>;

const defaults: RetryPolicy = /* @__PURE__ */ Object.freeze({ limit: 2, mayRenderTwice: true });

/** The rule for `retry`. */
export const isRetry: Rule = {
  words: "an object, or false",
  test: (value) => value === false || isObject.test(value),
  properties: { limit: isCount, mayRenderTwice: isBoolean } satisfies Rules<Retry>,
};

/** Completes a checked `retry`: unset properties come from `base`. */
export function resolveRetry(checked?: Retry | false, base = defaults): RetryPolicy {
  return checked === undefined ? base : ({ ...base, ...(checked || { limit: 0 }) } as RetryPolicy);
}
