import { TimeoutError, type TimeoutPhase } from "template-pdf";
import { expect, onTestFinished, vi } from "vitest";
import { turns } from "../support/service.ts";

/** Expects a `TimeoutError` of this limit. */
export function expectTimeout(error: unknown, phase: TimeoutPhase, limitMs: number): TimeoutError {
  if (!TimeoutError.is(error)) throw error;
  expect([error.phase, error.limitMs, error.code]).toEqual([phase, limitMs, "timeout"]);
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
