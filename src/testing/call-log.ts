/** How long `waitForCall` waits, unless told otherwise: less than test runners give a test, so that its error is told. */
const defaultWaitMs = 4_000;

/** Those of the moment of loading: a test that stops the clock still waits for its calls. */
const { setTimeout, clearTimeout } = globalThis;

/** Calls in the order in which they came, and whoever waits for one. */
export class CallLog<Call> {
  readonly all: Call[] = [];
  /** Each ends a wait if its call has come, or if there is a reason to wait no more. */
  readonly #waiting = new Set<(reason?: string) => void>();

  add(call: Call): void {
    this.all.push(call);
    for (const settle of this.#waiting) settle();
  }

  /** Resolves to call number `number`, counted from 1, as soon as it has come. */
  wait(number: number, timeoutMs = defaultWaitMs): Promise<Call> {
    const waiting = new Promise<Call>((resolve, reject) => {
      const settle = (reason?: string) => {
        const call = this.all[number - 1];
        if (call === undefined && reason === undefined) return;
        clearTimeout(timer);
        this.#waiting.delete(settle);
        if (call !== undefined) resolve(call);
        else reject(new Error(`Call number ${number} did not come ${reason}`));
      };
      const timer = setTimeout(() => {
        settle(
          `within ${timeoutMs} ms: the fake service has seen ${this.all.length} call(s) with a right key and readable values. ` +
            "See whether the code under test uses this service, and awaits what it starts.",
        );
      }, timeoutMs);
      this.#waiting.add(settle);
      settle();
    });
    // A test that failed before it awaited this has its own error, and no second one.
    waiting.catch(() => {});
    return waiting;
  }

  clear(): void {
    // The same list, which a test may hold.
    this.all.length = 0;
    for (const settle of this.#waiting) settle("before the fake service was reset.");
  }
}
