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
      if (step.do === "end" || step.do === "reset") throw interrupted(step.do);
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

/** What `fetch` throws for a body that does not come to its end. */
function interrupted(how: "end" | "reset"): TypeError {
  const cause =
    how === "end"
      ? Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" })
      : Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
  return new TypeError("terminated", { cause });
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
