import { rejectWithCaller, resolveWithCaller } from "../errors/caller-stack.ts";

/** Somebody who waits for a result. */
type Reader<R> = (result: IteratorResult<R> | Promise<IteratorResult<R>>) => void;

/** A result that may hold an error. */
interface Rejectable {
  readonly error?: unknown;
}

/** Results until they are taken, whoever waits for them, and the end. */
export class ResultQueue<R extends Rejectable> {
  readonly #isOrdered: boolean;
  /** Called when a result was taken. */
  readonly #onTaken: () => void;
  readonly #ready: R[] = [];
  /** Of an ordered run: results whose turn it is not yet. */
  readonly #early = new Map<number, R>();
  #nextIndex = 0;
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
    if (this.#isOrdered) this.#early.set(index, result);
    else this.#ready.push(result);
    while (this.#early.has(this.#nextIndex)) this.#makeReady(this.#nextIndex++);
    this.#deliver();
  }

  /** No more results are added; `error` is thrown once everything was taken. */
  close(error: { readonly error: unknown } | undefined): void {
    this.#isClosed = true;
    this.#error = error;
    // Jobs that were given up have no results, so the turn of the others may not have come.
    for (const index of [...this.#early.keys()].sort((one, other) => one - other)) this.#makeReady(index);
    this.#deliver();
  }

  /** Drops what nobody wants any more. */
  clear(): void {
    this.#ready.length = 0;
    this.#early.clear();
    this.#error = undefined;
  }

  #makeReady(index: number): void {
    this.#ready.push(this.#early.get(index) as R);
    this.#early.delete(index);
  }

  #deliver(): void {
    while (this.#readers.length > 0) {
      const value = this.#ready.shift();
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
