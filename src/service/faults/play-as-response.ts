import { withoutPrototype } from "../../runtime/own-options.ts";
import type { Bytes } from "../../runtime/platform-types.ts";
import type { Step } from "./faults.ts";

/**
 * Plays a script as a `fetch` response. A truncated body fails its stream. A script that does not begin with headers becomes
 * `Response.error()`.
 *
 * @param request - if its signal is aborted, the body fails with the signal's reason
 */
export function playAsResponse(steps: readonly Step[], request: Request): Response {
  const [head, ...rest] = steps;
  return head?.do === "head" ? new Response(bodyOf(rest, request), withoutPrototype(head)) : Response.error();
}

function bodyOf(steps: readonly Step[], request: Request): ReadableStream<Bytes> {
  const left = steps.values();
  const cancelled = new AbortController();

  async function pull(controller: ReadableStreamDefaultController<Bytes>): Promise<void> {
    for (const step of left) {
      if (step.do === "end") throw fetchError("terminated", "other side closed", "UND_ERR_SOCKET");
      if (step.do === "reset") throw fetchError("terminated", "read ECONNRESET", "ECONNRESET");
      // Does not rely on the signal alone, because undici never aborts the signal of a garbage-collected request.
      if (step.do === "wait") await pause(step.ms, [request.signal, cancelled.signal]);
      if (step.do === "stall") await pause(undefined, [request.signal, cancelled.signal]);
      request.signal.throwIfAborted();
      if (step.do === "write" && step.bytes.length > 0) return controller.enqueue(toBytes(step.bytes));
    }
    controller.close();
  }

  // Steps run when they are read, so a pause is between two reads.
  return new ReadableStream({ pull, cancel: () => cancelled.abort() }, { highWaterMark: 0 });
}

/** Copies bytes for a `Response`. Strings are Latin-1. */
function toBytes(bytes: Uint8Array | string): Bytes {
  // Not `slice`, which does not copy a Buffer.
  return typeof bytes === "string"
    ? Uint8Array.from(bytes, (character) => character.charCodeAt(0))
    : new Uint8Array(bytes);
}

/** The error that `fetch` throws for a failed connection. */
export function fetchError(message: string, reason: string, code: string): TypeError {
  return new TypeError(message, { cause: Object.assign(new Error(reason), { code }) });
}

/** Waits for a time in milliseconds, or forever if it is `undefined`. Ends when one of the signals is aborted. */
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
