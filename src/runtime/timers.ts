/**
 * The maximum delay of a timer in milliseconds (24.8 days). A timer with a longer delay fires immediately (HTML standard, "timer
 * initialization steps").
 */
export const longestTimerMs = 2 ** 31 - 1;

/** Captured on load, so that fake timers, which never fire by themselves, do not stop a body. */
const schedule: (resume: () => void) => unknown = /* @__PURE__ */ (() =>
  globalThis.setImmediate ?? setTimeout)();

/** After this number of steps, a loop whose steps may all complete without waiting calls `nextLoopTurn`. */
export const stepsPerTurn = 500;

/** Resolves after timers, signals and sockets were served. Promises that are already resolved never let them run. */
export function nextLoopTurn(): Promise<void> {
  return new Promise((resolve) => {
    schedule(resolve);
  });
}
