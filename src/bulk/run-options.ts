import { ConfigurationError, type Retry } from "../index.ts";
import {
  checkOptions,
  isBoolean,
  isFunction,
  isPositiveCount,
  isSignal,
  type Rules,
} from "../options/option-rules.ts";
import { isRetry } from "../options/retry.ts";
import type { Use } from "./job.ts";

/** Options for every run. */
export interface RunOptions {
  /**
   * The maximum number of jobs in flight: an integer or `"auto"`. With `"auto"`, the number rises with
   * successes, and falls after a 429, a 503, a timeout or an interrupted connection. Default: `"auto"`.
   */
  concurrency?: number | "auto" | undefined;
  /**
   * The maximum number of requests per second, including retries. Requests are evenly spaced. The number may
   * be a fraction. Default: no limit.
   */
  perSecond?: number | undefined;
  /**
   * The retry policy for jobs, or `false` for no retries. Unset properties come from the client. Default: the
   * client's policy.
   */
  retry?: Retry | false | undefined;
  /** The number of rejected jobs after which the run stops with a `RunStoppedError`. Default: `Infinity`. */
  stopAfter?: number | undefined;
  /**
   * Whether `stopAfter` ignores jobs with invalid values. In both cases, such jobs are rejected with a
   * `ValuesError`, and no request is sent for them. Default: `false`.
   */
  skipInvalid?: boolean | undefined;
  /** Aborts the run and cancels the jobs in flight. The run throws the signal's abort reason. */
  signal?: AbortSignal | undefined;
  /**
   * Stops the run gracefully: no further jobs start, and the run ends with a `RunStoppedError` once the
   * requests in flight have completed.
   */
  drain?: AbortSignal | undefined;
}

/** Options for `generateMany`. */
export interface GenerateManyOptions<J, R> extends RunOptions {
  /** Reads each document and returns the `value` of its result; see `Use`. Default: returns the bytes. */
  use?: Use<J, R> | undefined;
  /** Whether to yield results in the order of the jobs instead of the order of completion. Default: `false`. */
  ordered?: boolean | undefined;
}

/** The rules for the options that apply to every run. */
export const runRules: Rules<RunOptions> = {
  concurrency: {
    words: 'a whole number, 1 or more, or "auto"',
    test: (value) => value === "auto" || isPositiveCount.test(value),
  },
  perSecond: { words: "a number above 0", test: (value) => Number.isFinite(value) && (value as number) > 0 },
  retry: isRetry,
  stopAfter: {
    words: "a whole number, 1 or more, or Infinity",
    test: (value) => value === Number.POSITIVE_INFINITY || isPositiveCount.test(value),
  },
  skipInvalid: isBoolean,
  signal: isSignal,
  drain: isSignal,
};

/** Checks the `generateMany` options, and returns a copy. Throws a {@link ConfigurationError} for the first invalid one. */
export function checkManyOptions<J, R>(given: GenerateManyOptions<J, R>): GenerateManyOptions<J, R> {
  const rules: Rules<GenerateManyOptions<J, R>> = { ...runRules, use: isFunction, ordered: isBoolean };
  return checkOptions(given, rules, "run");
}

/** @throws {ConfigurationError} if `client` is not a client */
export function checkClient(client: unknown): void {
  if (typeof (client as { generate?: unknown } | null)?.generate === "function") return;
  throw new ConfigurationError("`client` is required: pass a TemplatePdf.");
}
