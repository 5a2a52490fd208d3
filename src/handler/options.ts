import { type AnyTemplate, ConfigurationError, type Retry, type TemplatePdf } from "../index.ts";
import {
  checkOptions,
  isByteCount,
  isFunction,
  isObject,
  isObjectOrFalse,
  type Rule,
  type Rules,
} from "../options/option-rules.ts";
import { checkUid } from "../request/url.ts";
import type { Disposition } from "../service/content-disposition.ts";
import { checkOrigin } from "./origins.ts";

/** The templates that pages may ask for, by the names under which they ask. */
export type HandlerTemplates = Readonly<Record<string, AnyTemplate>>;

/**
 * The functions of the server that a handler asks.
 *
 * @inline
 */
export type OwnFunction = "authorize" | "values" | "filename";

/**
 * What {@link HandlerOptions.onError} receives in addition to the error.
 *
 * @typeParam Context - what the handler is called with in addition to the request
 */
export interface HandlerError<Context = unknown> {
  /** What was asked; its body may be read already. */
  readonly request: Request;
  /** The `x-request-id` of the answer, which its caller sees. */
  readonly requestId: string;
  /** Which of your functions failed, where one did. */
  readonly failed: OwnFunction | undefined;
  /** What the handler was called with in addition to the request. */
  readonly context: Context;
}

/**
 * A handler: it turns a web `Request` into a web `Response`.
 *
 * If your functions declare a type for their `context`, callers must pass one. Otherwise they may pass anything, as Next.js, Deno
 * and Workers do. It rejects only with a `ConfigurationError`, if it is called with something other than a web `Request`.
 *
 * @typeParam Context - what your functions receive as `context`
 */
export type Handler<Context = unknown> = (
  request: Request,
  ...context: undefined extends Context ? [context?: Context] : [context: Context]
) => Promise<Response>;

/**
 * The options of a handler.
 *
 * @typeParam T - the templates by name
 * @typeParam Context - what the handler is called with in addition to the request, such as the session of the caller
 */
export interface HandlerOptions<T extends HandlerTemplates = HandlerTemplates, Context = unknown> {
  /** The client that asks the service, with the key. */
  // biome-ignore lint/suspicious/noExplicitAny: nothing else takes a client of every type.
  client: TemplatePdf<any>;
  /** Everything that can be asked for, by the name that stands in the path in place of a uid. No other template is reached. */
  templates: T;
  /**
   * Decides about every call before its body is read. Only `true` lets one pass; `false` is answered with 403, and a `Response`,
   * such as a 401 of your own, is the answer. The body is not to be read here. It gets the name as it came, which may be none of
   * `templates`, and the context that the handler was called with, such as the user of a session.
   */
  authorize: (
    request: Request,
    name: string,
    context: Context,
  ) => boolean | Response | Promise<boolean | Response>;
  /**
   * Gives the values to send in place of those that came, such as with a price that no page may set; the template's schema checks
   * them afterwards. A `Response` is the answer, and nothing is sent. Default: the values as they came.
   */
  values?:
    | ((
        request: Request,
        values: Record<string, unknown>,
        name: keyof T & string,
        context: Context,
      ) => object | Response | Promise<object | Response>)
    | undefined;
  /** Whether a browser is to save the document, or to show it. Default: `"attachment"`. */
  disposition?: Disposition | undefined;
  /**
   * Names the document, with or without `.pdf`; the name is made safe. It gets the values that are sent. Default, also for
   * `undefined`: the name of the template, as the page knows it.
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
   * Other origins whose pages may call, such as `https://app.example.com` (CORS), also with cookies. Default: none, only pages of the
   * same origin, and callers that are no pages.
   */
  origins?: readonly string[] | undefined;
  /** The most bytes the values may measure. Default: 1,048,576 (1 MiB). */
  maxBodyBytes?: number | undefined;
  /**
   * When the service is asked again, laid over what the client does. Default: `{ mayRenderTwice: false }`, only where nothing was
   * sent, so that a busy service, or a broken answer, is told to the page at once: its own client tries again.
   */
  retry?: Retry | false | undefined;
  /**
   * Hears of what is not the caller's fault, also of a document that breaks off, for your log: none of it is in the answer. What it throws is dropped. Default: one line
   * by `console.error`; unless `NODE_ENV` is `production`, with what your own functions threw, and its stack.
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
  retry: isObjectOrFalse,
  onError: isFunction,
};

/**
 * Checks a handler's options.
 *
 * @throws {ConfigurationError} for the first thing that is missing, unknown or wrong
 */
export function checkHandlerOptions<Context>(options: HandlerOptions<HandlerTemplates, Context>): void {
  checkOptions(options, rules, "handler");
  for (const [name, why] of Object.entries(required)) {
    if (options[name as keyof typeof required] === undefined) {
      throw new ConfigurationError(`The option \`${name}\` of the handler is missing: ${why}.`);
    }
  }
  const templates = Object.entries(options.templates);
  if (templates.length === 0) {
    throw new ConfigurationError(
      "The `templates` of the handler hold none. Name each in a plain object, such as { invoice: template(…) }.",
    );
  }
  for (const [name, template] of templates) checkTemplate(name, template);
  options.origins?.forEach(checkOrigin);
}

const required = {
  client: "give the TemplatePdf that holds the key",
  templates: "name every template that may be asked for, such as { invoice: template(…) }",
  authorize: "without it, everybody could make documents at your cost. Return true for those who may",
} satisfies { readonly [name in keyof HandlerOptions]?: string };

function checkTemplate(name: string, template: unknown): void {
  try {
    checkUid(name);
    checkUid((template as AnyTemplate | undefined)?.uid);
  } catch {
    throw new ConfigurationError(
      `The member ${JSON.stringify(name)} of \`templates\` must be a template() under a name that can stand in a path.`,
    );
  }
}
