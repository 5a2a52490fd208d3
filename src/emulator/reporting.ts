import { callSafely } from "../errors/foreign-values.ts";
import { uidSegmentOf } from "../service/endpoint.ts";
import { isDropped } from "../service/listen.ts";
import { faultOf } from "./misbehaviour.ts";
import { warningOf } from "./templates.ts";

/** A call to log. It contains neither the API key nor values, but `detail` may contain property names. */
export interface Call {
  /** The method of the request. */
  readonly method: string;
  /** The path, percent-encoded. */
  readonly path: string;
  /** The requested template, if the path names one. */
  readonly uid: string | undefined;
  /** The status of the response; 0 if a fault closed the connection or the caller disconnected before a response. */
  readonly status: number;
  /** The size of the document in bytes; 0 if none was sent completely. */
  readonly bytes: number;
  /** The time from the request headers to the response headers, in milliseconds. */
  readonly durationMs: number;
  /**
   * The message of an error response, the simulated fault, or a warning about text and pictures that the document does not show.
   */
  readonly detail: string | undefined;
  /** The `x-request-id` of the response. */
  readonly requestId: string | undefined;
}

/** Responds to a request and never rejects. */
export type Answer = (request: Request) => Promise<Response>;

/** Reports every call to an endpoint to `onCall`. */
export function reporting(answer: Answer, onCall: (call: Call, request: Request) => void): Answer {
  return async (request) => {
    const startedAt = performance.now();
    const response = await answer(request);
    const call = await describe(request, response, performance.now() - startedAt);
    // A failing log must not affect the response or the process. It may be asynchronous.
    callSafely(() => onCall(call, request));
    return response;
  };
}

async function describe(request: Request, response: Response, durationMs: number): Promise<Call> {
  // The target of a refused request may be malformed.
  const path = URL.canParse(request.url) ? new URL(request.url).pathname : "";
  const isDocument = response.headers.get("content-type") === "application/pdf";
  const isWhole = isDocument && faultOf(request) === undefined && !request.signal.aborted;
  return {
    method: request.method,
    path,
    uid: uidOf(path),
    status: isDropped(response) || request.signal.aborted ? 0 : response.status,
    bytes: isWhole ? Number(response.headers.get("content-length")) : 0,
    durationMs,
    detail: await detailOf(request, response),
    requestId: response.headers.get("x-request-id") ?? undefined,
  };
}

async function detailOf(request: Request, response: Response): Promise<string | undefined> {
  const fault = faultOf(request);
  if (fault !== undefined) return `fault: ${fault}`;
  if (request.signal.aborted) return "the caller disconnected";
  const warning = warningOf(request);
  if (warning !== undefined) return warning;
  // The response does not contain internal errors, which `onError` receives.
  const isRefusal = response.headers.get("content-type") === "application/problem+json";
  if (!isRefusal || response.status === 500 || response.body === null) return undefined;
  const { detail }: { detail?: string } = await response.clone().json();
  return detail;
}

/** Requests that the endpoint refuses, for example with an invalid uid, have no template. */
function uidOf(path: string): string | undefined {
  const segment = uidSegmentOf(path);
  try {
    return segment ? decodeURIComponent(segment) : undefined;
  } catch {
    return undefined;
  }
}
