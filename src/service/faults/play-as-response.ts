import type { Bytes } from "../../runtime/platform-types.ts";
import type { Step } from "./fault-script.ts";

/**
 * Plays a script as `fetch` shows it. A truncated body is an error of its stream; a script that does not begin with
 * headers is `Response.error()`.
 *
 * @param request - if its signal is aborted, the body fails with the signal's reason
 */
export function playAsResponse(steps: readonly Step[], request: Request): Response {
  const [head, ...rest] = steps;
  return head?.do === "head" ? new Response(bodyOf(rest, request), head) : Response.error();
}

function bodyOf(steps: readonly Step[], request: Request): ReadableStream<Bytes> {
  const left = steps.values();
  const cancelled = new AbortController();

  async function pull(controller: ReadableStreamDefaultController<Bytes>): Promise<void> {
    for (const step of left) {
      if (step.do === "end") throw fetchError("terminated", "other side closed", "UND_ERR_SOCKET");
      if (step.do === "reset") throw fetchError("terminated", "read ECONNRESET", "ECONNRESET");
      // Not the signal alone: when undici's request is collected as garbage, its signal is never aborted.
      if (step.do === "wait") await pause(step.ms, [request.signal, cancelled.signal]);
      if (step.do === "stall") await pause(undefined, [request.signal, cancelled.signal]);
      request.signal.throwIfAborted();
      if (step.do === "write" && step.bytes.length > 0) return controller.enqueue(toBytes(step.bytes));
    }
    controller.close();
  }

  // Nothing is played before it is read: a pause is one between two pieces.
  return new ReadableStream({ pull, cancel: () => cancelled.abort() }, { highWaterMark: 0 });
}

/** Copies bytes into memory of their own, as a `Response` takes them. Text stands for Latin-1. */
function toBytes(bytes: Uint8Array | string): Bytes {
  // Not `slice`: of a Buffer that would be no copy.
  return typeof bytes === "string"
    ? Uint8Array.from(bytes, (character) => character.charCodeAt(0))
    : new Uint8Array(bytes);
}

/** Makes the error that `fetch` throws for a connection that fails. */
export function fetchError(message: string, reason: string, code: string): TypeError {
  return new TypeError(message, { cause: Object.assign(new Error(reason), { code }) });
}

/** Waits for a time in milliseconds, `undefined` for ever; ends as soon as one of the signals is aborted. */
export function pause(ms: number | undefined, signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = ms === undefined ? undefined : setTimeout(finish, ms);
    for (const signal of signals) signal.addEventListener("abort", finish);
    if (signals.some(({ aborted }) => aborted)) finish();
  });
}
