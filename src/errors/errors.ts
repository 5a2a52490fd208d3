/** The family of errors: one base, stable codes, and nothing in them that must not be logged. */

/** Registered globally, so that an error is recognised across copies and module formats of this package. */
const brand = Symbol.for("template-pdf.error");

/** What an error knows of the call it ended. */
export interface ErrorFacts {
  /** How many times the request was tried; 0 when nothing was sent. */
  readonly attempts?: number | undefined;
  /** What lies behind it. */
  readonly cause?: unknown;
  /** Status code of the answer, where there was one. */
  readonly status?: number | undefined;
  /** The answer's `x-request-id` or `request-id`. */
  readonly requestId?: string | undefined;
  /** The answer's headers. */
  readonly headers?: Headers | undefined;
}

/**
 * The base of every error of this package.
 *
 * Its message, stack, JSON and inspection hold neither the API key nor the values that were sent: where they quote
 * the service, the words of the values are taken out. In V8, its stack starts with the line of yours that awaits the call.
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
  /** The name of its class, also in code that was minified. */
  declare readonly name: string;
  /** A stable, machine-readable word for what happened, such as `"not_found"`. */
  readonly code: string = "error";
  /** How many times the request was tried; 0 when nothing was sent. */
  declare readonly attempts: number;
  /** Status code of the answer, where there was one. */
  declare readonly status?: number;
  /** The answer's `x-request-id` or `request-id`, to be quoted to the service's support. */
  declare readonly requestId?: string;
  readonly #headers: Headers | undefined;

  /**
   * @param message - what happened, to what, and what to do
   * @param facts - become members of the error, as far as there are any; the headers stay behind a getter
   */
  constructor(message: string, facts: ErrorFacts = {}) {
    super(message, facts);
    const { attempts = 0, headers, ...others } = facts;
    this.#headers = headers;
    for (const [name, fact] of Object.entries({ attempts, ...others })) {
      if (fact !== undefined) Object.assign(this, { [name]: fact });
    }
  }

  /**
   * Whether `error` is of this class or of one below it, also when it comes from another copy of this
   * package, where `instanceof` fails.
   *
   * @param error - anything that was caught
   */
  static is<E>(this: { readonly prototype: E }, error: unknown): error is E {
    const wanted = (this.prototype as { readonly [brand]?: string })[brand];
    try {
      for (let at = error; typeof at === "object" && at !== null; at = Object.getPrototypeOf(at)) {
        if (Object.hasOwn(at, brand) && (at as { readonly [brand]?: string })[brand] === wanted) return true;
      }
    } catch {
      // A proxy may refuse to be read, and is no error of ours.
    }
    return false;
  }

  /** The answer's headers, where there was an answer. A getter, so that logging the error prints none. */
  get headers(): Headers | undefined {
    return this.#headers;
  }

  /** A plain object that is safe to log. */
  toJSON(): Record<string, unknown> {
    return { ...(this as object), name: this.name, message: this.message };
  }
}

/** An option, the template uid or its schema, the API key or the base URL is wrong; nothing was sent. */
export class ConfigurationError extends TemplatePdfError {
  override readonly code = "invalid_configuration";
}

/** One thing that is wrong with the values of a template. */
export interface ValuesIssue {
  /** Where in the values, from the outside in: property names and array indexes. */
  readonly path: readonly (string | number)[];
  /** What is wrong there; never the value itself. */
  readonly message: string;
}

/** The values cannot be sent as they are: no JSON object, or refused by the template's schema. Nothing was sent. */
export class ValuesError extends TemplatePdfError {
  override readonly code = "invalid_values";
  /** What is wrong, and where. */
  declare readonly issues: readonly ValuesIssue[];
  /** The template the values were meant for. */
  declare readonly uid: string;

  constructor(message: string, facts: ErrorFacts & { issues: readonly ValuesIssue[]; uid: string }) {
    super(message, facts);
  }
}

/** No answer came: the service could not be reached, or the connection ended before its answer began. */
export class ConnectionError extends TemplatePdfError {
  override readonly code: string = "connection_failed";
}

/** The limits that `timeouts` sets, by what they limit. */
export type TimeoutPhase = "connect" | "firstByte" | "stall" | "unread" | "total";

/**
 * A limit of `timeouts` was reached.
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
  override readonly code = "timeout";
  /** Which limit: the option of `timeouts` of this name. */
  declare readonly phase: TimeoutPhase;
  /** How long that limit is, in milliseconds. */
  declare readonly limitMs: number;

  constructor(message: string, facts: ErrorFacts & { phase: TimeoutPhase; limitMs: number }) {
    super(message, facts);
  }
}

/** What an `ApiError` holds beyond the facts of every error. */
export interface ApiErrorFacts extends ErrorFacts {
  readonly status: number;
  /** The body's text, 64 KiB of it at most. */
  readonly rawBody?: string | undefined;
  /** The body, parsed where it is JSON. */
  readonly body?: unknown;
  /** The service's own message, where one of the usual fields holds it. */
  readonly detail?: string | undefined;
  /** What `Retry-After` asks for. */
  readonly retryAfterMs?: number | undefined;
}

/** The service answered with another status than 2xx. */
export class ApiError extends TemplatePdfError {
  override readonly code: string = "api_error";
  declare readonly status: number;
  /** How long the service asks to be left alone, in milliseconds, where its `Retry-After` says so. */
  declare readonly retryAfterMs?: number;
  readonly #said: Pick<ApiErrorFacts, "body" | "rawBody" | "detail">;

  constructor(message: string, facts: ApiErrorFacts) {
    const { body, rawBody, detail, ...others } = facts;
    super(message, others);
    this.#said = { body, rawBody, detail };
  }

  /**
   * The answer's body: a value where it is JSON, else its text (64 KiB at most). A getter, so that logging
   * the error does not print it: it is the service's own word and may repeat what was sent.
   */
  get body(): unknown {
    return this.#said.body;
  }

  /** The answer's body as text, 64 KiB of it at most; see `body`. */
  get rawBody(): string {
    return this.#said.rawBody ?? "";
  }

  /** The service's own message, where `message`, `error`, `error.message`, `detail` or `title` holds one. */
  get detail(): string | undefined {
    return this.#said.detail;
  }
}

/** 400 or 422: the service refuses the values. */
export class BadRequestError extends ApiError {
  override readonly code = "bad_request";
}

/** 401: the API key is missing, wrong or no longer valid. */
export class AuthenticationError extends ApiError {
  override readonly code = "authentication_failed";
}

/** 403: the API key may not do this. */
export class PermissionError extends ApiError {
  override readonly code = "permission_denied";
}

/** 404: there is no such template, or `baseUrl` does not lead to the service. */
export class NotFoundError extends ApiError {
  override readonly code = "not_found";
}

/** 429: too many requests. */
export class RateLimitError extends ApiError {
  override readonly code = "rate_limited";
}

/** 5xx: the service failed. */
export class ServerError extends ApiError {
  override readonly code = "server_error";
}

/** The service answered 2xx, but with something that is no PDF. */
export class InvalidPdfError extends TemplatePdfError {
  override readonly code = "invalid_pdf";
  /** The answer's `content-type`, where it has one. */
  declare readonly contentType?: string;
  /** How the answer begins: 120 characters at most, on one line, without the key and the values that were sent. */
  declare readonly excerpt: string;

  constructor(message: string, facts: ErrorFacts & { contentType?: string | undefined; excerpt: string }) {
    super(message, facts);
  }
}

/** A PDF began to arrive but did not arrive whole. */
export class TruncatedPdfError extends TemplatePdfError {
  override readonly code = "truncated_pdf";
  /** How many bytes of the document arrived. */
  declare readonly receivedBytes: number;
  /** How many bytes the answer's `content-length` promised, where it did. */
  declare readonly promisedBytes?: number;

  constructor(
    message: string,
    facts: ErrorFacts & { receivedBytes: number; promisedBytes?: number | undefined },
  ) {
    super(message, facts);
  }
}

/** The document is larger than `maxBytes`, the limit for forms that are held in memory. */
export class OversizedPdfError extends TemplatePdfError {
  override readonly code = "oversized_pdf";
}

/** The document could not be written to the path that was asked for; `cause` is the system's own error. */
export class SaveError extends TemplatePdfError {
  override readonly code = "not_saved";
  /** The path that was asked for. */
  declare readonly path: string;

  constructor(message: string, facts: ErrorFacts & { path: string }) {
    super(message, facts);
  }
}

/**
 * Gives classes of the family their names and their brand: literal, because minifiers rename classes; on the prototype, because they
 * are no data of an error.
 */
export function nameErrors(classes: { readonly [name: string]: { readonly prototype: object } }): void {
  for (const [name, { prototype }] of Object.entries(classes)) {
    Object.defineProperties(prototype, { name: { value: name }, [brand]: { value: name } });
  }
}

nameErrors({
  TemplatePdfError,
  ConfigurationError,
  ValuesError,
  ConnectionError,
  TimeoutError,
  ApiError,
  BadRequestError,
  AuthenticationError,
  PermissionError,
  NotFoundError,
  RateLimitError,
  ServerError,
  InvalidPdfError,
  TruncatedPdfError,
  OversizedPdfError,
  SaveError,
});
