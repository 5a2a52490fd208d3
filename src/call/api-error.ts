import {
  ApiError,
  type ApiErrorFacts,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  TemplatePdfError,
} from "../errors/errors.ts";
import { retryAfterMs } from "../errors/retry-after.ts";
import { ownOption, ownOptions } from "../runtime/own-options.ts";
import { type ResponseHead, requestIdOf } from "../transport/transport.ts";
import type { SentRequest } from "./sent-request.ts";

/** How much of an error response's body is kept. */
export const maxErrorBytes = 64 * 1024;

/** How many characters of the response message are quoted. */
const maxDetailLength = 500;

/**
 * The problem `type` (RFC 9457) in the emulator's 500 response for a template that can never be rendered.
 * Retrying is pointless.
 */
export const templateBroken = "urn:template-pdf:problem:template-broken";

type ApiErrorClass = new (message: string, facts: ApiErrorFacts) => ApiError;

const classes: { readonly [status: number]: ApiErrorClass | undefined } = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  422: BadRequestError,
  429: RateLimitError,
};

/**
 * Creates the error for an unsuccessful response. The specification lists no status codes, so they have the meaning that HTTP
 * defines.
 *
 * @param rawBody - the part of the response body that arrived, as text; at most `maxErrorBytes`
 * @param note - the end of the message
 * @param cause - the failure that interrupted the body, if any
 */
export function apiError(
  head: ResponseHead,
  rawBody: string,
  request: SentRequest,
  note: string,
  cause?: unknown,
): ApiError {
  const { status } = head;
  const { redactor } = request;
  const safeBody = redactor.withoutKey(rawBody).slice(0, maxErrorBytes);
  const message = messageIn(parse(rawBody));
  const detail = message === undefined ? undefined : redactor.quote(message, maxDetailLength);
  const quoted = detail === undefined ? "" : `, saying ${JSON.stringify(detail)}`;
  const waitMs = retryAfterOf(head);
  const advice = rawBody.includes(templateBroken)
    ? "Fix the template."
    : request.advice?.response(head, request, rawBody, detail, waitMs);
  const ErrorClass = classes[status] ?? (status >= 500 ? ServerError : ApiError);
  return new ErrorClass(`${describeResponse(head, request)}${quoted}.${advice ? ` ${advice}` : ""}${note}`, {
    ...responseFacts(head, request),
    rawBody: safeBody,
    body: parse(safeBody.replace(numericMark, '$1"[redacted]"')),
    detail,
    retryAfterMs: waitMs,
    // Errors of this package do not contain secrets.
    cause: TemplatePdfError.is(cause) ? cause : redactor.causeWithoutSecrets(cause),
  });
}

/** Returns the properties of errors that describe the response. */
export function responseFacts(head: ResponseHead, { attempts, redactor }: SentRequest) {
  const requestId = requestIdOf(head);
  return {
    status: head.status,
    requestId: requestId && redactor.withoutSecrets(requestId),
    headers: redactor.headersWithoutKey(head.toHeaders()),
    attempts,
  };
}

export function retryAfterOf(head: ResponseHead): number | undefined {
  return retryAfterMs(head.header("retry-after"), Date.now());
}

/** The start of a message: the status and the call. */
export function describeResponse(head: ResponseHead, request: SentRequest): string {
  return `Got ${head.opaqueRedirect ? "a redirect" : head.status} from ${nameCall(request)}`;
}

export function nameCall({ origin, uid }: Pick<SentRequest, "origin" | "uid">): string {
  return `${origin} for template ${JSON.stringify(uid)}`;
}

/** Matches a redacted numeric key that the service sent as a number. Without quotes, the result would not be JSON. */
const numericMark = /([:,[]\s*)\[redacted\](?=\s*[,}\]])/g;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Reads the response message from the usual fields: `message`, `error`, `error.message`, and RFC 9457's `detail` and `title`. */
function messageIn(body: unknown): string | undefined {
  const names = ["message", "error", "detail", "title"];
  const { message, error, detail, title } = ownOptions(Object(body) as Record<string, unknown>, names);
  const nested = ownOption(Object(error) as Record<string, unknown>, "message");
  const isMessage = (field: unknown) => typeof field === "string" && field !== "";
  return [message, error, nested, detail, title].find(isMessage) as string | undefined;
}
