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

/** Makes the error for an answer that is no success: the spec shows none, so HTTP's own meanings hold. */

/** How much of an error's body is kept. */
export const maxErrorBytes = 64 * 1024;

/** How many characters of the service's own message are told. */
const maxDetail = 500;

/** What a message about a call may name. */
export interface CallFacts {
  readonly uid: string;
  /** Scheme, host and port of `baseUrl`. */
  readonly origin: string;
  /** The path prefix of `baseUrl`. */
  readonly basePath: string;
  readonly attempts: number;
  /** What a message ends with, such as how often the call was tried. */
  readonly note: string;
  /** Knows what of the call may not stand in a message. */
  readonly secrets: Redactor;
  readonly request: Pick<WireRequest, "headers">;
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
 * Reads an answer that is no success.
 *
 * @param head - its head
 * @param rawBody - its body's text, as far as it came; 64 KiB of it are kept
 * @param names - what the message names
 * @param cause - what broke the body off, where something did
 */
export function apiError(head: ResponseHead, rawBody: string, names: CallFacts, cause?: unknown): ApiError {
  const { status } = head;
  const { secrets } = names;
  const safeBody = secrets.withoutKey(rawBody).slice(0, maxErrorBytes);
  // What was parsed is searched, too: there every escape is undone, and numbers stay numbers.
  const body = secrets.parsedWithoutKey(parse(rawBody.slice(0, maxErrorBytes)));
  const said = detailOf(body);
  const detail = said === undefined ? undefined : secrets.quote(said, maxDetail);
  const ErrorClass = classes[status] ?? (status >= 500 ? ServerError : ApiError);
  const quoted = detail === undefined ? "" : `, saying ${JSON.stringify(detail)}`;
  const waitMs = retryAfterOf(head);
  return new ErrorClass(
    `${whatHappened(head, names)}${quoted}. ${whatToDo(head, waitMs, names)}${names.note}`,
    {
      ...answerFacts(head, names),
      status,
      rawBody: safeBody,
      body,
      detail,
      retryAfterMs: waitMs,
      // An error of ours holds no secret.
      ...(cause !== undefined && {
        cause: TemplatePdfError.is(cause) ? cause : secrets.causeWithoutSecrets(cause),
      }),
    },
  );
}

/** What every error tells of an answer. */
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

/** Says what was answered, to which call. */
export function whatHappened(head: ResponseHead, names: CallFacts): string {
  const what = head.opaqueRedirect ? "a redirect" : head.status;
  return `The service at ${names.origin} answered ${what} for template ${JSON.stringify(names.uid)}`;
}

function whatToDo(head: ResponseHead, waitMs: number | undefined, names: CallFacts): string {
  const { status } = head;
  if (head.opaqueRedirect || (status >= 300 && status < 400)) {
    const location = head.header("location");
    const target =
      location === undefined
        ? ""
        : ` It points to ${JSON.stringify(names.secrets.quote(withoutQuery(location), 300))}.`;
    return `Redirects are not followed, so that what was sent stays where it was sent.${target} Point \`baseUrl\` at where the service really lives.`;
  }
  switch (status) {
    case 400:
    case 422:
      return "Compare the values with the placeholders of the template; `body` on this error is the service's whole answer.";
    case 401:
      return hasKey(names)
        ? "Check the API key: the dashboard shows it under Settings » API keys."
        : "No API key was sent: the server at `baseUrl` wants another proof of who you are, such as a session.";
    case 403:
      return hasKey(names)
        ? "This API key may not do that: check which account it belongs to."
        : "The server at `baseUrl` does not allow it to you; `body` on this error is its whole answer.";
    case 404:
      return `Either the uid ${JSON.stringify(names.uid)} or the path of \`baseUrl\`, ${JSON.stringify(names.basePath)}, is wrong: check both. The client itself adds /api/v1 to the path.`;
    case 413:
      return "The values are larger than the service, or a proxy before it, takes: send less.";
    case 429:
      return `Too many requests: send fewer at a time, or try again ${waitMs === undefined ? "later" : `in ${inSeconds(waitMs)}`}.`;
    default:
      return status >= 500
        ? `The service failed: try again later${requestIdOf(head) === undefined ? "" : ", and quote the request id if it persists"}.`
        : "See `body` on this error for what the service said.";
  }
}

function hasKey({ request }: CallFacts): boolean {
  return request.headers.some((text) => text.startsWith("API-Key "));
}

/** How long the service asks to be left alone. */
export function retryAfterOf(head: ResponseHead): number | undefined {
  return retryAfterMs(head.header("retry-after"), Date.now());
}

/** A redirect's query may carry what the service took from the request. */
function withoutQuery(location: string): string {
  return location.replace(/[?#].*$/s, "").replace(/\/\/[^/@]*@/, "//");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Reads the usual fields: `message`, `error`, `error.message`, and RFC 9457's `detail` and `title`. */
function detailOf(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const { message, error, detail, title } = body as Record<string, unknown>;
  const nested =
    typeof error === "object" && error !== null ? (error as { message?: unknown }).message : undefined;
  const found = [message, error, nested, detail, title].find(
    (field) => typeof field === "string" && field !== "",
  );
  return found as string | undefined;
}
