/** Does something for all that ask for it: who asks during a turn shares the next one with the others. */
export class SharedTurns {
  readonly #work: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Resolves at the end of a turn that begins after this call. */
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
    // Who waits for the next turn does not get the error of this one.
    this.#running = turn.then(end, end);
    return turn;
  }
}
