import { isInstance } from "../errors/foreign-values.ts";
import { describeKind, nameOfError } from "../errors/value-kinds.ts";
import { type AnyTemplate, ConfigurationError, TemplatePdfError, ValuesError } from "../index.ts";
import { isJsonObject } from "../json/json-value.ts";
import { limitsStreams } from "../options/call-options.ts";
import { checkValues, ownTemplate } from "../request/schema.ts";
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
 * Creates a handler that serves the service's endpoint on your own server, so that browsers never receive the
 * API key.
 *
 * The handler responds to `POST …/api/v1/templates/:name/generate-sync` under any path prefix, so you can
 * mount it anywhere. In the browser, set the client's `baseUrl` to the path before `/api/v1`. Calls are
 * denied unless `authorize` allows them. Documents are streamed with backpressure. If the browser
 * disconnects, or does not receive the whole document within the client's `timeouts.total`, the upstream
 * request is aborted. Error responses are problem JSON (RFC 9457) and do not reveal the service:
 *
 * | status | when |
 * | --- | --- |
 * | 400 | the body is not a JSON object or is incomplete, or the name is not valid percent-encoding |
 * | 403 | `authorize` denies the call, or it comes from another origin |
 * | 404 | the path is unknown, or `templates` does not contain the name |
 * | 405 | the method is not POST |
 * | 413, 415 | the values are larger than `maxBodyBytes`, or not `application/json` |
 * | 422 | the values are invalid: see `errors` |
 * | 429, 503 | the service is overloaded; includes its `Retry-After` |
 * | 500 | one of your functions failed, or the configuration is invalid: see `onError` |
 * | 502, 504 | the service returned no document in time |
 *
 * @param options - see `HandlerOptions`; `client`, `templates` and `authorize` are required
 * @returns a function from a web `Request` to a web `Response`, for Next.js, Hono, Bun, Deno and Workers. For
 * `node:http`, Express and Fastify, pass it to `nodeListener` from `template-pdf/handler/node`. The second
 * argument of the handler, such as the session's user, is passed to your functions as `context`
 * @throws {ConfigurationError} if an option is missing, unknown or invalid
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
 *   client: new TemplatePdf({ baseUrl: "https://pdf.example.com", apiKey: process.env.TEMPLATE_PDF_API_KEY }),
 *   templates: { invoice },
 *   authorize: async (request) => (await userOf(request)) !== undefined, // `userOf` is your session lookup
 * });
 * ```
 *
 * @see spec, "Generate PDF from template"
 */
export function createHandler<const T extends HandlerTemplates, Context = unknown>(
  options: HandlerOptions<T, Context>,
): Handler<Context> {
  const own = checkHandlerOptions(options);
  const { maxBodyBytes, onError = logError } = own;
  const origins = new Origins(own.origins ?? []);
  const endpoint = createEndpoint<Context>({
    authorize: allowing(own, origins),
    produce: createProducer(own),
    maxBodyBytes,
    onError: (error, request, requestId, context) =>
      isInstance(error, FunctionFailure)
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

/** Denies every call that `authorize` does not allow explicitly. */
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
      "You are not allowed to generate this document. Sign in, or contact the operator of this server.",
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
  // Only own properties, because objects inherit others, such as "constructor".
  const known = new Map(Object.entries(templates).map(([name, template]) => [name, ownTemplate(template)]));
  // A caller that stops reading must not hold the connection to the service forever.
  const settings = { retry: retry ?? { mayRenderTwice: false }, [limitsStreams]: true };

  return async ({ uid: name, values: came, request, signal, context, report }) => {
    const template = known.get(name);
    if (!template) {
      const named = `This server has no document named ${JSON.stringify(name)}.`;
      const kind = "unknown-template";
      throw new Problem(404, `${named} Request one that it offers.`, { kind });
    }
    const given: unknown = values
      ? await runOwnFunction("values", () => values(request, came, name, context))
      : came;
    if (isResponse(given)) return given;
    if (!isJsonObject(given)) throw wrongReturn("values", "an object with the values to send", given);
    const sent = (await checked(template, given, name, values !== undefined)) as Record<string, unknown>;
    const wished: unknown =
      filename && (await runOwnFunction("filename", () => filename(request, sent, name, context)));
    if (wished !== undefined && typeof wished !== "string") throw wrongReturn("filename", "a string", wished);
    try {
      // Checked above, so that `filename` receives the values that are sent.
      const pdf = await client.generate({ uid: template.uid, schema: undefined }, sent, {
        signal,
        ...settings,
      });
      return {
        bytes: watched(pdf.stream(), request, report),
        contentLength: pdf.contentLength,
        filename: wished ?? name,
        disposition,
      };
    } catch (error) {
      // The received values are JSON, so only values from `values` or the schema can fail here.
      throw (sent !== came && ValuesError.is(error) ? undefined : problemForError(error, name)) ?? error;
    }
  };
}

/** Checks values against the template's schema, if it has one. */
async function checked(
  template: AnyTemplate,
  given: object,
  name: string,
  areOurs: boolean,
): Promise<unknown> {
  try {
    return await checkValues(template, given);
  } catch (error) {
    // The values come from the browser and the server, so the error is also logged.
    throw problemForError(error, name, areOurs) ?? error;
  }
}

function wrongReturn(name: OwnFunction, expected: string, given: unknown): ConfigurationError {
  return new ConfigurationError(
    `Expected the handler's \`${name}\` to return ${expected}, got ${describeKind(given)}.`,
  );
}

/** Errors from your functions may contain secrets, so they are printed only during development. */
function logError(error: unknown, { requestId, failed }: HandlerError): void {
  const about = `(request ${requestId})`;
  if (TemplatePdfError.is(error)) return console.error(`template-pdf/handler: ${error.message} ${about}`);
  const what = failed ? `\`${failed}\`` : "Something";
  try {
    if (readEnvironment("NODE_ENV") !== "production") {
      return console.error(`template-pdf/handler: ${what} failed ${about}:`, error);
    }
  } catch {
    // The error cannot be printed.
  }
  console.error(
    `template-pdf/handler: ${what} failed with ${nameOfError(error)}. Pass \`onError\` to log it ${about}`,
  );
}
