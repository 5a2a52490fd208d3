import type { AbortListener } from "./abort-signals.ts";

/** What browsers load in place of `abort-signals.ts`: they do not warn of many listeners. */
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
