import { ConfigurationError, type Retry } from "../index.ts";
import {
  checkOptions,
  isBoolean,
  isFunction,
  isObjectOrFalse,
  isPositiveCount,
  isSignal,
  type Rules,
} from "../options/option-rules.ts";
import { resolveRetry } from "../options/retry.ts";
import type { Use } from "./job.ts";

/** What decides how a run goes, whatever is made of its documents. */
export interface RunOptions {
  /**
   * How many documents may be in hand at once: a whole number, or `"auto"`, which finds out what the service takes: it rises while
   * all goes well, and falls on 429, 503, timeouts and broken connections. Default: `"auto"`.
   */
  concurrency?: number | "auto" | undefined;
  /** The most requests a second, evenly spaced, with those that are tried again; may be a fraction. Default: no limit. */
  perSecond?: number | undefined;
  /** When a document is asked for again; what is missing is the client's. Default: the client's. */
  retry?: Retry | false | undefined;
  /** How many jobs may be rejected before the run stops with a `RunStoppedError`. Default: `Infinity`. */
  stopAfter?: number | undefined;
  /**
   * Whether jobs whose values do not fit their template are left out: they do not count for `stopAfter`. Their results are rejected
   * with a `ValuesError` either way, and nothing is sent for them. Default: `false`.
   */
  skipInvalid?: boolean | undefined;
  /** Ends the run at once, with its own reason: what is in flight is given up. */
  signal?: AbortSignal | undefined;
  /** Ends the run gently, with a `RunStoppedError`: no job begins any more, and the requests under way come to their end. */
  drain?: AbortSignal | undefined;
}

/** The options of `generateMany`. */
export interface GenerateManyOptions<J, R> extends RunOptions {
  /**
   * Makes of a document what its result is to be; see `Use`. Default: its bytes, which the result then holds.
   */
  use?: Use<J, R> | undefined;
  /** Whether results come in the order of the jobs, and not as they are completed. Default: `false`. */
  ordered?: boolean | undefined;
}

/** What the options that every run has must be. */
export const runRules: Rules<RunOptions> = {
  concurrency: {
    words: 'a whole number, 1 or more, or "auto"',
    test: (value) => value === "auto" || isPositiveCount.test(value),
  },
  perSecond: { words: "a number above 0", test: (value) => Number.isFinite(value) && (value as number) > 0 },
  retry: isObjectOrFalse,
  stopAfter: {
    words: "a whole number, 1 or more, or Infinity",
    test: (value) => value === Number.POSITIVE_INFINITY || isPositiveCount.test(value),
  },
  skipInvalid: isBoolean,
  signal: isSignal,
  drain: isSignal,
};

/** Throws a {@link ConfigurationError} for the first option of `generateMany` that is wrong. */
export function checkManyOptions<J, R>(options: GenerateManyOptions<J, R>): void {
  checkOptions(options, { ...runRules, use: isFunction, ordered: isBoolean }, "run");
  // What every call would object to.
  resolveRetry(options.retry);
}

/** @throws {ConfigurationError} when something else was given for the client */
export function checkClient(client: unknown): void {
  if (typeof (client as { generate?: unknown } | null)?.generate === "function") return;
  throw new ConfigurationError("A run needs a client: give it a TemplatePdf.");
}
