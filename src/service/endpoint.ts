import { callSafely, isInstance } from "../errors/foreign-values.ts";
import { isUid } from "../request/endpoint.ts";
import { withoutPrototype } from "../runtime/own-options.ts";
import { checkJsonType, readJsonObject } from "./json-body.ts";
import { callerLeft, Problem, serverFault } from "./problem.ts";
import { malformedRequest, targetOf } from "./request-target.ts";
import { isResponse, type Product, toResponse } from "./to-response.ts";

/**
 * Decides whether a call is allowed, before its body is read.
 *
 * @param request - the call; its body must not be read
 * @param uid - the requested template, decoded
 * @param context - the second argument of the endpoint
 * @returns `undefined` to allow the call, or a refusal, which may be a complete response
 */
export type Authorize<Context = void> = (
  request: Request,
  uid: string,
  context: Context,
) => Refusal | Promise<Refusal>;

type Refusal = Problem | Response | undefined;

/** A checked call for `produce`. */
export interface Order<Context = void> {
  /**
   * The requested template, decoded. It is not empty and contains no control characters; any other character
   * is possible, including `/`.
   */
  readonly uid: string;
  /** The received values: a JSON object. */
  readonly values: Record<string, unknown>;
  /** The request. Its body has already been read. */
  readonly request: Request;
  /** Aborted when the caller disconnects, if the server reports it. */
  readonly signal: AbortSignal;
  /** The second argument of the endpoint. */
  readonly context: Context;
  /** Reports failures after `produce`, such as stream errors, to `onError`. */
  readonly report: (error: unknown) => void;
}

/**
 * Generates the document of one call.
 *
 * @returns the document, or a complete response
 * @throws {Problem} to refuse the call, see `unknownTemplate`. A thrown `Response` is also sent. Any other error becomes a 500
 * without details.
 */
export type Produce<Context = void> = (
  order: Order<Context>,
) => Product | Response | Promise<Product | Response>;

/** Options for {@link createEndpoint}. */
export interface EndpointOptions<Context = void> {
  readonly authorize: Authorize<Context>;
  readonly produce: Produce<Context>;
  /** The maximum size of a request body in bytes. Default: {@link defaultMaxBodyBytes}, 1 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Called with any error thrown by `authorize` or `produce` that is not a {@link Problem}, and with the `cause` of each problem.
   * The response does not contain them. Not called once the caller has disconnected. Errors thrown by this callback are ignored.
   */
  readonly onError?:
    | ((error: unknown, request: Request, requestId: string, context: Context) => void)
    | undefined;
}

/** 1 MiB, in bytes. */
export const defaultMaxBodyBytes = 1_048_576;

/**
 * Creates the service's endpoint, `POST …/api/v1/templates/:uid/generate-sync`, under any path prefix.
 *
 * `authorize` runs before all checks of the body, so that callers without a key learn nothing about templates or limits. Refusals
 * are problem JSON (RFC 9457). A `Response` from `authorize` or `produce` is returned as is. Every response has a
 * new `x-request-id`, unless its headers cannot be changed.
 *
 * @returns a function that never rejects
 * @see spec, "Generate PDF from template" and "Authentication"; the specification lists no statuses for refusals
 */
export function createEndpoint<Context = void>(
  options: EndpointOptions<Context>,
): (request: Request, context: Context) => Promise<Response> {
  const { authorize, produce, maxBodyBytes = defaultMaxBodyBytes, onError } = withoutPrototype(options);

  async function answer(request: Request, requestId: string, context: Context): Promise<Response> {
    const target = targetOf(request);
    if (target === undefined) throw malformedRequest();
    const uid = uidOf(target.pathname);
    if (request.method !== "POST") {
      throw new Problem(405, `${request.method} is not available here. Send the template values with POST.`, {
        kind: "method-not-allowed",
        headers: { allow: "POST" },
      });
    }
    const refusal = await authorize(request, uid, context);
    if (refusal instanceof Problem) throw refusal;
    if (refusal !== undefined) return marked(refusal, requestId);
    checkJsonType(request.headers);
    const values = await readJsonObject(request, maxBodyBytes);
    const order: Order<Context> = {
      uid,
      values,
      request,
      signal: request.signal,
      context,
      report: (error) => report(error, request, requestId, context),
    };
    return marked(toResponse(await produce(order), uid), requestId);
  }

  function report(error: unknown, request: Request, requestId: string, context: Context): void {
    // Nobody receives the response, and most functions then fail for that reason.
    if (request.signal.aborted) return;
    // A failing log must not affect the response or the process. It may be asynchronous.
    callSafely(() => onError?.(error, request, requestId, context));
  }

  return async (request, context) => {
    const requestId = crypto.randomUUID();
    try {
      return await answer(request, requestId, context);
    } catch (error) {
      if (isInstance(error, Problem)) {
        if (Object.hasOwn(error, "cause")) report(error.cause, request, requestId, context);
        return forMethod(request.method, error.toResponse(requestId));
      }
      if (isResponse(error)) return marked(error, requestId);
      report(error, request, requestId, context);
      const problem = request.signal.aborted
        ? callerLeft()
        : new Problem(500, serverFault, { kind: "server-fault" });
      return problem.toResponse(requestId);
    }
  };
}

/** The end of the path of the endpoint. The group is the segment of the template. */
const endpointPath = /\/api\/v1\/templates\/([^/]*)\/generate-sync$/;

/** A prefix that already contains the client's path, which the service does not serve. */
const holdsEndpoint = /\/api\/v1\/templates(?:\/|$)|\/generate-sync$/;

/** Returns the percent-encoded template segment of a path, or `undefined` for other paths. */
export function uidSegmentOf(path: string): string | undefined {
  return endpointPath.exec(path)?.[1];
}

/** Reads the template uid, a percent-encoded segment, from a path that may have a prefix. */
function uidOf(path: string): string {
  const segment = uidSegmentOf(path);
  const prefix = path.slice(0, path.search(endpointPath));
  if (segment === undefined || holdsEndpoint.test(prefix)) {
    const detail =
      segment === undefined
        ? "This path does not exist. Call POST …/api/v1/templates/:uid/generate-sync."
        : "This path does not exist. Remove /api/v1 from `baseUrl`, because the client adds it.";
    throw new Problem(404, detail, { kind: "unknown-path" });
  }
  let uid: string;
  try {
    uid = decodeURIComponent(segment);
  } catch {
    const detail = "The template name in the path is not valid percent-encoding. Encode it as UTF-8.";
    throw new Problem(400, detail, { kind: "invalid-path" });
  }
  if (!isUid(uid)) {
    throw new Problem(
      404,
      "The template uid in the path is invalid. Use the uid of a template, or its name on this server.",
      { kind: "unknown-template" },
    );
  }
  return uid;
}

function marked(response: Response, requestId: string): Response {
  try {
    // The `Response` replacement of @hono/node-server drops headers that are set before its body is read.
    void response.body;
    response.headers.set("x-request-id", requestId);
  } catch {
    // The headers of redirects, network errors and `fetch` responses cannot be changed.
  }
  return response;
}

/** A response to HEAD has no body (RFC 9110, section 9.3.2). */
function forMethod(method: string, response: Response): Response {
  return method === "HEAD" ? new Response(null, response) : response;
}
