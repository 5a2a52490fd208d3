import type { Bytes } from "../../runtime/platform-types.ts";
import { toPlainBytes } from "../plain-bytes.ts";
import type { Step } from "./scripted-fault.ts";

/**
 * Does to an answer what a script says, as `fetch` would show it: a body that breaks off is an error of its stream,
 * and where not even a head comes, the answer is `Response.error()`.
 *
 * @param request - its signal is aborted when the caller has left, which ends every wait
 * @throws the signal's reason, when the caller leaves before there is an answer
 */
export async function playAsResponse(steps: readonly Step[], request: Request): Promise<Response> {
  const { signal } = request;
  const at = steps.findIndex((step) => step.do === "head");
  const head = steps[at];
  for (const step of steps.slice(0, at === -1 ? steps.length : at)) {
    if (step.do === "wait") await pause(step.ms, signal);
    if (step.do === "stall") await pause(undefined, signal);
  }
  if (head?.do !== "head") return Response.error();
  const { status, headers } = head;
  return new Response(bodyOf(steps.slice(at + 1), request), { status, headers });
}

/** Holds on to the request: when undici's is collected as garbage, its signal is never aborted. */
function bodyOf(steps: readonly Step[], request: Request): ReadableStream<Bytes> {
  const left = new AbortController();
  const leave = () => left.abort(request.signal.reason);
  if (request.signal.aborted) leave();
  else request.signal.addEventListener("abort", leave, { once: true });
  const pieces = piecesOf(steps, left.signal);
  const finish = () => request.signal.removeEventListener("abort", leave);
  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        try {
          const { done, value } = await pieces.next();
          if (!done) return controller.enqueue(value);
          controller.close();
        } catch (error) {
          controller.error(error);
        }
        finish();
      },
      cancel(reason) {
        finish();
        left.abort(reason);
      },
    },
    // Nothing is played before it is read: a pause is one between two pieces.
    { highWaterMark: 0 },
  );
}

async function* piecesOf(steps: readonly Step[], signal: AbortSignal): AsyncGenerator<Bytes, void, void> {
  for (const step of steps) {
    signal.throwIfAborted();
    switch (step.do) {
      case "write":
        if (step.bytes.length > 0) yield toPlainBytes(step.bytes);
        break;
      case "drip":
        for (let at = 0; at < step.bytes.length; at += step.pieceBytes) {
          if (at > 0) await pause(step.everyMs, signal);
          yield toPlainBytes(step.bytes.subarray(at, at + step.pieceBytes));
        }
        break;
      case "wait":
        await pause(step.ms, signal);
        break;
      case "stall":
        await pause(undefined, signal);
        break;
      case "end":
      case "reset":
        throw brokenOff(step.do);
    }
  }
}

/** What `fetch` says of a body that does not come to its end. */
function brokenOff(how: "end" | "reset"): TypeError {
  const cause =
    how === "end"
      ? Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" })
      : Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
  return new TypeError("terminated", { cause });
}

/** Waits so long, or, without a time, until the caller has left. */
function pause(ms: number | undefined, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", leave);
    };
    const leave = () => {
      finish();
      reject(signal.reason);
    };
    const goOn = () => {
      finish();
      resolve();
    };
    const timer = ms === undefined ? undefined : setTimeout(goOn, ms);
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave);
  });
}
