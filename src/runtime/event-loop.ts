/** The number of steps after which the event loop gets a turn. */
const stepsPerTurn = 1000;

/** The timer of the runtime, not a fake one that a test installs later. A function call, so that bundlers can remove it. */
const setRealTimeout = /* @__PURE__ */ (() => globalThis.setTimeout)();

/**
 * Gives the event loop a turn now and then in a loop over a source that may always be ready. Without a turn,
 * promises run one after another for ever: no timeout, signal or socket event arrives.
 */
export class EventLoopTurns {
  #steps = 0;

  /** Counts a step. Returns a promise to await before the next step, or `undefined` if there is no need to wait. */
  next(): Promise<void> | undefined {
    this.#steps++;
    if (this.#steps < stepsPerTurn) return undefined;
    this.#steps = 0;
    return new Promise((resolve) => setRealTimeout(resolve, 0));
  }
}
