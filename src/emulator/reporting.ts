import { uidSegmentOf } from "../service/endpoint.ts";
import { isDropped } from "../service/listen.ts";
import { faultOf } from "./misbehaviour.ts";
import type { Call } from "./options.ts";

type Answer = (request: Request) => Promise<Response>;

/** Tells `onCall` of every call that an endpoint has answered. */
export function reporting(answer: Answer, onCall: (call: Call) => void): Answer {
  return async (request) => {
    const startedAt = performance.now();
    const response = await answer(request);
    const durationMs = performance.now() - startedAt;
    const detail = await detailOf(request, response);
    // A broken log must not cost the caller the answer, nor the process its life: it may be asynchronous.
    new Promise<void>((resolve) => resolve(onCall(describe(request, response, durationMs, detail)))).catch(
      () => {},
    );
    return response;
  };
}

function describe(
  request: Request,
  response: Response,
  durationMs: number,
  detail: string | undefined,
): Call {
  const path = new URL(request.url).pathname;
  const isDocument = response.headers.get("content-type") === "application/pdf";
  return {
    method: request.method,
    path,
    uid: uidOf(path),
    status: isDropped(response) || request.signal.aborted ? 0 : response.status,
    bytes: isDocument && faultOf(request) === undefined ? Number(response.headers.get("content-length")) : 0,
    durationMs,
    detail,
    requestId: response.headers.get("x-request-id") ?? undefined,
  };
}

async function detailOf(request: Request, response: Response): Promise<string | undefined> {
  const fault = faultOf(request);
  if (fault !== undefined) return `fault: ${fault}`;
  if (request.signal.aborted) return "the caller left";
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
