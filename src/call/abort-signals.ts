/** Receives the abort of a signal. */
export interface AbortListener {
  handleEvent(): void;
}

/** The single event listener of a signal, which all its calls share: Node warns of a leak from eleven listeners on. */
class SharedListener extends Set<AbortListener> {
  handleEvent(): void {
    for (const listener of this) listener.handleEvent();
  }
}

/** Keyed by the given signal: the target of its event may be another signal. */
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

/** The default reason for cancelling a document. */
export function abortError(): DOMException {
  return new DOMException("The document was cancelled.", "AbortError");
}
