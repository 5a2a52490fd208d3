import { ApiError, TimeoutError, type TimeoutPhase } from "template-pdf";
import { expect, onTestFinished, vi } from "vitest";
import { turns } from "../support/service.ts";
import { forms } from "./every-form.ts";

type Form = (typeof forms)[number];

/** The forms that hand bytes on while they arrive. */
export const streamForms: readonly Form[] = forms.filter(([form]) =>
  ["stream()", "nodeStream()", "response()", "iteration"].includes(form),
);

/** The forms that are seen only when they are whole. */
export const wholeForms: readonly Form[] = forms.filter((form) => !streamForms.includes(form));

/** Expects a `TimeoutError` of this limit. */
export function expectTimeout(error: unknown, phase: TimeoutPhase, limitMs: number): TimeoutError {
  if (!TimeoutError.is(error)) throw error;
  expect([error.phase, error.limitMs, error.code]).toEqual([phase, limitMs, "timeout"]);
  expect(error.message).toContain(`within ${limitMs} ms (\`timeouts.${phase}\`)`);
  return error;
}

/** What stands behind an `ApiError` whose body did not come to its end. */
export function expectUnendedBody(error: unknown, limitMs: number): void {
  const cause = error instanceof ApiError ? error.cause : error;
  expect(cause).toMatchObject({ phase: "stall", limitMs, code: "timeout" });
  expect((cause as TimeoutError).message).toBe(`The rest of the response did not arrive within ${limitMs} ms.`);
}

/** From here on time stands still, until it is moved. Sockets go on as ever. */
export function stopTime(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}

/** Moves time that stands still, by an hour as quickly as by a second, and lets happen what is due. */
export async function passTime(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await turns();
}

/** Has every back-off last no time. */
export function withoutBackOff(): void {
  const random = vi.spyOn(Math, "random").mockReturnValue(0);
  onTestFinished(() => {
    random.mockRestore();
  });
}

/** How many timers there are, of whatever kind. */
export function countTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}
