import { TimeoutError, type TimeoutPhase } from "template-pdf";
import { expect, onTestFinished, vi } from "vitest";
import { turns } from "../support/service.ts";

/** Expects a `TimeoutError` of this limit. */
export function expectTimeout(error: unknown, phase: TimeoutPhase, limitMs: number): TimeoutError {
  if (!TimeoutError.is(error)) throw error;
  expect({ phase: error.phase, limitMs: error.limitMs, code: error.code }).toEqual({
    phase,
    limitMs,
    code: "timeout",
  });
  expect(error.message).toContain(`within ${limitMs} ms (\`timeouts.${phase}\`)`);
  return error;
}

/** Installs fake timers. Sockets continue to work. */
export function stopTime(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}

/** Advances the fake timers, and runs the timers that are due. */
export async function passTime(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await turns();
}

/** Advances the fake timers to just before a limit of an outcome, and then to the limit. Expects the outcome only then. */
export async function passLimit(outcome: Promise<unknown>, limitMs: number): Promise<void> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  outcome.then(settle, settle);
  // A timer may fire a few milliseconds late.
  const marginMs = Math.max(20, limitMs / 100);
  await passTime(limitMs - marginMs);
  expect(isSettled, `the outcome was settled before ${limitMs} ms`).toBe(false);
  await passTime(2 * marginMs);
}

/** Waits for what a function starts. Expects that it takes at least this long, measured by the real clock. */
export async function takesAtLeast<Value>(limitMs: number, start: () => Promise<Value>): Promise<Value> {
  const startMs = performance.now();
  const value = await start();
  // Timers of the runtime may fire up to a millisecond early, and browsers set two for a limit.
  expect(performance.now() - startMs, "the duration in milliseconds").toBeGreaterThanOrEqual(limitMs - 2);
  return value;
}

/** Removes the random delays before retries. */
export function withoutBackOff(): void {
  const random = vi.spyOn(Math, "random").mockReturnValue(0);
  onTestFinished(() => {
    random.mockRestore();
  });
}

/** Returns the number of active timers of all kinds. */
export function countTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}
