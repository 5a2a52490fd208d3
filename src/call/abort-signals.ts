import { Link, LinkedList } from "./linked-list.ts";

/** What is to hear of an abort. */
export interface AbortListener {
  onAbort(): void;
}

/** That somebody listens to a signal. */
export class AbortSubscription extends Link {
  readonly listener: AbortListener;
  readonly #hub: Hub;

  constructor(listener: AbortListener, hub: Hub) {
    super();
    this.listener = listener;
    this.#hub = hub;
  }

  /** Has the listener hear no more. */
  end(): void {
    this.#hub.remove(this);
  }
}

/** One listener per signal, however many calls share it: Node warns of a leak from eleven on. */
class Hub {
  readonly #signal: AbortSignal;
  readonly #subscriptions = new LinkedList<AbortSubscription>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  add(listener: AbortListener): AbortSubscription {
    if (this.#subscriptions.isEmpty) this.#signal.addEventListener("abort", this);
    const subscription = new AbortSubscription(listener, this);
    this.#subscriptions.add(subscription);
    return subscription;
  }

  remove(subscription: AbortSubscription): void {
    if (!this.#subscriptions.delete(subscription) || !this.#subscriptions.isEmpty) return;
    this.#signal.removeEventListener("abort", this);
  }

  handleEvent(): void {
    for (const { listener } of this.#subscriptions.members()) listener.onAbort();
  }
}

const hubs = new WeakMap<AbortSignal, Hub>();

/** Has `listener` hear when `signal` is aborted; a signal that is aborted already says nothing. */
export function listenToAbort(signal: AbortSignal, listener: AbortListener): AbortSubscription {
  let hub = hubs.get(signal);
  if (hub === undefined) {
    hub = new Hub(signal);
    hubs.set(signal, hub);
  }
  return hub.add(listener);
}

/** What a document is given up with when nobody says why. */
export function abortError(): DOMException {
  return new DOMException("The document was cancelled.", "AbortError");
}
