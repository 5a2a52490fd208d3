import { rejectWithCaller, resolveWithCaller } from "../errors/caller-stack.ts";

/** Somebody who waits for a result. */
type Reader<R> = (result: IteratorResult<R> | Promise<IteratorResult<R>>) => void;

/** Results until they are taken, whoever waits for them, and the end. */
export class ResultQueue<R extends { readonly error?: unknown }> {
  readonly #isOrdered: boolean;
  /** Called when a result was taken. */
  readonly #onTaken: () => void;
  /** By their turn: of an ordered run the index of the job, else the order in which they come. */
  readonly #results = new Map<number, R>();
  #addedCount = 0;
  #turn = 0;
  readonly #readers: Reader<R>[] = [];
  #isClosed = false;
  /** What is thrown, once, when everything was taken. */
  #error: { readonly error: unknown } | undefined;

  /** @param isOrdered - whether they are returned in the order of their jobs, and not as they come */
  constructor(isOrdered: boolean, onTaken: () => void) {
    this.#isOrdered = isOrdered;
    this.#onTaken = onTaken;
  }

  next(): Promise<IteratorResult<R>> {
    return new Promise((resolve) => {
      this.#readers.push(resolve);
      this.#deliver();
    });
  }

  add(index: number, result: R): void {
    this.#results.set(this.#isOrdered ? index : this.#addedCount++, result);
    this.#deliver();
  }

  /** No more results are added; `error` is thrown once everything was taken. */
  close(error: { readonly error: unknown } | undefined): void {
    this.#isClosed = true;
    this.#error = error;
    this.#deliver();
  }

  /** Drops what nobody wants any more. */
  clear(): void {
    this.#results.clear();
    this.#turn = Math.max(this.#turn, this.#addedCount);
    this.#error = undefined;
  }

  #deliver(): void {
    for (let value = this.#first(); value && this.#readers.length > 0; value = this.#first()) {
      this.#results.delete(this.#turn++);
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

  /** The result whose turn it is. */
  #first(): R | undefined {
    // Jobs that were given up have no results: nobody waits for their turn in the end.
    while (this.#isClosed && this.#results.size > 0 && !this.#results.has(this.#turn)) this.#turn++;
    return this.#results.get(this.#turn);
  }
}
