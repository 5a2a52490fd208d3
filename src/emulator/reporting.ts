import { uidSegmentOf } from "../service/endpoint.ts";
import { isDropped } from "../service/listen.ts";
import { faultOf } from "./misbehaviour.ts";
import { warningOf } from "./templates.ts";

/** One call that was answered, for a log. It holds no key and no value; `detail` may name members of the values. */
export interface Call {
  /** The method of the request. */
  readonly method: string;
  /** The path as it came, percent-encoded. */
  readonly path: string;
  /** The template asked for, where the path names one. */
  readonly uid: string | undefined;
  /** The status of the answer; 0 where there was none: the connection was dropped on purpose, or the caller left. */
  readonly status: number;
  /** How large the document is, in bytes; 0 where none was sent whole. */
  readonly bytes: number;
  /** From the request's head to the answer's, in milliseconds. */
  readonly durationMs: number;
  /** What a refusal said, the fault that was asked for, or which characters of the document its fonts lack. */
  readonly detail: string | undefined;
  /** The `x-request-id` of the answer. */
  readonly requestId: string | undefined;
}

/** Answers a request, and never rejects. */
export type Answer = (request: Request) => Promise<Response>;

/** Tells `onCall` of every call that an endpoint has answered. */
export function reporting(answer: Answer, onCall: (call: Call, request: Request) => void): Answer {
  return async (request) => {
    const startedAt = performance.now();
    const response = await answer(request);
    const call = await describe(request, response, performance.now() - startedAt);
    // A broken log must not cost the caller the answer, nor the process its life: it may be asynchronous.
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
  // Of what lies on this side the answer says nothing; `onError` has been told.
  const isRefusal = response.headers.get("content-type") === "application/problem+json";
  if (!isRefusal || response.status === 500 || response.body === null) return undefined;
  const { detail }: { detail?: string } = await response.clone().json();
  return detail;
}

/** What the endpoint has refused, such as a uid that cannot be decoded, names none here. */
function uidOf(path: string): string | undefined {
  const segment = uidSegmentOf(path);
  try {
    return segment ? decodeURIComponent(segment) : undefined;
  } catch {
    return undefined;
  }
}
