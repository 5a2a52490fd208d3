import { nameOfError } from "../errors/redact.ts";
import { describeKind } from "../errors/value-kinds.ts";
import { type AnyTemplate, ConfigurationError, TemplatePdfError, ValuesError } from "../index.ts";
import { isJsonObject } from "../json/json-value.ts";
import { limitsStreams } from "../options/call-options.ts";
import { checkValues } from "../request/schema.ts";
import { readEnvironment } from "../runtime/environment.ts";
import { type Authorize, createEndpoint, type Produce } from "../service/endpoint.ts";
import { Problem } from "../service/problem.ts";
import { isResponse } from "../service/to-response.ts";
import { checkRequest } from "./check-request.ts";
import {
  checkHandlerOptions,
  type Handler,
  type HandlerError,
  type HandlerOptions,
  type HandlerTemplates,
  type OwnFunction,
} from "./options.ts";
import { Origins } from "./origins.ts";
import { problemForError } from "./problem-for-error.ts";
import { FunctionFailure, runOwnFunction } from "./run-own-function.ts";
import { watched } from "./watched.ts";

/**
 * Makes the service's own endpoint for your server: a page asks it without a key, with the same client.
 *
 * It answers `POST …/api/v1/templates/:name/generate-sync` below any path, so it can be mounted anywhere: the `baseUrl` of the
 * page's client is what stands before. Every call is denied that `authorize` does not let pass. The document is passed on while it
 * comes, no faster than it is taken, and the service is left when the caller leaves, or has not taken all of it within the
 * client's `timeouts.total`. Everything else is answered with
 * problem JSON (RFC 9457) that tells nothing of the service:
 *
 * | status | when |
 * | --- | --- |
 * | 400 | the body is no JSON object, or broke off; or the name is no valid percent-encoding |
 * | 403 | `authorize` said no; or a page of another origin calls |
 * | 404 | another path, or a name that is none of `templates` |
 * | 405 | another method than POST |
 * | 413, 415 | the values are larger than `maxBodyBytes`, or no `application/json` |
 * | 422 | the values do not fit: `errors` tells where |
 * | 429, 503 | the service has too much to do; with its `Retry-After` |
 * | 500 | one of your functions, or the configuration, failed: see `onError` |
 * | 502, 504 | the service gave no document, or not in time |
 *
 * @param options - see `HandlerOptions`; `client`, `templates` and `authorize` are required
 * @returns the handler: from a web `Request` to a web `Response`, as Next.js, Hono, Bun, Deno and Workers call it. For Node's own
 * servers, Express and Fastify, pass it to `nodeListener` of `template-pdf/handler/node`. What it is called with in addition to
 * the request, such as the user of a session, is the `context` of your functions
 * @throws {ConfigurationError} when an option is missing, unknown or wrong
 *
 * @example
 * ```ts
 * import { TemplatePdf, template } from "template-pdf";
 * import { createHandler } from "template-pdf/handler";
 * import * as z from "zod";
 *
 * const invoice = template("inv_2024", z.object({ date: z.string(), total: z.string() }));
 *
 * export const POST = createHandler({
 *   client: new TemplatePdf({ baseUrl: "https://pdf.example.com", apiKey: process.env.PDF_API_KEY }),
 *   templates: { invoice },
 *   authorize: async (request) => (await userOf(request)) !== undefined, // `userOf` looks the session up: yours
 * });
 * ```
 *
 * @see spec, "Generate PDF from template"
 */
export function createHandler<const T extends HandlerTemplates, Context = unknown>(
  options: HandlerOptions<T, Context>,
): Handler<Context> {
  checkHandlerOptions(options);
  const { maxBodyBytes, onError = logError } = options;
  const origins = new Origins(options.origins ?? []);
  const endpoint = createEndpoint<Context>({
    authorize: allowing(options, origins),
    produce: createProducer(options),
    maxBodyBytes,
    onError: (error, request, requestId, context) =>
      error instanceof FunctionFailure
        ? onError(error.cause, { request, requestId, failed: error.failed, context })
        : onError(error, { request, requestId, failed: undefined, context }),
  });
  return async (request, ...[context]) => {
    checkRequest(request);
    const response = origins.preflight(request) ?? (await endpoint(request, context as Context));
    origins.expose(response, request);
    return response;
  };
}

/** Denies everything that is not allowed on purpose. */
function allowing<Context>(
  { authorize }: HandlerOptions<HandlerTemplates, Context>,
  origins: Origins,
): Authorize<Context> {
  return async (request, name, context) => {
    const refusal = origins.refuse(request);
    if (refusal) return refusal;
    const verdict: unknown = await runOwnFunction("authorize", () => authorize(request, name, context));
    if (verdict === true) return undefined;
    if (isResponse(verdict)) return verdict;
    return new Problem(
      403,
      "You may not have this document. Sign in, or ask whoever runs this server for permission.",
      // A forgotten `return` looks like a refusal.
      {
        kind: "not-authorized",
        ...(verdict !== false && { cause: wrongReturn("authorize", "true, false or a Response", verdict) }),
      },
    );
  };
}

function createProducer<Context>(options: HandlerOptions<HandlerTemplates, Context>): Produce<Context> {
  const { client, templates, values, filename, disposition, retry } = options;
  // Own names only: an object has others, such as "constructor".
  const known = new Map(Object.entries(templates));
  // A caller that stops reading must not hold the connection to the service for ever.
  const settings = { retry: retry ?? { mayRenderTwice: false }, [limitsStreams]: true };

  return async ({ uid: name, values: came, request, signal, context, report }) => {
    const template = known.get(name);
    if (!template) {
      const named = `There is no document with the name ${JSON.stringify(name)} here.`;
      const kind = "unknown-template";
      throw new Problem(404, `${named} Ask for one of those that this server offers.`, { kind });
    }
    const given: unknown = values
      ? await runOwnFunction("values", () => values(request, came, name, context))
      : came;
    if (isResponse(given)) return given;
    if (!isJsonObject(given)) throw wrongReturn("values", "the object of values to send", given);
    const sent = (await checked(template, given, name, values !== undefined)) as Record<string, unknown>;
    const wished: unknown =
      filename && (await runOwnFunction("filename", () => filename(request, sent, name, context)));
    if (wished !== undefined && typeof wished !== "string") throw wrongReturn("filename", "a string", wished);
    try {
      // Checked above, so that the name is made of what is sent, and nothing is sent that cannot be named.
      const pdf = await client.generate({ uid: template.uid, schema: undefined }, sent, {
        signal,
        ...settings,
      });
      return {
        bytes: watched(pdf.stream(), signal, report),
        contentLength: pdf.contentLength,
        filename: wished ?? name,
        disposition,
      };
    } catch (error) {
      // What came is JSON: only what this side has made of it can be something else.
      throw (sent !== came && ValuesError.is(error) ? undefined : problemForError(error, name)) ?? error;
    }
  };
}

/** Checks values by the template's schema, where it has one. */
async function checked(
  template: AnyTemplate,
  given: object,
  name: string,
  areOurs: boolean,
): Promise<unknown> {
  try {
    return await checkValues(template, given);
  } catch (error) {
    // They are the page's and the server's in one: either may be to blame, so the log hears of it.
    throw problemForError(error, name, areOurs) ?? error;
  }
}

function wrongReturn(name: OwnFunction, expected: string, given: unknown): ConfigurationError {
  return new ConfigurationError(
    `Expected \`${name}\` of the handler to return ${expected}, got ${describeKind(given)}.`,
  );
}

/** What your own functions threw may hold anything, so it is printed only during development. */
function logError(error: unknown, { requestId, failed }: HandlerError): void {
  const about = `(request ${requestId})`;
  if (TemplatePdfError.is(error)) return console.error(`template-pdf/handler: ${error.message} ${about}`);
  const what = failed ? `\`${failed}\`` : "Something";
  if (readEnvironment("NODE_ENV") !== "production") {
    return console.error(`template-pdf/handler: ${what} failed ${about}:`, error);
  }
  console.error(
    `template-pdf/handler: ${what} failed with ${nameOfError(error)}. Pass \`onError\` to log it ${about}`,
  );
}
