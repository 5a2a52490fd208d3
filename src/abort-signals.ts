/** What is to hear of an abort. */
export interface AbortListener {
  onAbort(): void;
}

/** One listener per signal, however many calls share it: Node warns of a leak from eleven on. */
class Hub {
  readonly #signal: AbortSignal;
  readonly #listeners = new Set<AbortListener>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  add(listener: AbortListener): void {
    if (this.#listeners.size === 0) this.#signal.addEventListener("abort", this);
    this.#listeners.add(listener);
  }

  remove(listener: AbortListener): void {
    if (!this.#listeners.delete(listener)) return;
    if (this.#listeners.size === 0) this.#signal.removeEventListener("abort", this);
  }

  handleEvent(): void {
    for (const listener of [...this.#listeners]) listener.onAbort();
  }
}

const hubs = new WeakMap<AbortSignal, Hub>();

/** Has `listener` hear when `signal` is aborted; a signal that is aborted already says nothing. */
export function listenToAbort(signal: AbortSignal, listener: AbortListener): void {
  let hub = hubs.get(signal);
  if (hub === undefined) {
    hub = new Hub(signal);
    hubs.set(signal, hub);
  }
  hub.add(listener);
}

/** Has `listener` hear no more. */
export function forgetAbort(signal: AbortSignal, listener: AbortListener): void {
  hubs.get(signal)?.remove(listener);
}

/** What a document is given up with when nobody says why. */
export function abortError(): DOMException {
  return new DOMException("The document was cancelled.", "AbortError");
}
