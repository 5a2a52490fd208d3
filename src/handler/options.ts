import { type AnyTemplate, ConfigurationError, type Retry, type TemplatePdf } from "../index.ts";
import {
  checkOptions,
  isByteCount,
  isFunction,
  isObject,
  type Rule,
  type Rules,
} from "../options/option-rules.ts";
import { isRetry } from "../options/retry.ts";
import { checkUid } from "../request/endpoint.ts";
import type { Disposition } from "../service/content-disposition.ts";
import { checkOrigin } from "./origins.ts";

/** The templates that browsers may request. Each key is the name that browsers use. */
export type HandlerTemplates = Readonly<Record<string, AnyTemplate>>;

/**
 * The names of the user-supplied callbacks that a handler calls.
 *
 * @inline
 */
export type OwnFunction = "authorize" | "values" | "filename";

/**
 * What {@link HandlerOptions.onError} receives in addition to the error.
 *
 * @typeParam Context - the second argument of the handler
 */
export interface HandlerError<Context = unknown> {
  /** The request. Its body may already have been read. */
  readonly request: Request;
  /** The `x-request-id` of the response, which the caller receives. */
  readonly requestId: string;
  /** The name of your callback that failed, if any. */
  readonly failed: OwnFunction | undefined;
  /** The second argument of the handler. */
  readonly context: Context;
}

/**
 * A handler: a function from a web `Request` to a web `Response`.
 *
 * If your functions declare a `context` type, the second argument must have that type. Otherwise, the second
 * argument may be anything, because Next.js, Deno and Workers pass their own. The handler rejects, with a
 * `ConfigurationError`, only if it is not called with a web `Request`.
 *
 * @typeParam Context - the type of `context` in your functions
 */
export type Handler<Context = unknown> = (
  request: Request,
  ...context: undefined extends Context ? [context?: Context] : [context: Context]
) => Promise<Response>;

/**
 * Options for a handler.
 *
 * @typeParam T - the templates by name
 * @typeParam Context - the second argument of the handler, such as the caller's session
 */
export interface HandlerOptions<T extends HandlerTemplates = HandlerTemplates, Context = unknown> {
  /** The client that holds the API key. */
  // biome-ignore lint/suspicious/noExplicitAny: nothing else takes a client of every type.
  client: TemplatePdf<any>;
  /**
   * The templates that callers may request. Each key is the name used in the path in place of the uid. All other templates are
   * unreachable.
   */
  templates: T;
  /**
   * Decides whether a call is allowed, before its body is read. Only `true` allows the call. `false` results
   * in a 403. A `Response`, such as your own 401, is sent unchanged. Do not read the body here. `name` is the
   * requested name, which may not be in `templates`. `context` is the second argument of the handler.
   */
  authorize: (
    request: Request,
    name: string,
    context: Context,
  ) => boolean | Response | Promise<boolean | Response>;
  /**
   * Returns the values to send in place of those received, for example to set a price that the browser must not control. The
   * template's schema then checks them. A `Response` is sent unchanged, and no request is sent to the service. Default: the
   * received values.
   */
  values?:
    | ((
        request: Request,
        values: Record<string, unknown>,
        name: keyof T & string,
        context: Context,
      ) => object | Response | Promise<object | Response>)
    | undefined;
  /** Whether browsers save the document or show it. Default: `"attachment"`. */
  disposition?: Disposition | undefined;
  /**
   * Returns the file name of the document, with or without `.pdf`. The name is made safe for every system.
   * The function receives the values that are sent. If it returns `undefined`, the default applies. Default: the
   * template's name in `templates`.
   */
  filename?:
    | ((
        request: Request,
        values: Record<string, unknown>,
        name: keyof T & string,
        context: Context,
      ) => string | undefined | Promise<string | undefined>)
    | undefined;
  /**
   * Other origins whose pages may make cross-origin (CORS) calls with cookies, such as
   * `https://app.example.com`. Default: none. Same-origin pages and callers that are not browsers are always
   * allowed.
   */
  origins?: readonly string[] | undefined;
  /** The maximum size of the values in bytes. Default: 1,048,576 (1 MiB). */
  maxBodyBytes?: number | undefined;
  /**
   * The retry policy for requests to the service, or `false` for no retries. It overrides the client's
   * policy. Default: `{ mayRenderTwice: false }`: the handler retries only requests that were not sent. All
   * other failures go to the browser, whose client can retry.
   */
  retry?: Retry | false | undefined;
  /**
   * Called with each error that the caller did not cause, including truncated documents, so that you can log
   * it. Errors that occur after the caller has disconnected are not reported, because most of them have that cause. The response does not contain these errors. An error thrown by this callback is ignored. Default:
   * prints one line with `console.error`. For errors from your own functions, it also prints the stack,
   * unless `NODE_ENV` is `production`.
   */
  onError?: ((error: unknown, about: HandlerError<Context>) => void) | undefined;
}

const isDisposition: Rule = {
  words: '"attachment" or "inline"',
  test: (value) => value === "attachment" || value === "inline",
};

const rules: Rules<HandlerOptions> = {
  client: {
    words: "a TemplatePdf",
    test: (value) => typeof (value as TemplatePdf | null)?.generate === "function",
  },
  templates: isObject,
  authorize: isFunction,
  values: isFunction,
  disposition: isDisposition,
  filename: isFunction,
  origins: { words: "a list of origins", test: Array.isArray },
  maxBodyBytes: isByteCount,
  retry: isRetry,
  onError: isFunction,
};

/**
 * Checks the options for a handler.
 *
 * @returns a copy
 * @throws {ConfigurationError} for the first missing, unknown or invalid option
 */
export function checkHandlerOptions<T extends HandlerTemplates, Context>(
  given: HandlerOptions<T, Context>,
): HandlerOptions<T, Context> {
  const options = checkOptions(given, rules as Rules<HandlerOptions<T, Context>>, "handler");
  for (const [name, why] of Object.entries(required)) {
    if (options[name as keyof typeof required] === undefined) {
      throw new ConfigurationError(`The handler option \`${name}\` is missing: ${why}.`);
    }
  }
  const templates = Object.entries(options.templates);
  if (templates.length === 0) {
    throw new ConfigurationError(
      "The handler's `templates` are empty. Pass a plain object such as { invoice: template(…) }.",
    );
  }
  for (const [name, template] of templates) checkTemplate(name, template);
  options.origins?.forEach(checkOrigin);
  return options;
}

const required = {
  client: "pass the TemplatePdf that holds the API key",
  templates: "pass the templates that may be requested, such as { invoice: template(…) }",
  authorize: "without it, anyone could generate documents at your expense. Return true to allow a call",
} satisfies { readonly [name in keyof HandlerOptions]?: string };

function checkTemplate(name: string, template: unknown): void {
  try {
    checkUid(name);
    checkUid((template as AnyTemplate | undefined)?.uid);
  } catch {
    throw new ConfigurationError(
      `Expected the ${JSON.stringify(name)} property of \`templates\` to be a template(), and its name to be valid in a URL path.`,
    );
  }
}
