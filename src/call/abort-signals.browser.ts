import type { AbortListener } from "./abort-signals.ts";

/** The browser variant of `abort-signals.ts`: browsers do not warn about many listeners. */
export function listenToAbort(signal: AbortSignal, listener: AbortListener): void {
  signal.addEventListener("abort", listener);
}

export function stopListening(signal: AbortSignal, listener: AbortListener): void {
  signal.removeEventListener("abort", listener);
}

/** The default reason for cancelling a document. */
export function abortError(): DOMException {
  return new DOMException("The document was cancelled.", "AbortError");
}
