import { rejectWithCaller, resolveWithCaller } from "../errors/caller-stack.ts";

/** A reader that is waiting for a result. */
type Reader<R> = (result: IteratorResult<R> | Promise<IteratorResult<R>>) => void;

/** A queue of results, their waiting readers, and the end of the run. */
export class ResultQueue<R extends { readonly error?: unknown }> {
  readonly #isOrdered: boolean;
  /** Called when a result has been taken. */
  readonly #onTaken: () => void;
  /** Results by position: the index of the job in an ordered run, otherwise the order of completion. */
  readonly #results = new Map<number, R>();
  #addedCount = 0;
  #turn = 0;
  readonly #readers: Reader<R>[] = [];
  #isClosed = false;
  /** The error to throw once, after the last result. */
  #error: { readonly error: unknown } | undefined;

  /** @param isOrdered - whether results are returned in the order of their jobs instead of the order of completion */
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

  /** Ends the queue. `error` is thrown after the last result. */
  close(error: { readonly error: unknown } | undefined): void {
    this.#isClosed = true;
    this.#error = error;
    this.#deliver();
  }

  /** Drops unread results. */
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

  /** Returns the next result. */
  #first(): R | undefined {
    // Cancelled jobs have no results, so their positions are skipped at the end.
    while (this.#isClosed && this.#results.size > 0 && !this.#results.has(this.#turn)) this.#turn++;
    return this.#results.get(this.#turn);
  }
}
