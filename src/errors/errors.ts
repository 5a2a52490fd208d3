/** The error classes. They have a common base class and stable codes, and are safe to log. */

/** Registered globally, so that `is` recognises errors from other copies and module formats of this package. */
const brand = Symbol.for("template-pdf.error");

/**
 * Returns whether a caught value is an error of this class.
 *
 * @inline
 */
export type Is<E> = (error: unknown) => error is E;

/** The details of an error: see the properties of `TemplatePdfError`. */
export interface ErrorFacts {
  readonly attempts?: number | undefined;
  readonly cause?: unknown;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly headers?: Headers | undefined;
}

/**
 * The base class of all errors in this package.
 *
 * An error does not contain the API key in any usual spelling. A message that it quotes from the service does not contain a value
 * that was sent (strings and numbers of four or more characters). In V8, the stack starts at the line of your code that awaits the
 * call.
 *
 * @example
 * ```ts
 * try {
 *   await pdfs.generate("inv_2024", values).saveTo("invoice.pdf");
 * } catch (error) {
 *   if (TemplatePdfError.is(error)) console.error(error.code, error.message, error.requestId);
 *   else throw error;
 * }
 * ```
 */
export class TemplatePdfError extends Error {
  /** The name of the class, even in minified code. */
  override get name(): string {
    return "TemplatePdfError";
  }
  /** A stable, machine-readable code, for example `"not_found"`. */
  readonly code: string = "error";
  /** The number of requests; 0 if no request was sent. */
  declare readonly attempts: number;
  /** The status code of the response, if there was one. */
  declare readonly status?: number;
  /**
   * The response's `x-request-id` or `request-id`. Include it when you contact the service's support team.
   */
  declare readonly requestId?: string;
  readonly #headers: Headers | undefined;

  /**
   * @param message - what happened, to what, and what to do
   * @param facts - the properties to set on the error; `undefined` ones are skipped
   */
  constructor(message: string, facts: ErrorFacts = {}) {
    // `Error` would also create a property for an undefined cause.
    super(message, facts.cause === undefined ? undefined : facts);
    const { attempts = 0, headers, ...others } = facts;
    this.#headers = headers;
    for (const [name, fact] of Object.entries({ attempts, ...others })) {
      if (fact !== undefined) Object.assign(this, { [name]: fact });
    }
  }

  /**
   * Returns whether `error` is an instance of this class or of a subclass. Unlike `instanceof`, it also recognises errors from
   * other copies of this package. You can pass it as a function, for example `errors.filter(RateLimitError.is)`.
   */
  static get is(): Is<TemplatePdfError> {
    const { name: wanted } = this.prototype;
    return (error): error is TemplatePdfError => {
      try {
        for (let at = error; typeof at === "object" && at !== null; at = Object.getPrototypeOf(at)) {
          if (brand in at && (at as TemplatePdfError).name === wanted) return true;
        }
      } catch {
        // A proxy that throws when it is read is not an error of this package.
      }
      return false;
    };
  }

  /**
   * The status with which a web framework responds if this error reaches it: 502, or 500 if no request was sent. Fastify, NestJS
   * and Nitro read it. The status of the service is `status`.
   */
  get statusCode(): 500 | 502 {
    return this.attempts > 0 ? 502 : 500;
  }

  /** Tells web frameworks that the message is not for visitors. Koa and NestJS read it. */
  get expose(): false {
    return false;
  }

  /** The address of the page that describes the causes and remedies of errors with this `code`. */
  get docUrl(): string {
    return `https://template-pdf.github.io/template-pdf/guides/error-codes.html#${this.code}`;
  }

  /** The headers of the response, if there was one. This is a getter, so that loggers do not print them. */
  get headers(): Headers | undefined {
    return this.#headers;
  }

  /** @internal */
  get [brand](): true {
    return true;
  }

  /** Returns a plain object with the properties of the error, which is safe to log. */
  toJSON(): Record<string, unknown> {
    return { ...(this as object), name: this.name, message: this.message };
  }
}

/**
 * An option, the template uid, the template's schema, the API key or the base URL is invalid. The request was
 * not sent.
 */
export class ConfigurationError extends TemplatePdfError {
  declare static readonly is: Is<ConfigurationError>;
  override readonly code = "invalid_configuration";
  override get name(): string {
    return "ConfigurationError";
  }
}

/** A problem with the values for a template. */
export interface ValuesIssue {
  /** The path to the value: property names and array indexes. */
  readonly path: readonly (string | number)[];
  /** A description of the problem, without the value. */
  readonly message: string;
}

/** The values are not a JSON object, or the template's schema rejects them. The request was not sent. */
export class ValuesError extends TemplatePdfError {
  declare static readonly is: Is<ValuesError>;
  override readonly code = "invalid_values";
  override get name(): string {
    return "ValuesError";
  }

  /** All problems that were found. */
  declare readonly issues: readonly ValuesIssue[];
  /** The uid of the template. */
  declare readonly uid: string;

  constructor(message: string, facts: ErrorFacts & { issues: readonly ValuesIssue[]; uid: string }) {
    super(message, facts);
  }
}

/** There was no response: the service could not be reached, or the connection closed before the response began. */
export class ConnectionError extends TemplatePdfError {
  declare static readonly is: Is<ConnectionError>;
  override readonly code: string = "connection_failed";
  override get name(): string {
    return "ConnectionError";
  }
}

/** The name of a limit in `timeouts`. */
export type TimeoutPhase = "connect" | "firstByte" | "stall" | "unread" | "total";

/**
 * A limit in `timeouts` was exceeded.
 *
 * @example
 * ```ts
 * try {
 *   await pdfs.generate("invoice", values).bytes();
 * } catch (error) {
 *   if (TimeoutError.is(error)) console.error(`${error.phase}: more than ${error.limitMs} ms`);
 *   else throw error;
 * }
 * ```
 */
export class TimeoutError extends TemplatePdfError {
  declare static readonly is: Is<TimeoutError>;
  override readonly code = "timeout";
  override get name(): string {
    return "TimeoutError";
  }

  /** The name of the limit. */
  declare readonly phase: TimeoutPhase;
  /** The limit, in milliseconds. */
  declare readonly limitMs: number;

  constructor(message: string, facts: ErrorFacts & { phase: TimeoutPhase; limitMs: number }) {
    super(message, facts);
  }
}

/** The details of an `ApiError`: see its properties. */
export interface ApiErrorFacts extends ErrorFacts {
  readonly status: number;
  readonly rawBody?: string | undefined;
  readonly body?: unknown;
  readonly detail?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** The service responded with a status other than 2xx. */
export class ApiError extends TemplatePdfError {
  declare static readonly is: Is<ApiError>;
  override readonly code: string = "api_error";
  override get name(): string {
    return "ApiError";
  }

  declare readonly status: number;
  /** The delay before the next request in milliseconds, if the response has a valid `Retry-After`. */
  declare readonly retryAfterMs?: number;
  readonly #content: Pick<ApiErrorFacts, "body" | "rawBody" | "detail">;

  constructor(message: string, facts: ApiErrorFacts) {
    const { body, rawBody, detail, ...others } = facts;
    super(message, others);
    this.#content = { body, rawBody, detail };
  }

  /**
   * The body of the response: the parsed value if it is JSON, otherwise its text (64 KiB at most). It may repeat values that were
   * sent. This is a getter, so that loggers do not print it.
   */
  get body(): unknown {
    return this.#content.body;
  }

  /** The body of the response as text, at most 64 KiB. See `body`. */
  get rawBody(): string {
    return this.#content.rawBody ?? "";
  }

  /** The response message: the `message`, `error`, `error.message`, `detail` or `title` in the body. */
  get detail(): string | undefined {
    return this.#content.detail;
  }
}

/** 400 or 422: the service rejected the values. */
export class BadRequestError extends ApiError {
  declare static readonly is: Is<BadRequestError>;
  override readonly code = "bad_request";
  override get name(): string {
    return "BadRequestError";
  }
}

/** 401: the API key is missing, invalid or expired. */
export class AuthenticationError extends ApiError {
  declare static readonly is: Is<AuthenticationError>;
  override readonly code = "authentication_failed";
  override get name(): string {
    return "AuthenticationError";
  }
}

/** 403: the API key does not have the required permission. */
export class PermissionError extends ApiError {
  declare static readonly is: Is<PermissionError>;
  override readonly code = "permission_denied";
  override get name(): string {
    return "PermissionError";
  }
}

/** 404: the template does not exist, or `baseUrl` is not the address of the service. */
export class NotFoundError extends ApiError {
  declare static readonly is: Is<NotFoundError>;
  override readonly code = "not_found";
  override get name(): string {
    return "NotFoundError";
  }
}

/** 429: the service received too many requests. */
export class RateLimitError extends ApiError {
  declare static readonly is: Is<RateLimitError>;
  override readonly code = "rate_limited";
  override get name(): string {
    return "RateLimitError";
  }
}

/** 5xx: the service failed. */
export class ServerError extends ApiError {
  declare static readonly is: Is<ServerError>;
  override readonly code = "server_error";
  override get name(): string {
    return "ServerError";
  }
}

/** The service responded with 2xx, but the body is not a PDF, or is a PDF that was decoded as text on its way. */
export class InvalidPdfError extends TemplatePdfError {
  declare static readonly is: Is<InvalidPdfError>;
  override readonly code = "invalid_pdf";
  override get name(): string {
    return "InvalidPdfError";
  }

  /** The response's `content-type`, if it has one. */
  declare readonly contentType?: string;
  /** The first 120 characters of the response on one line, with the API key and the sent values removed. */
  declare readonly excerpt: string;

  constructor(message: string, facts: ErrorFacts & { contentType?: string | undefined; excerpt: string }) {
    super(message, facts);
  }
}

/** The response is a truncated PDF. */
export class TruncatedPdfError extends TemplatePdfError {
  declare static readonly is: Is<TruncatedPdfError>;
  override readonly code = "truncated_pdf";
  override get name(): string {
    return "TruncatedPdfError";
  }

  /** The number of bytes that arrived. */
  declare readonly receivedBytes: number;
  /** The response's `content-length`, if it has one. */
  declare readonly promisedBytes?: number;

  constructor(
    message: string,
    facts: ErrorFacts & { receivedBytes: number; promisedBytes?: number | undefined },
  ) {
    super(message, facts);
  }
}

/** The document is larger than `maxBytes`, the limit for documents in memory. */
export class OversizedPdfError extends TemplatePdfError {
  declare static readonly is: Is<OversizedPdfError>;
  override readonly code = "oversized_pdf";
  override get name(): string {
    return "OversizedPdfError";
  }
}

/** The document could not be saved. `cause` is the system error. */
export class SaveError extends TemplatePdfError {
  declare static readonly is: Is<SaveError>;
  override readonly code = "not_saved";
  override get name(): string {
    return "SaveError";
  }

  /** The path that you passed. */
  declare readonly path: string;
  /** The path at which the complete document was left, if it could not be moved to `path`. */
  declare readonly draft?: string;

  constructor(message: string, facts: ErrorFacts & { path: string; draft?: string }) {
    super(message, facts);
  }
}
