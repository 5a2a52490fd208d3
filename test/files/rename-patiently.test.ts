import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { renamePatiently } from "../../src/files/file-system.ts";
import { describeWriteError, mayBeHeld } from "../../src/files/system-errors.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function refusal(code: string, syscall = "rename"): Error {
  return Object.assign(new Error(code), { code, syscall });
}

/** Lets the rename fail with these errors and then succeed. Returns the outcome, the number of attempts and the elapsed time. */
async function renamed(errors: readonly Error[], platform = "win32") {
  const rename = vi.fn();
  for (const error of errors) rename.mockRejectedValueOnce(error);
  const startMs = Date.now();
  const outcome = renamePatiently(rename, platform).catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  return { outcome: await outcome, attempts: rename.mock.calls.length, ms: Date.now() - startMs };
}

describe("A rename that fails on Windows", () => {
  it.each(["EPERM", "EACCES", "EBUSY"])("is retried after %s until it succeeds", async (code) => {
    const held = refusal(code);
    expect(await renamed([held, held, held])).toMatchObject({ outcome: undefined, attempts: 4 });
  });

  it("is retried for about a second, and then rejects with the last system error", async () => {
    const last = refusal("EPERM");
    const errors = [...Array.from({ length: 7 }, () => refusal("EBUSY")), last];
    expect(await renamed(errors)).toEqual({ outcome: last, attempts: 8, ms: 1270 });
  });

  it("is not retried if the file no longer exists", async () => {
    const error = refusal("ENOENT");
    expect(await renamed([refusal("EPERM"), error])).toMatchObject({ outcome: error, attempts: 2 });
  });
});

it("A failed rename is not retried on Linux", async () => {
  const error = refusal("EPERM");
  expect(await renamed([error], "linux")).toMatchObject({ outcome: error, attempts: 1 });
});

it("The error for a failed rename on Windows contains both possible reasons", () => {
  vi.spyOn(process, "platform", "get").mockReturnValue("win32");
  expect(mayBeHeld(refusal("EPERM", "open"), "win32")).toBe(false);
  const expected = "another program has it open, or this process does not have permission to write there";
  expect(describeWriteError(refusal("EPERM"))).toBe(expected);
  expect(describeWriteError(refusal("EPERM", "open"))).toBe(
    "this process does not have permission to write there",
  );
  vi.restoreAllMocks();
});
