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
import type { Redactor } from "../errors/redact.ts";
import { retryAfterMs } from "../errors/retry-after.ts";
import { type ResponseHead, requestIdOf } from "../transport/response-head.ts";
import type { WireRequest } from "../transport/transport.ts";
import { inSeconds } from "./retry-policy.ts";

/** How much of an error response's body is kept. */
export const maxErrorBytes = 64 * 1024;

/** How many characters of the response message are quoted. */
const maxDetailLength = 500;

/** What error messages about a call may name. */
export interface KnownFacts {
  readonly uid: string;
  /** Scheme, host and port of `baseUrl`. */
  readonly origin: string;
  /** The path prefix of `baseUrl`. */
  readonly basePath: string;
  readonly attempts: number;
  /** Redacts what no message may contain. */
  readonly secrets: Redactor;
  readonly request: Pick<WireRequest, "headers">;
}

/** The same, once it is known what follows. */
export interface CallFacts extends KnownFacts {
  /** The end of each message, such as how often the call was tried. */
  readonly note: string;
}

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
 * Creates the error for an unsuccessful response. The spec shows none, so statuses mean what HTTP says.
 *
 * @param rawBody - the text of its body, as much as arrived; at most `maxErrorBytes`
 * @param cause - what interrupted the body, if anything did
 */
export function apiError(head: ResponseHead, rawBody: string, call: CallFacts, cause?: unknown): ApiError {
  const { status } = head;
  const { secrets } = call;
  const safeBody = secrets.withoutKey(rawBody).slice(0, maxErrorBytes);
  const message = messageIn(parse(rawBody));
  const detail = message === undefined ? undefined : secrets.quote(message, maxDetailLength);
  const quoted = detail === undefined ? "" : `, saying ${JSON.stringify(detail)}`;
  const waitMs = retryAfterOf(head);
  const ErrorClass = classes[status] ?? (status >= 500 ? ServerError : ApiError);
  return new ErrorClass(`${whatHappened(head, call)}${quoted}. ${whatToDo(head, waitMs, call)}${call.note}`, {
    ...answerFacts(head, call),
    status,
    rawBody: safeBody,
    body: parse(safeBody.replace(numericMark, '$1"[redacted]"')),
    detail,
    retryAfterMs: waitMs,
    // Errors of this package do not contain secrets.
    ...(cause !== undefined && {
      cause: TemplatePdfError.is(cause) ? cause : secrets.causeWithoutSecrets(cause),
    }),
  });
}

/** What every error tells about a response. */
export function answerFacts(
  head: ResponseHead,
  { attempts, secrets }: Pick<CallFacts, "attempts" | "secrets">,
): ErrorFacts {
  const requestId = requestIdOf(head);
  return {
    status: head.status,
    requestId: requestId && secrets.withoutSecrets(requestId),
    headers: secrets.headersWithoutKey(head.toHeaders()),
    attempts,
  };
}

export function retryAfterOf(head: ResponseHead): number | undefined {
  return retryAfterMs(head.header("retry-after"), Date.now());
}

/** The beginning of a message: the status and the call. */
export function whatHappened(head: ResponseHead, { origin, uid }: CallFacts): string {
  const what = head.opaqueRedirect ? "a redirect" : head.status;
  return `The service at ${origin} answered ${what} for template ${JSON.stringify(uid)}`;
}

function whatToDo(head: ResponseHead, waitMs: number | undefined, call: CallFacts): string {
  const { status } = head;
  if (head.opaqueRedirect || (status >= 300 && status < 400)) return aboutRedirect(head, call);
  const hasKey = call.request.headers.some((text) => text.startsWith("API-Key "));
  switch (status) {
    case 400:
    case 422:
      return "Compare the values with the placeholders of the template; the whole answer of the service is in `body`.";
    case 401:
      return hasKey
        ? "Check the API key: the dashboard shows it under Settings » API keys."
        : "No API key was sent: the server at `baseUrl` wants another proof of who you are, such as a session.";
    case 403:
      return hasKey
        ? "This API key may not do that: check which account it belongs to."
        : "The server at `baseUrl` does not allow it to you; its whole answer is in `body`.";
    case 404:
      return `Either the uid ${JSON.stringify(call.uid)} or the path of \`baseUrl\`, ${JSON.stringify(call.basePath)}, is wrong: check both. The client itself adds /api/v1 to the path.`;
    case 413:
      return "The values are larger than the service, or a proxy before it, takes: send less.";
    case 429:
      return `Too many requests: send fewer at a time, or try again ${waitMs === undefined ? "later" : `in ${inSeconds(waitMs)}`}.`;
    default:
      return status >= 500
        ? `The service failed: try again later${requestIdOf(head) === undefined ? "" : ", and quote the request id if it persists"}.`
        : "What the service said is in `body`.";
  }
}

function aboutRedirect(head: ResponseHead, { secrets }: CallFacts): string {
  // The query may repeat what was sent.
  const location = head
    .header("location")
    ?.replace(/[?#].*/s, "")
    .replace(/\/\/[^/@]*@/, "//");
  const target =
    location === undefined ? "" : ` It points to ${JSON.stringify(secrets.quote(location, 300))}.`;
  return `Redirects are not followed, so that what was sent stays where it was sent.${target} Point \`baseUrl\` at where the service really lives.`;
}

/** What is left of a key of digits that the service repeats as a number: without quotes it would not be JSON. */
const numericMark = /([:,[]\s*)\[redacted\](?=\s*[,}\]])/g;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The response message, from the usual fields: `message`, `error`, `error.message`, and RFC 9457's `detail` and `title`. */
function messageIn(body: unknown): string | undefined {
  const { message, error, detail, title } = Object(body) as Record<string, unknown>;
  const { message: nested } = Object(error) as Record<string, unknown>;
  const isMessage = (field: unknown) => typeof field === "string" && field !== "";
  return [message, error, nested, detail, title].find(isMessage) as string | undefined;
}
