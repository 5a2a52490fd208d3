import { withoutPrototype } from "../runtime/own-options.ts";

/** The reason phrases of the statuses that this endpoint sends (RFC 9110, section 15). */
const phrases: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  421: "Misdirected Request",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  499: "Client Closed Request",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

/** An issue with the values in a call. */
export interface ValueProblem {
  /** The path to the value, in JavaScript notation: `lines[2].price`. */
  readonly path: string;
  readonly detail: string;
}

/** The kinds of refusal. The kind is the last part of `type`: `urn:template-pdf:problem:<kind>`. */
export type ProblemKind =
  | "body-broken-off"
  | "body-too-large"
  | "body-not-json"
  | "document-not-made"
  | "host-not-allowed"
  | "invalid-path"
  | "invalid-values"
  | "key-refused"
  | "method-not-allowed"
  | "not-authorized"
  | "origin-not-allowed"
  | "rate-limited"
  | "server-fault"
  | "service-busy"
  | "service-too-slow"
  | "service-unavailable"
  | "template-broken"
  | "unknown-path"
  | "unknown-template"
  | "unsupported-media-type";

/** Options for a {@link Problem}. */
export interface ProblemOptions {
  /**
   * A machine-readable kind of problem. Default: none. Without a kind, `type` is omitted, which RFC 9457
   * treats as `about:blank`.
   */
  readonly kind?: ProblemKind | undefined;
  /** The issues with the values: the extension property `errors`. Default: none. */
  readonly errors?: readonly ValueProblem[] | undefined;
  /** Further response headers, such as `retry-after`. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The internal cause, for the log. It is never sent. Default: none. */
  readonly cause?: unknown;
}

/** The detail of a refusal whose reason must not be revealed. */
export const serverFault =
  "The document could not be generated because of a server error. Contact the operator of this server with the x-request-id of this response.";

/**
 * A refusal: `authorize` returns it, and `produce` throws it. Everything except `cause` is sent, so no other
 * property may contain a key or a value. The "Errors" section of the specification defines no error bodies,
 * so refusals use the standard format for HTTP APIs.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9457
 */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly type: string | undefined;
  readonly errors: readonly ValueProblem[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  /** @param detail - the problem with this call, and what to do about it */
  constructor(status: number, detail: string, given: ProblemOptions = {}) {
    const options = withoutPrototype(given);
    super(detail, "cause" in options ? { cause: options.cause } : {});
    this.status = status;
    this.detail = detail;
    this.title = phrases[status] ?? (status < 500 ? "Request Refused" : "Server Error");
    this.type = options.kind && `urn:template-pdf:problem:${options.kind}`;
    this.errors = options.errors;
    this.headers = options.headers ?? {};
  }

  /** Creates the response: a JSON body of type `application/problem+json`, never cached. */
  toResponse(requestId: string): Response {
    const { type, title, status, detail, errors } = this;
    const headers = new Headers(this.headers);
    headers.set("content-type", "application/problem+json");
    headers.set("cache-control", "no-store");
    headers.set("x-content-type-options", "nosniff");
    headers.set("x-request-id", requestId);
    const body = JSON.stringify({ type, title, status, detail, errors });
    return new Response(body, withoutPrototype({ status, headers }));
  }
}

/** Creates the response for a caller that has disconnected, which only the logs of the server show. Proxies use the same status. */
export function callerLeft(): Problem {
  return new Problem(499, "The caller disconnected before the response was sent.");
}

/**
 * Creates the refusal for a template that does not exist (404), for `produce` to throw.
 *
 * @param hint - where to find valid uids. Default: the dashboard (spec, "What the service does", 3)
 */
export function unknownTemplate(uid: string, hint = "Compare it with the dashboard."): Problem {
  return new Problem(404, `There is no template with the uid ${JSON.stringify(uid)}. ${hint}`, {
    kind: "unknown-template",
  });
}
