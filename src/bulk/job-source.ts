import { ConfigurationError } from "../index.ts";
import type { Jobs } from "./job.ts";

/** Where jobs come from: pulled one at a time, and told when no more are wanted. */
export class JobSource<J> {
  readonly #begin: () => Iterator<J> | AsyncIterator<J>;
  #iterator: Iterator<J> | AsyncIterator<J> | undefined;
  #hasEnded = false;

  /** @throws {ConfigurationError} when the jobs cannot be gone through */
  constructor(jobs: Jobs<J>) {
    const { [Symbol.asyncIterator]: asynchronous, [Symbol.iterator]: synchronous } = Object(jobs);
    const begin = asynchronous ?? (typeof jobs === "string" ? undefined : synchronous);
    if (typeof begin !== "function") {
      throw new ConfigurationError(
        "The jobs of a run have to be an array, a generator or another iterable of { template, values }.",
      );
    }
    this.#begin = () => begin.call(jobs);
  }

  /** Pulls the next job; a promise of it where the source is asynchronous. */
  next(): IteratorResult<J> | Promise<IteratorResult<J>> {
    this.#iterator ??= this.#begin();
    const next = this.#iterator.next();
    // Asynchronous ones need not use the promises of this realm.
    return "then" in next ? Promise.resolve(next).then((result) => this.#read(result)) : this.#read(next);
  }

  /** Lets the source clean up. It is not waited for, and what goes wrong there changes nothing any more. */
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
