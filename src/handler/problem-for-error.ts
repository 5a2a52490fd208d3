import {
  ApiError,
  BadRequestError,
  ConfigurationError,
  RateLimitError,
  TemplatePdfError,
  TimeoutError,
  ValuesError,
} from "../index.ts";
import { invalidValues } from "../service/invalid-values.ts";
import { Problem, type ProblemKind, serverFault } from "../service/problem.ts";

/**
 * Converts a client error to a problem for the caller, without the service's address or messages.
 *
 * @param error - the client error
 * @param name - the name of the template in `templates`
 * @param isOurs - whether the server may have caused invalid values. Default: `false`
 * @returns the problem, with the error as its cause unless the caller caused it; `undefined` for other errors
 */
export function problemForError(error: unknown, name: string, isOurs = false): Problem | undefined {
  if (ValuesError.is(error)) {
    return invalidValues(name, error.issues, { separator: ": ", ...(isOurs && { cause: error }) });
  }
  if (!TemplatePdfError.is(error) || ConfigurationError.is(error)) return undefined;
  const [status, kind, detail] = meaningOf(error);
  return new Problem(status, detail, { kind, cause: error, headers: waitOf(error, status) });
}

type Meaning = readonly [status: number, kind: ProblemKind, detail: string];

const busy = "Too many documents are being requested. Try again later.";
const broken = "The document could not be generated. Try again later.";

/** The statuses that tell the client in the browser whether to retry. */
function meaningOf(error: TemplatePdfError): Meaning {
  if (RateLimitError.is(error)) return [429, "rate-limited", busy];
  if (TimeoutError.is(error)) return [504, "service-too-slow", broken];
  if (BadRequestError.is(error)) {
    return [
      422,
      "invalid-values",
      "The values were rejected. Compare them with the template's placeholders.",
    ];
  }
  if (!ApiError.is(error)) return [502, "service-unavailable", broken];
  if (error.status === 413) return [413, "body-too-large", "The values are too large. Send less data."];
  if (error.status === 503) return [503, "service-busy", broken];
  if (error.status === 408 || error.status === 504) return [504, "service-too-slow", broken];
  return [502, "document-not-made", error.status >= 500 ? broken : serverFault];
}

/** The delay that the service requested, if any. */
function waitOf(error: TemplatePdfError, status: number): Record<string, string> {
  const { retryAfterMs } = error as Partial<ApiError>;
  const seconds = Math.ceil((retryAfterMs ?? Number.NaN) / 1000);
  const isTold = Number.isSafeInteger(seconds) && (status === 429 || status === 503);
  return isTold ? { "retry-after": String(seconds) } : {};
}
