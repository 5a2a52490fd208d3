import { checkOptions, isCount, isPositiveCount, type Rule } from "../options/option-rules.ts";
import { longestTimerMs } from "../runtime/environment.ts";
import {
  cutOff,
  type Fault,
  loginPage,
  refusal,
  reset,
  slow,
  stall,
} from "../service/faults/fault-script.ts";

/** How far into the document something happens. */
export interface AfterBytes {
  /** How many bytes of the document are sent before; the document is longer than that. Default: half of it. */
  readonly afterBytes?: number | undefined;
}

/** How a service refuses for now. */
export interface RateLimit {
  /** A number of seconds, or the header's text as it is to be. Default: no such header. */
  readonly retryAfter?: number | string | undefined;
}

/** How a service fails. */
export interface Failure {
  /** 500 to 599. Default: 500. */
  readonly status?: number | undefined;
}

/** How slowly a document comes. */
export interface Slowness {
  /** In how many pieces. Default: 40. */
  readonly pieces?: number | undefined;
  /** The time from one piece to the next, in milliseconds. Default: 25. */
  readonly everyMs?: number | undefined;
}

const isServerError: Rule = {
  words: "a whole number from 500 to 599",
  test: (value) => Number.isInteger(value) && Math.floor((value as number) / 100) === 5,
};
const isRetryAfter: Rule = {
  words: "a whole number of seconds, or the text of the header",
  test: (value) => isCount.test(value) || (typeof value === "string" && /^[\x20-\x7e]+$/.test(value)),
};
const isPause: Rule = {
  words: `a number of milliseconds from 0 to ${longestTimerMs}`,
  test: (value) => typeof value === "number" && value >= 0 && value <= longestTimerMs,
};

/**
 * What can go wrong, by name, for `service.fail()`. Each throws a `ConfigurationError` for an option that is unknown or wrong.
 *
 * @example
 * ```ts
 * const service = fakeService();
 * service.fail(faults.serverError({ status: 503 }), { times: 2 });
 * ```
 */
export const faults = Object.freeze({
  /** The API key is refused. */
  unauthorized: (): Fault => refusal(401, "This API key is not known."),

  /** Too many requests. */
  rateLimited: (options: RateLimit = {}): Fault => {
    checkOptions(options, { retryAfter: isRetryAfter }, "rateLimited()");
    return refusal(429, "Too many requests.", options.retryAfter);
  },

  /** The service itself failed. */
  serverError: (options: Failure = {}): Fault => {
    checkOptions(options, { status: isServerError }, "serverError()");
    return refusal(options.status ?? 500, "The document could not be rendered.");
  },

  /** A login page with status 200. */
  notAPdf: (): Fault => loginPage("Sign in to go on."),

  /** The connection ends in the middle of the document. */
  cutOff: (options: AfterBytes = {}): Fault => cutOff(offsetOf(options, "cutOff()")),

  /** The document stops in the middle, and the connection stays. */
  stall: (options: AfterBytes = {}): Fault => stall(offsetOf(options, "stall()")),

  /** The document comes in small pieces, one every so often. */
  slow: (options: Slowness = {}): Fault => {
    checkOptions(options, { pieces: isPositiveCount, everyMs: isPause }, "slow()");
    return slow(options.pieces ?? 40, options.everyMs ?? 25);
  },

  /** The connection breaks: instead of an answer, or after some bytes of the document. */
  reset: (options: AfterBytes = {}): Fault => reset(offsetOf(options, "reset()")),
});

function offsetOf(options: AfterBytes, kind: string): number | undefined {
  checkOptions(options, { afterBytes: isCount }, kind);
  return options.afterBytes;
}
