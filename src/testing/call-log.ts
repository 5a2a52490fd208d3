/** The default timeout of `waitForCall`, below that of test runners, so that its error is reported. */
const defaultWaitMs = 4_000;

/** Captured on load, so that fake timers do not affect waiting for calls. */
const { setTimeout, clearTimeout } = globalThis;

/** The recorded calls, and the waits for calls. */
export class CallLog<Call> {
  readonly all: Call[] = [];
  /** Each function ends a wait if its call has arrived, or for a given reason. */
  readonly #waiting = new Set<(reason?: string) => void>();

  add(call: Call): void {
    this.all.push(call);
    for (const settle of this.#waiting) settle();
  }

  /** Resolves to call number `number`, counted from 1, when it arrives. */
  wait(number: number, timeoutMs = defaultWaitMs): Promise<Call> {
    const waiting = new Promise<Call>((resolve, reject) => {
      const settle = (reason?: string) => {
        const call = this.all[number - 1];
        if (call === undefined && reason === undefined) return;
        clearTimeout(timer);
        this.#waiting.delete(settle);
        if (call !== undefined) resolve(call);
        else reject(new Error(`Call number ${number} did not arrive ${reason}`));
      };
      const timer = setTimeout(() => {
        settle(
          `within ${timeoutMs} ms: the fake service has received ${this.all.length} call(s) with a valid key and readable values. ` +
            "Check that the code under test uses this service and awaits its calls.",
        );
      }, timeoutMs);
      this.#waiting.add(settle);
      settle();
    });
    // Prevents an unhandled rejection if a test fails before it awaits this.
    waiting.catch(() => {});
    return waiting;
  }

  clear(): void {
    // The list stays the same object, because a test may hold it.
    this.all.length = 0;
    for (const settle of this.#waiting) settle("before the fake service was reset.");
  }
}
