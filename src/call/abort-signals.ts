/** Receives the abort of a signal. */
export interface AbortListener {
  handleEvent(): void;
}

/** The one event listener of a signal, however many calls share it: Node warns of a leak from eleven on. */
class SharedListener extends Set<AbortListener> {
  handleEvent(): void {
    for (const listener of this) listener.handleEvent();
  }
}

/** By the signal that was given: the target of an event may be another, to which that one forwards. */
const sharedListeners = new WeakMap<AbortSignal, SharedListener>();

/** Calls `listener` when `signal` is aborted; never if it is aborted already. */
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
