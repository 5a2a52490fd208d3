/** Runs an action on behalf of all callers. Calls made during a run share the next one. */
export class SharedTurns {
  readonly #work: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Resolves at the end of a run that begins after this call. */
  next(): Promise<void> {
    if (!this.#running) return this.#begin();
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      return this.#begin();
    });
    return this.#next;
  }

  #begin(): Promise<void> {
    const turn = this.#work();
    const end = () => {
      this.#running = undefined;
    };
    // Callers that wait for the next run do not receive this run's error.
    this.#running = turn.then(end, end);
    return turn;
  }
}
