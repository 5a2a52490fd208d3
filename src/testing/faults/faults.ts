import { longestTimerMs } from "../../json/longest-timer.ts";
import { checkOptions, isCount } from "../../options/option-rules.ts";
import { isPositiveCount } from "../positive-count.ts";
import type { Fault } from "./fault.ts";
import { answer, fault, pdfHead, type Step } from "./scripted-fault.ts";

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

/** So that the document, which is twice as long, fits into memory. */
const isOffset = {
  words: "a whole number of bytes, at most 268435456",
  test: (value: unknown) => isCount.test(value) && (value as number) <= 268_435_456,
};

const isServerError = {
  words: "a whole number from 500 to 599",
  test: (value: unknown) => Number.isInteger(value) && Math.floor((value as number) / 100) === 5,
};

const isRetryAfter = {
  words: "a whole number of seconds, or the text of the header",
  test: (value: unknown) =>
    isCount.test(value) || (typeof value === "string" && /^[\x20-\x7e]+$/.test(value)),
};

const isPause = {
  words: `a number of milliseconds from 0 to ${longestTimerMs}`,
  test: (value: unknown) => typeof value === "number" && value >= 0 && value <= longestTimerMs,
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
    const { retryAfter } = options;
    return refusal(
      429,
      "Too many requests.",
      retryAfter === undefined ? {} : { "retry-after": `${retryAfter}` },
    );
  },

  /** The service itself failed. */
  serverError: (options: Failure = {}): Fault => {
    checkOptions(options, { status: isServerError }, "serverError()");
    return refusal(options.status ?? 500, "The document could not be rendered.");
  },

  /** A login page with status 200. */
  notAPdf: (): Fault =>
    fault("an HTML page instead of the document", () =>
      answer(200, "<!doctype html><title>Sign in</title><h1>Sign in</h1>", { "content-type": "text/html" }),
    ),

  /** The connection ends in the middle of the document. */
  cutOff: (options: AfterBytes = {}): Fault =>
    partWay("cutOff()", "the connection ends in the middle of the document", options, { do: "end" }),

  /** The document stops in the middle, and the connection stays. */
  stall: (options: AfterBytes = {}): Fault =>
    partWay("stall()", "the document stops in the middle, and the connection stays", options, {
      do: "stall",
    }),

  /** The document comes in small pieces, one every so often. */
  slow: (options: Slowness = {}): Fault => {
    checkOptions(options, { pieces: isPositiveCount, everyMs: isPause }, "slow()");
    const { pieces = 40, everyMs = 25 } = options;
    return fault(
      "the document comes slowly, but steadily",
      (document) => [pdfHead(document.length), ...inPieces(document, pieces, everyMs)],
      pieces,
    );
  },

  /** The connection breaks: instead of an answer, or after some bytes of the document. */
  reset: (options: AfterBytes = {}): Fault => {
    checkOptions(options, { afterBytes: isOffset }, "reset()");
    if (options.afterBytes === undefined) {
      return fault("the connection is reset instead of an answer", () => [{ do: "reset" }]);
    }
    return partWay(
      "reset()",
      "the connection is reset in the middle of the document",
      options,
      // Read by then: together with bytes, libuv tells a client of a reset as of an ordinary end.
      { do: "wait", ms: 20 },
      { do: "reset" },
    );
  },
});

function inPieces(document: Uint8Array, pieces: number, everyMs: number): Step[] {
  const startOf = (piece: number) => Math.floor((piece * document.length) / pieces);
  return Array.from({ length: pieces }, (_, piece): Step[] => [
    { do: "wait", ms: piece === 0 ? 0 : everyMs },
    { do: "write", bytes: document.subarray(startOf(piece), startOf(piece + 1)) },
  ]).flat();
}

/** A document of which some bytes come, before something else does. */
function partWay(kind: string, name: string, options: AfterBytes, ...then: readonly Step[]): Fault {
  checkOptions(options, { afterBytes: isOffset }, kind);
  const { afterBytes } = options;
  return fault(
    name,
    (document) => [
      pdfHead(document.length),
      { do: "write", bytes: document.subarray(0, afterBytes ?? document.length >> 1) },
      ...then,
    ],
    2 * (afterBytes ?? 0),
  );
}

function refusal(status: number, detail: string, headers: Readonly<Record<string, string>> = {}): Fault {
  const body = JSON.stringify({ title: "A fault on purpose", status, detail });
  return fault(`an answer with ${status}`, () =>
    answer(status, body, { "content-type": "application/problem+json", ...headers }),
  );
}
