/**
 * Serves handlers on `node:http`, Express, Fastify and NestJS.
 *
 * @packageDocumentation
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { callSafely } from "../errors/foreign-values.ts";
import { withoutPrototype } from "../runtime/own-options.ts";
import { noteConnection } from "../service/connections.ts";
import { callerLeft, Problem, serverFault } from "../service/problem.ts";

/**
 * A listener for `node:http` and a middleware for Express.
 *
 * @typeParam Incoming - the server's request type, for example the Express request type
 */
export type NodeListener<Incoming extends IncomingMessage = IncomingMessage> = (
  incoming: Incoming,
  outgoing: ServerResponse,
) => void;

/**
 * Creates a listener that serves a handler on `node:http`, Express and other servers with `node:http` requests.
 *
 * Mount it before body parsers such as `express.json()`: the handler reads the body itself.
 *
 * @param handler - a handler created by `createHandler`, or any other function from a web `Request` to a web
 * `Response`
 * @returns the listener. It responds to every request that it receives, and never calls `next`
 *
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { TemplatePdf, template } from "template-pdf";
 * import { createHandler } from "template-pdf/handler";
 * import { nodeListener } from "template-pdf/handler/node";
 *
 * const handler = createHandler({
 *   client: new TemplatePdf({ baseUrl: "https://pdf.example.com", apiKey: process.env.TEMPLATE_PDF_API_KEY }),
 *   templates: { invoice: template("inv_2024") },
 *   authorize: (request) => request.headers.get("authorization") === `Bearer ${process.env.PAGE_TOKEN}`,
 * });
 * const server = createServer(nodeListener(handler));
 * // In Express: app.use("/api/pdf", nodeListener(handler)), before express.json()
 * ```
 */
export function nodeListener(handler: (request: Request) => Promise<Response>): NodeListener;
/**
 * Creates a listener that also passes a context to the handler, such as the user from a session middleware.
 *
 * @param handler - a handler created by `createHandler`
 * @param contextOf - returns the `context` for the handler's callbacks. If the function throws, the error is
 * printed with `console.error`, and the response is a 500. Nothing is printed if the caller has disconnected
 * @returns the listener. It responds to every request that it receives, and never calls `next`
 *
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { TemplatePdf, template } from "template-pdf";
 * import { createHandler } from "template-pdf/handler";
 * import { nodeListener } from "template-pdf/handler/node";
 *
 * const handler = createHandler({
 *   client: new TemplatePdf({ baseUrl: "https://pdf.example.com", apiKey: process.env.TEMPLATE_PDF_API_KEY }),
 *   templates: { invoice: template("inv_2024") },
 *   authorize: (_request, _name, user: string | undefined) => user !== undefined,
 * });
 * const server = createServer(nodeListener(handler, (incoming) => incoming.headers["x-user"]?.toString()));
 * // In Express: nodeListener(handler, (request: express.Request) => request.session.user)
 * ```
 */
export function nodeListener<Context, Incoming extends IncomingMessage = IncomingMessage>(
  handler: (request: Request, context: Context) => Promise<Response>,
  contextOf: (incoming: Incoming) => Context | Promise<Context>,
): NodeListener<Incoming>;
export function nodeListener<Context>(
  handler: (request: Request, context?: Context) => Promise<Response>,
  contextOf?: (incoming: IncomingMessage) => Context | Promise<Context>,
): NodeListener {
  const respond = async (request: Request, { incoming, outgoing }: HttpBindings) => {
    let context: Context | undefined;
    try {
      context = await contextOf?.(incoming);
    } catch (error) {
      // Reading the context may have failed for that reason.
      if (request.signal.aborted) return callerLeft().toResponse(crypto.randomUUID());
      const requestId = crypto.randomUUID();
      callSafely(() =>
        console.error(
          `template-pdf/handler: The request context could not be read (request ${requestId}):`,
          error,
        ),
      );
      return new Problem(500, serverFault, { kind: "server-fault" }).toResponse(requestId);
    }
    noteConnection(request, (reason) => outgoing.destroy(reason));
    return handler(request, context);
  };
  // By default, the adapter replaces the global Request and Response of the process.
  const adapting = withoutPrototype({ overrideGlobalObjects: false });
  const listener = getRequestListener(respond as Parameters<typeof getRequestListener>[0], adapting);
  return (incoming, outgoing) => {
    // The caller disconnected while a middleware ran. The adapter would not notice.
    if (!outgoing.destroyed) void listener(incoming, outgoing);
  };
}
