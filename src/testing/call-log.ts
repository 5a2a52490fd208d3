/** How long `waitForCall` waits, unless told otherwise: less than test runners give a test, so that its error is told. */
const defaultWaitMs = 4_000;

/** Those of the moment of loading: a test that stops the clock still waits for its calls. */
const { setTimeout, clearTimeout } = globalThis;

/** Calls in the order in which they came, and whoever waits for one. */
export class CallLog<Call> {
  readonly #calls: Call[] = [];
  readonly #waiting = new Set<{ readonly number: number; settle(call: Call | Error): void }>();

  get all(): readonly Call[] {
    return this.#calls;
  }

  add(call: Call): void {
    this.#calls.push(call);
    for (const { number, settle } of this.#waiting) if (number === this.#calls.length) settle(call);
  }

  /** Gives call number `number`, counted from 1, as soon as it has come. */
  wait(number: number, timeoutMs = defaultWaitMs): Promise<Call> {
    const known = this.#calls[number - 1];
    if (known) return Promise.resolve(known);
    const waiting = new Promise<Call>((resolve, reject) => {
      const waiter = {
        number,
        settle: (outcome: Call | Error) => {
          clearTimeout(timer);
          this.#waiting.delete(waiter);
          if (outcome instanceof Error) reject(outcome);
          else resolve(outcome);
        },
      };
      const timer = setTimeout(() => waiter.settle(this.#tooLate(number, timeoutMs)), timeoutMs);
      this.#waiting.add(waiter);
    });
    // A test that failed before it awaited this has its own error, and no second one.
    waiting.catch(() => {});
    return waiting;
  }

  clear(): void {
    // The same list, which a test may hold.
    this.#calls.length = 0;
    for (const { number, settle } of this.#waiting) {
      settle(new Error(`The fake service was reset while call number ${number} was waited for.`));
    }
  }

  #tooLate(number: number, timeoutMs: number): Error {
    const came = this.#calls.length === 1 ? "1 call" : `${this.#calls.length} calls`;
    return new Error(
      `Call number ${number} did not come within ${timeoutMs} ms: the fake service has seen ${came} with a right key and readable values. ` +
        "See whether the code under test uses this service, and awaits what it starts.",
    );
  }
}
