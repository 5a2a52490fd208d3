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
 * Says of what a call to the service failed with what its caller may know: nothing of the service, its address or its
 * words, which may hold anything.
 *
 * @param error - what the client rejected with
 * @param name - the template's name, as the caller knows it
 * @param isOurs - whether values that do not fit may be this side's fault, too. Default: `false`
 * @returns the refusal, with the error as its cause unless the caller is to blame; `undefined` where this is none of the client's errors
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

const busy = "Too many documents are asked for at the moment. Try again later.";
const broken = "The document could not be made at the moment. Try again later.";

/** The statuses from which the page's own client knows whether to try again. */
function meaningOf(error: TemplatePdfError): Meaning {
  if (RateLimitError.is(error)) return [429, "rate-limited", busy];
  if (TimeoutError.is(error)) return [504, "service-too-slow", broken];
  if (BadRequestError.is(error)) {
    return [422, "invalid-values", "The values were refused. Compare them with what the template needs."];
  }
  if (!ApiError.is(error)) return [502, "service-unavailable", broken];
  if (error.status === 413) return [413, "body-too-large", "The values are too large. Send fewer."];
  if (error.status === 503) return [503, "service-busy", broken];
  if (error.status === 408 || error.status === 504) return [504, "service-too-slow", broken];
  return [502, "document-not-made", error.status >= 500 ? broken : serverFault];
}

/** How long the caller is to wait, where the service said so. */
function waitOf(error: TemplatePdfError, status: number): Record<string, string> {
  const { retryAfterMs } = error as Partial<ApiError>;
  const seconds = Math.ceil((retryAfterMs ?? Number.NaN) / 1000);
  const isTold = Number.isSafeInteger(seconds) && (status === 429 || status === 503);
  return isTold ? { "retry-after": String(seconds) } : {};
}
