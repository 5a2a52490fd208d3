/** Forwards pushed items to one reader, until the reader stops. */
export class Feed<T> implements AsyncIterableIterator<T> {
  readonly #items: T[] = [];
  #isEnded = false;
  #wake = () => {};

  push(item: T): void {
    this.#items.push(item);
    this.#wake();
  }

  async next(): Promise<IteratorResult<T>> {
    while (this.#items.length === 0 && !this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const item = this.#items.shift();
    return item === undefined ? { done: true, value: undefined } : { done: false, value: item };
  }

  async return(): Promise<IteratorResult<T>> {
    this.#isEnded = true;
    this.#wake();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
