import { callSafely } from "../errors/foreign-values.ts";

/** Is notified when a signal is aborted. */
export interface AbortListener {
  handleEvent(): void;
}

/**
 * The single event listener that all calls with the same signal share. With more than ten listeners, Node would warn about a
 * leak.
 */
class SharedListener extends Set<AbortListener> {
  handleEvent(): void {
    // A listener that fails must not keep the others waiting.
    for (const listener of this) callSafely(() => listener.handleEvent());
  }
}

/** Keyed by the given signal, because the event's target may be another signal. */
const sharedListeners = new WeakMap<AbortSignal, SharedListener>();

/** Calls `listener` when `signal` is aborted. Does nothing if it is already aborted. */
export function listenToAbort(signal: AbortSignal, listener: AbortListener): void {
  const shared = sharedListeners.get(signal) ?? new SharedListener();
  if (shared.size === 0) {
    sharedListeners.set(signal, shared);
    signal.addEventListener("abort", shared);
  }
  shared.add(listener);
}

export function stopListening(signal: AbortSignal, listener: AbortListener): void {
  const shared = sharedListeners.get(signal);
  if (shared?.delete(listener) && shared.size === 0) signal.removeEventListener("abort", shared);
}

/** Returns the reason for which a signal was aborted. The signals of some versions of React Native have none. */
export function abortReasonOf({ reason }: AbortSignal): unknown {
  return reason === undefined ? abortError() : reason;
}

/** The default reason for cancelling a document. React Native has no `DOMException`. */
export function abortError(): Error {
  const message = "The document was cancelled.";
  if (typeof DOMException !== "undefined") return new DOMException(message, "AbortError");
  return Object.assign(new Error(message), { name: "AbortError" });
}
