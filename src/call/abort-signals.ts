/** Receives the abort of a signal. */
export interface AbortListener {
  onAbort(): void;
}

/** One event listener per signal, however many calls share it: Node warns of a leak from eleven on. */
const listenersOf = new WeakMap<AbortSignal, Set<AbortListener>>();

/** Calls `listener` when `signal` is aborted; never if it is aborted already. */
export function listenToAbort(signal: AbortSignal, listener: AbortListener): void {
  const listeners = listenersOf.get(signal) ?? new Set();
  if (listeners.size === 0) {
    listenersOf.set(signal, listeners);
    signal.addEventListener("abort", reportAbort);
  }
  listeners.add(listener);
}

export function stopListening(signal: AbortSignal, listener: AbortListener): void {
  const listeners = listenersOf.get(signal);
  if (listeners?.delete(listener) && listeners.size === 0) signal.removeEventListener("abort", reportAbort);
}

function reportAbort({ currentTarget }: Event): void {
  for (const listener of listenersOf.get(currentTarget as AbortSignal) ?? []) listener.onAbort();
}

/** The default reason for cancelling a document. */
export function abortError(): DOMException {
  return new DOMException("The document was cancelled.", "AbortError");
}
