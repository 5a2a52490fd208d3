import { useLayoutEffect, useReducer } from "preact/hooks";

/** A value that components show, and that changes outside of them. */
export class Store<T> {
  #value: T;
  readonly #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    if (value === this.#value) return;
    this.#value = value;
    for (const listener of this.#listeners) listener();
  }

  /** @returns a function to stop */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/** Returns the value of a store, and renders the component again when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [, update] = useReducer<number, void>((count) => count + 1, 0);
  const shown = store.value;
  useLayoutEffect(() => {
    // The value may have changed since the component was rendered.
    if (store.value !== shown) update();
    return store.subscribe(update);
  }, [store]);
  return shown;
}
