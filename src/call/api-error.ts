import { inSeconds, retryAfterMs } from "../errors/delays.ts";
import {
  ApiError,
  type ApiErrorFacts,
  AuthenticationError,
  BadRequestError,
  type ErrorFacts,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  TemplatePdfError,
} from "../errors/errors.ts";
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
  const ErrorClass = classes[status] ?? (status >= 500 ? ServerError : ApiError);
  return new ErrorClass(
    `${describeResponse(head, request)}${quoted}. ${rawBody.includes(templateBroken) ? "Fix the template." : whatToDo(head, waitMs, detail, request)}${note}`,
    {
      ...responseFacts(head, request),
      status,
      rawBody: safeBody,
      body: parse(safeBody.replace(numericMark, '$1"[redacted]"')),
      detail,
      retryAfterMs: waitMs,
      // Errors of this package do not contain secrets.
      cause: TemplatePdfError.is(cause) ? cause : redactor.causeWithoutSecrets(cause),
    },
  );
}

/** Returns the error properties that describe the response. */
export function responseFacts(head: ResponseHead, { attempts, redactor }: SentRequest): ErrorFacts {
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

function whatToDo(
  head: ResponseHead,
  waitMs: number | undefined,
  detail: string | undefined,
  request: SentRequest,
): string {
  const { status } = head;
  if (head.opaqueRedirect || (status >= 300 && status < 400)) {
    // The query may contain sent values.
    const location = head.header("location")?.replace(/[?#].*|(?<=\/\/)[^/@]*@/gs, "");
    const elsewhere = location ? `, not at ${JSON.stringify(request.redactor.quote(location, 300))}` : "";
    return `Redirects are not followed: point \`baseUrl\` at the service itself${elsewhere}.`;
  }
  const hasKey = request.headers.some((text) => text.startsWith("API-Key "));
  if (status === 404 || status === 405) {
    // Without a JSON message, the sender is probably not the service.
    const what = status === 405 || detail === undefined ? "`baseUrl`" : "the uid and `baseUrl`";
    const added = detail?.includes("/api/v1") ? "" : " (the client adds /api/v1)";
    return `Check ${what}, whose path is ${JSON.stringify(request.basePath)}${added}.`;
  }
  if (status === 429 && waitMs !== undefined)
    return `Try again in ${inSeconds(waitMs)}, or send fewer requests at a time.`;
  if (hasKey && status === 401) return "Check the API key: the dashboard shows it under Settings » API keys.";
  if (hasKey && status === 403) return "Check which account the API key belongs to.";
  return advice[status] ?? (status >= 500 ? "Try again later." : "The full response is in `body`.");
}

const compare = "Compare the values with the template's placeholders.";
const advice: { readonly [status: number]: string | undefined } = {
  400: compare,
  401: "No API key was sent: the server at `baseUrl` may require a session.",
  413: "Send less data: the service or a proxy limits the request size.",
  422: compare,
  429: "Send fewer requests at a time.",
};

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
