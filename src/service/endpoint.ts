import { isUid } from "../request/url.ts";
import { checkJsonType, readJsonObject } from "./json-body.ts";
import { Problem, serverFault } from "./problem.ts";
import { isResponse, type Product, toResponse } from "./to-response.ts";

/**
 * Decides whether a call may pass, before its body is read.
 *
 * @param request - the call; its body must be left alone
 * @param uid - the template asked for, decoded
 * @param context - what the endpoint was called with in addition to the request
 * @returns `undefined` to let it pass; or the refusal to answer with, which may be a whole answer
 */
export type Authorize<Context = void> = (
  request: Request,
  uid: string,
  context: Context,
) => Refusal | Promise<Refusal>;

type Refusal = Problem | Response | undefined;

/** One checked call, as `produce` gets it. */
export interface Order<Context = void> {
  /** The template asked for, decoded: not empty, no control characters, but any other character, `/` included. */
  readonly uid: string;
  /** The template values, as they came: one JSON object. */
  readonly values: Record<string, unknown>;
  /** The call itself; its body is read already. */
  readonly request: Request;
  /** Aborted when the caller goes away, where the server tells. */
  readonly signal: AbortSignal;
  /** What the endpoint was called with in addition to the request. */
  readonly context: Context;
  /** Tells `onError` of what fails later than `produce`, such as a stream. */
  readonly report: (error: unknown) => void;
}

/**
 * Makes the document of one call.
 *
 * @returns the document; or, where something else is to be sent on purpose, the whole answer as it is to be
 * @throws {Problem} to refuse the call with that answer, see `unknownTemplate`; a `Response` thrown is the answer, too.
 *   Anything else thrown is answered with a bare 500.
 */
export type Produce<Context = void> = (
  order: Order<Context>,
) => Product | Response | Promise<Product | Response>;

/** What {@link createEndpoint} takes. */
export interface EndpointOptions<Context = void> {
  readonly authorize: Authorize<Context>;
  readonly produce: Produce<Context>;
  /** The most a request body may measure, in bytes. Default: {@link defaultMaxBodyBytes}, 1 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Receives what `authorize` or `produce` threw unless it is a {@link Problem}, and the cause of a problem. None of it is in
   * the response. What it throws itself is ignored.
   */
  readonly onError?:
    | ((error: unknown, request: Request, requestId: string, context: Context) => void)
    | undefined;
}

/** 1 MiB, in bytes. */
export const defaultMaxBodyBytes = 1_048_576;

/**
 * Builds the service's one endpoint, `POST …/api/v1/templates/:uid/generate-sync`, below any path.
 *
 * `authorize` comes before all checks of the body, so that a caller without a key learns nothing about templates or
 * limits. Refusals are problem JSON (RFC 9457). A `Response` of `authorize` or `produce` is returned as the same object.
 * Every response has a new `x-request-id`, unless its headers cannot be changed.
 *
 * @returns a function that never rejects
 * @see spec, "Generate PDF from template" and "Authentication"; the spec shows no statuses of refusals
 */
export function createEndpoint<Context = void>(
  options: EndpointOptions<Context>,
): (request: Request, context: Context) => Promise<Response> {
  const { authorize, produce, maxBodyBytes = defaultMaxBodyBytes, onError } = options;

  async function answer(request: Request, requestId: string, context: Context): Promise<Response> {
    const uid = uidOf(new URL(request.url).pathname);
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
    // A broken log must not cost the caller the answer, nor the process its life: it may be asynchronous.
    new Promise((resolve) => resolve(onError?.(error, request, requestId, context))).catch(() => {});
  }

  return async (request, context) => {
    const requestId = crypto.randomUUID();
    try {
      return await answer(request, requestId, context);
    } catch (error) {
      if (error instanceof Problem) {
        if ("cause" in error) report(error.cause, request, requestId, context);
        return forMethod(request.method, error.toResponse(requestId));
      }
      if (isResponse(error)) return marked(error, requestId);
      // The caller left, and `produce` stopped for that reason: nobody is wrong.
      if (!request.signal.aborted || error !== request.signal.reason)
        report(error, request, requestId, context);
      return new Problem(500, serverFault, { kind: "server-fault" }).toResponse(requestId);
    }
  };
}

/** How the path of the endpoint ends; the group is the segment that names a template. */
const endpointPath = /\/api\/v1\/templates\/([^/]*)\/generate-sync$/;

/** A prefix that the client's own path was already in: the service itself has nothing there. */
const holdsEndpoint = /\/api\/v1\/templates(?:\/|$)|\/generate-sync$/;

/** The segment of a path that names a template, still percent-encoded; `undefined` where the path is another one. */
export function uidSegmentOf(path: string): string | undefined {
  return endpointPath.exec(path)?.[1];
}

/** Reads the template's uid, one percent-encoded segment, from a path that may carry a prefix. */
function uidOf(path: string): string {
  const segment = uidSegmentOf(path);
  const prefix = path.slice(0, path.search(endpointPath));
  if (segment === undefined || holdsEndpoint.test(prefix)) {
    const detail =
      segment === undefined
        ? "There is nothing at this path. Call POST …/api/v1/templates/:uid/generate-sync."
        : "There is nothing at this path. End `baseUrl` before /api/v1: the client adds that itself.";
    throw new Problem(404, detail, { kind: "unknown-path" });
  }
  let uid: string;
  try {
    uid = decodeURIComponent(segment);
  } catch {
    const detail = "The name of the template in the path is not valid percent-encoding. Encode it as UTF-8.";
    throw new Problem(400, detail, { kind: "invalid-path" });
  }
  if (!isUid(uid)) {
    throw new Problem(
      404,
      "The path names no template that could exist. Put the template's uid, or the name it has here, in its place.",
      { kind: "unknown-template" },
    );
  }
  return uid;
}

function marked(response: Response, requestId: string): Response {
  try {
    // The `Response` that @hono/node-server puts in the place of the global one forgets what is set before its body is asked for.
    void response.body;
    response.headers.set("x-request-id", requestId);
  } catch {
    // Those of a redirect, a network error or what `fetch` brought cannot be changed.
  }
  return response;
}

/** An answer to HEAD has no body (RFC 9110, section 9.3.2). */
function forMethod(method: string, response: Response): Response {
  return method === "HEAD" ? new Response(null, response) : response;
}
