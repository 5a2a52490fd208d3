/** Results until they are taken: in the order in which they came, or in that of their jobs. */
export interface Outbox<R> {
  add(index: number, result: R): void;
  /** Takes the next result, if there is one whose turn it is. */
  take(): R | undefined;
  /** Hears that no more come, so that nothing is to be waited for. */
  end(): void;
  /** Drops what nobody wants any more. */
  clear(): void;
}

/** Gives results as they come. */
export class UnorderedOutbox<R> implements Outbox<R> {
  readonly #results: R[] = [];

  add(_index: number, result: R): void {
    this.#results.push(result);
  }

  take(): R | undefined {
    return this.#results.shift();
  }

  end(): void {}

  clear(): void {
    this.#results.length = 0;
  }
}

/** Gives results in the order of their jobs. */
export class OrderedOutbox<R> implements Outbox<R> {
  readonly #results = new Map<number, R>();
  #nextIndex = 0;
  #hasEnded = false;

  add(index: number, result: R): void {
    this.#results.set(index, result);
  }

  take(): R | undefined {
    // Of jobs that were given up there are no results: what is left is all there will be.
    if (this.#hasEnded && this.#results.size > 0) this.#nextIndex = Math.min(...this.#results.keys());
    const result = this.#results.get(this.#nextIndex);
    if (result === undefined) return undefined;
    this.#results.delete(this.#nextIndex++);
    return result;
  }

  end(): void {
    this.#hasEnded = true;
  }

  clear(): void {
    this.#results.clear();
  }
}
