import { ConfigurationError } from "../index.ts";
import type { Jobs } from "./job.ts";

/** Pulls jobs one at a time, and closes their source at the end. */
export class JobSource<J> {
  readonly #begin: () => Iterator<J> | AsyncIterator<J>;
  #iterator: Iterator<J> | AsyncIterator<J> | undefined;
  #hasEnded = false;

  /** @throws {ConfigurationError} if the jobs are not iterable */
  constructor(jobs: Jobs<J>) {
    const { [Symbol.asyncIterator]: asynchronous, [Symbol.iterator]: synchronous } = Object(jobs);
    const begin = asynchronous ?? (typeof jobs === "string" ? undefined : synchronous);
    if (typeof begin !== "function") {
      throw new ConfigurationError(
        "Expected `jobs` to be an array, a generator or another iterable of { template, values }.",
      );
    }
    this.#begin = () => begin.call(jobs);
  }

  /** Returns the next job, or a promise for it if the source is asynchronous. */
  next(): IteratorResult<J> | Promise<IteratorResult<J>> {
    this.#iterator ??= this.#begin();
    const next = this.#iterator.next();
    // Asynchronous sources may use promises from another realm.
    return "then" in next ? Promise.resolve(next).then((result) => this.#read(result)) : this.#read(next);
  }

  /** Lets the source clean up, without waiting for it. Errors are ignored. */
  close(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    try {
      Promise.resolve(this.#iterator?.return?.()).catch(() => {});
    } catch {
      // As above.
    }
  }

  #read(result: IteratorResult<J>): IteratorResult<J> {
    if (result.done) this.#hasEnded = true;
    return result;
  }
}
