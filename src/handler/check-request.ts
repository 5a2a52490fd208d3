import { ConfigurationError } from "../index.ts";

/**
 * Checks that a handler was called with a web `Request`. Servers may pass their own request object.
 *
 * @throws {ConfigurationError} otherwise, with the correct call for that server
 */
export function checkRequest(request: unknown): void {
  // Not `instanceof`: adapters and test environments have their own classes.
  const given = (request ?? {}) as Given;
  if (typeof given.url === "string" && typeof given.headers?.get === "function") return;
  const advice = advices.find(([fits]) => fits(given))?.[1] ?? "Pass the Request object from your server.";
  throw new ConfigurationError(`The handler was not called with a web Request. ${advice}`);
}

/** Properties of a web `Request` and of the objects that servers pass instead. */
interface Given {
  readonly url?: unknown;
  readonly headers?: { readonly get?: unknown };
  readonly req?: { readonly raw?: unknown };
  readonly request?: { readonly url?: unknown };
  readonly raw?: unknown;
  readonly httpVersion?: unknown;
}

const listener = "nodeListener(handler) of template-pdf/handler/node";

const advices: readonly (readonly [fits: (given: Given) => boolean, advice: string])[] = [
  [({ req }) => req?.raw !== undefined, "For Hono, pass (context) => handler(context.req.raw)."],
  [({ request }) => request?.url !== undefined, "Pass ({ request }) => handler(request)."],
  [({ raw }) => raw !== undefined, `For Fastify, call ${listener} with request.raw and reply.raw.`],
  [({ httpVersion }) => httpVersion !== undefined, `For Express and node:http, pass ${listener}.`],
];
