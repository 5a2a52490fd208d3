import { checkOptions, isCount, isPositiveCount, type Rule, type Rules } from "../options/option-rules.ts";
import { longestTimerMs } from "../runtime/timers.ts";
import {
  cutOff,
  decodedAsText,
  type Fault,
  loginPage,
  refusal,
  reset,
  slow,
  stall,
} from "../service/faults/faults.ts";

/** The position of a fault in the document. */
export interface AfterBytes {
  /**
   * The number of bytes to send before the fault. The document is always longer than this. Default: half of
   * the document.
   */
  readonly afterBytes?: number | undefined;
}

/** Options for a rate-limit (429) response. */
export interface RateLimit {
  /** The `Retry-After` header: a number of seconds, or the raw header value as a string. Default: no header. */
  readonly retryAfter?: number | string | undefined;
}

/** Options for a server error. */
export interface Failure extends RateLimit {
  /** The status, 500 to 599. Default: 500. */
  readonly status?: number | undefined;
}

/** Options for a slow document. */
export interface Slowness {
  /** The number of chunks. Default: 40. */
  readonly pieces?: number | undefined;
  /** The time between chunks, in milliseconds. Default: 25. */
  readonly everyMs?: number | undefined;
}

const isServerError: Rule = {
  words: "a whole number from 500 to 599 (to get a 404 or 422, pass `templates` to fakeService)",
  test: (value) => Number.isInteger(value) && Math.floor((value as number) / 100) === 5,
};
const isRetryAfter: Rule = {
  words: "a whole number of seconds, or the header value as a string",
  test: (value) => isCount.test(value) || (typeof value === "string" && /^[\x20-\x7e]+$/.test(value)),
};
const isPause: Rule = {
  words: `a number of milliseconds from 0 to ${longestTimerMs}`,
  test: (value) => typeof value === "number" && value >= 0 && value <= longestTimerMs,
};

/**
 * The faults for `service.fail()`. Each function throws a `ConfigurationError` if an option is unknown or invalid.
 *
 * @example
 * ```ts
 * const service = fakeService();
 * service.fail(faults.serverError({ status: 503 }), { times: 2 });
 * ```
 */
export const faults = Object.freeze({
  /** Rejects the API key with 401. */
  unauthorized: (): Fault => refusal(401, "This API key is not known."),

  /** Responds with 429. */
  rateLimited: (options: RateLimit = {}): Fault => {
    const { retryAfter } = checkOptions(options, { retryAfter: isRetryAfter }, "rateLimited()");
    return refusal(429, "Too many requests.", retryAfter);
  },

  /** Responds with a server error. */
  serverError: (options: Failure = {}): Fault => {
    const rules: Rules<Failure> = { status: isServerError, retryAfter: isRetryAfter };
    const { status = 500, retryAfter } = checkOptions(options, rules, "serverError()");
    return refusal(status, "The document could not be rendered.", retryAfter);
  },

  /** Returns a login page with status 200. */
  notAPdf: (): Fault => loginPage("Sign in to continue."),

  /** Returns a document that was decoded as text on its way, as by an API gateway without binary types. */
  decodedAsText: (): Fault => decodedAsText(),

  /** Ends the connection in the middle of the document. */
  cutOff: (options: AfterBytes = {}): Fault => cutOff(offsetOf(options, "cutOff()")),

  /** Stops sending in the middle of the document, and keeps the connection open. */
  stall: (options: AfterBytes = {}): Fault => stall(offsetOf(options, "stall()")),

  /** Sends the document in small chunks, at intervals. */
  slow: (options: Slowness = {}): Fault => {
    const rules: Rules<Slowness> = { pieces: isPositiveCount, everyMs: isPause };
    const { pieces = 40, everyMs = 25 } = checkOptions(options, rules, "slow()");
    return slow(pieces, everyMs);
  },

  /** Resets the connection before a response, or after some bytes of the document. */
  reset: (options: AfterBytes = {}): Fault => reset(offsetOf(options, "reset()")),
});

function offsetOf(options: AfterBytes, kind: string): number | undefined {
  return checkOptions(options, { afterBytes: isCount }, kind).afterBytes;
}
