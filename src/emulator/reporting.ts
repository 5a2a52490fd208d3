import { uidSegmentOf } from "../service/endpoint.ts";
import { isDropped } from "../service/listen.ts";
import { faultOf } from "./misbehaviour.ts";
import { warningOf } from "./templates.ts";

/** A completed call, for logging. It contains no API key and no values; `detail` may contain property names of the values. */
export interface Call {
  /** The method of the request. */
  readonly method: string;
  /** The path of the request, percent-encoded. */
  readonly path: string;
  /** The uid of the requested template, if the path contains one. */
  readonly uid: string | undefined;
  /** The status of the response; 0 if none was sent, because a fault closed the connection or the caller disconnected. */
  readonly status: number;
  /** The size of the document in bytes; 0 if no complete document was sent. */
  readonly bytes: number;
  /** The time from the request headers to the response headers, in milliseconds. */
  readonly durationMs: number;
  /** The message of a refusal, the simulated fault, or the characters that the fonts of the document lack. */
  readonly detail: string | undefined;
  /** The `x-request-id` of the response. */
  readonly requestId: string | undefined;
}

/** Handles a request; never rejects. */
export type Answer = (request: Request) => Promise<Response>;

/** Reports every call of an endpoint to `onCall`. */
export function reporting(answer: Answer, onCall: (call: Call, request: Request) => void): Answer {
  return async (request) => {
    const startedAt = performance.now();
    const response = await answer(request);
    const call = await describe(request, response, performance.now() - startedAt);
    // A failing `onCall`, which may be asynchronous, must not affect the response or end the process.
    new Promise<void>((resolve) => resolve(onCall(call, request))).catch(() => {});
    return response;
  };
}

async function describe(request: Request, response: Response, durationMs: number): Promise<Call> {
  const path = new URL(request.url).pathname;
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
  if (request.signal.aborted) return "the caller left";
  const warning = warningOf(request);
  if (warning !== undefined) return warning;
  // The response contains no details of internal errors; `onError` has received them.
  const isRefusal = response.headers.get("content-type") === "application/problem+json";
  if (!isRefusal || response.status === 500 || response.body === null) return undefined;
  const { detail }: { detail?: string } = await response.clone().json();
  return detail;
}

/** Returns `undefined` for a path that the endpoint refuses, for example because of a malformed uid. */
function uidOf(path: string): string | undefined {
  const segment = uidSegmentOf(path);
  try {
    return segment ? decodeURIComponent(segment) : undefined;
  } catch {
    return undefined;
  }
}
