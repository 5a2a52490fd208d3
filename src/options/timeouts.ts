import type { RetryPolicy } from "../call/retry-policy.ts";
import { checkOptions, isBoolean, isCount, isDuration, type Rules } from "./option-rules.ts";

/**
 * How long a call may wait, each in milliseconds; `Infinity` for as long as it takes.
 *
 * @example
 * ```ts
 * await pdfs.generate("invoice", values, { timeouts: { firstByte: 30_000, total: 45_000 } }).bytes();
 * ```
 */
export interface Timeouts {
  /** For a connection; only where the client makes its own, see `TemplatePdf.transport`. Default: 10,000. */
  connect?: number | undefined;
  /** From the sent request to the first byte of the document: as long as rendering takes. Default: 120,000. */
  firstByte?: number | undefined;
  /** From one byte of the document to the next, while whoever reads it keeps up. Default: 30,000. */
  stall?: number | undefined;
  /** From an awaited document to the form that reads it, and from a stream to its first read. Default: 60,000. */
  unread?: number | undefined;
  /**
   * For everything, with all attempts and the waits between them. Does not apply to a stream after it is returned,
   * unless you set it. In a handler it always applies. Default: 600,000.
   */
  total?: number | undefined;
}

/**
 * When a call is tried again: after a random wait of up to 0.5 s, 1 s, 2 s … 8 s, or after what `Retry-After` asks
 * for (RFC 9110, 10.2.3; 60 s at most).
 *
 * @example
 * ```ts
 * await pdfs.generate("invoice", values, { retry: { limit: 4, mayRenderTwice: false } }).bytes();
 * ```
 */
export interface Retry {
  /** How many more times, at most. Default: 2. */
  limit?: number | undefined;
  /**
   * Whether to try again where the service may have rendered the document already; `false` where every render is
   * paid for. What did not leave is tried again in any case; a page cannot see that, and takes it for sent.
   * Default: `true`.
   */
  mayRenderTwice?: boolean | undefined;
}

/** The two options that this is about. */
interface WaitOptions {
  readonly timeouts?: Timeouts | undefined;
  readonly retry?: Retry | false | undefined;
}

/** How long a call waits, and how often it is tried: checked, and complete. */
export interface Waits {
  readonly timeouts: Readonly<Record<keyof Timeouts, number>>;
  /** Whether the caller gave `timeouts.total`, which then holds to the end of a stream. */
  readonly isTotalExplicit: boolean;
  readonly retry: RetryPolicy;
}

/**
 * An internal call option. It applies `timeouts.total` to the end of a stream even if `total` was not set.
 * Registered globally, because the client may come from another copy of this package.
 */
export const limitsStreams: unique symbol = Symbol.for("template-pdf.limits-streams") as never;

const defaults: Waits = Object.freeze({
  timeouts: Object.freeze({
    connect: 10_000,
    firstByte: 120_000,
    stall: 30_000,
    unread: 60_000,
    total: 600_000,
  }),
  isTotalExplicit: false,
  retry: Object.freeze({ limit: 2, mayRenderTwice: true }),
});

const timeoutRules: Rules<Timeouts> = {
  connect: isDuration,
  firstByte: isDuration,
  stall: isDuration,
  unread: isDuration,
  total: isDuration,
};

const retryRules: Rules<Retry> = { limit: isCount, mayRenderTwice: isBoolean };

/**
 * Reads how long to wait, and how often to try.
 *
 * @param base - where the rest comes from
 * @throws {ConfigurationError} for the first thing that is wrong
 */
export function resolveWaits({ timeouts, retry }: WaitOptions, base: Waits = defaults): Waits {
  if (timeouts) checkOptions(timeouts, timeoutRules, "timeouts", "timeouts.");
  if (retry) checkOptions(retry, retryRules, "retry", "retry.");
  return {
    timeouts: over(base.timeouts, timeouts),
    isTotalExplicit: timeouts?.total !== undefined || base.isTotalExplicit,
    retry: over(base.retry, retry === false ? { limit: 0 } : retry),
  };
}

/** Lays what was given over what holds anyway. */
function over<O extends object>(
  base: O,
  given: { readonly [Name in keyof O]?: O[Name] | undefined } | undefined,
): O {
  if (given === undefined) return base;
  const whole = { ...base };
  for (const name in whole) whole[name] = given[name] ?? whole[name];
  return whole;
}
