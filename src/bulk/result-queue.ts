import { rejectWithCaller, resolveWithCaller } from "../errors/caller-stack.ts";

/** Somebody who waits for a result. */
type Reader<R> = (result: IteratorResult<R> | Promise<IteratorResult<R>>) => void;

/** A result that may hold an error. */
interface Rejectable {
  readonly error?: unknown;
}

/** Results until they are taken, whoever waits for them, and the end. */
export class ResultQueue<R extends Rejectable> {
  readonly #outbox: Outbox<R>;
  /** Called when a result was taken. */
  readonly #onTaken: () => void;
  readonly #readers: Reader<R>[] = [];
  #isClosed = false;
  /** What is thrown, once, when everything was taken. */
  #error: { readonly error: unknown } | undefined;

  /** @param isOrdered - whether they are given in the order of their jobs, and not as they come */
  constructor(isOrdered: boolean, onTaken: () => void) {
    this.#outbox = isOrdered ? new OrderedOutbox() : new UnorderedOutbox();
    this.#onTaken = onTaken;
  }

  next(): Promise<IteratorResult<R>> {
    return new Promise((resolve) => {
      this.#readers.push(resolve);
      this.#deliver();
    });
  }

  add(index: number, result: R): void {
    if (this.#isClosed) return;
    this.#outbox.add(index, result);
    this.#deliver();
  }

  /** Nothing comes any more; `error` is thrown once everything was taken. */
  close(error: { readonly error: unknown } | undefined): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#error = error;
    this.#outbox.end();
    this.#deliver();
  }

  /** Drops what nobody wants any more. */
  clear(): void {
    this.#outbox.clear();
    this.#error = undefined;
  }

  #deliver(): void {
    while (this.#readers.length > 0) {
      const value = this.#outbox.take();
      if (value === undefined) break;
      this.#onTaken();
      const resolve = this.#readers.shift() as Reader<R>;
      if (value.error === undefined) resolve({ done: false, value });
      else resolveWithCaller(resolve, value.error, { done: false, value });
    }
    if (!this.#isClosed) return;
    for (const resolve of this.#readers.splice(0)) {
      const thrown = this.#error;
      this.#error = undefined;
      if (thrown) rejectWithCaller(resolve, thrown.error);
      else resolve({ done: true, value: undefined });
    }
  }
}

interface Outbox<R> {
  add(index: number, result: R): void;
  /** Takes the next result, if there is one whose turn it is. */
  take(): R | undefined;
  /** Hears that no more come, so that nothing is to be waited for. */
  end(): void;
  clear(): void;
}

class UnorderedOutbox<R> implements Outbox<R> {
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

class OrderedOutbox<R> implements Outbox<R> {
  readonly #results = new Map<number, R>();
  #nextIndex = 0;
  /** The places of what is left, once there are no more: of jobs that were given up there are no results. */
  #left: number[] | undefined;

  add(index: number, result: R): void {
    this.#results.set(index, result);
  }

  take(): R | undefined {
    const index = this.#left ? this.#left.pop() : this.#nextIndex;
    const result = index === undefined ? undefined : this.#results.get(index);
    if (index === undefined || result === undefined) return undefined;
    this.#results.delete(index);
    this.#nextIndex = index + 1;
    return result;
  }

  end(): void {
    this.#left = [...this.#results.keys()].sort((one, other) => other - one);
  }

  clear(): void {
    this.#results.clear();
    this.#left = undefined;
  }
}
