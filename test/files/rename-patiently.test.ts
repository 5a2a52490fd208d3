import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { renamePatiently } from "../../src/files/file-system.ts";
import { mayBeHeld } from "../../src/files/system-errors.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function refusal(code: string, syscall = "rename"): Error {
  return Object.assign(new Error(code), { code, syscall });
}

/** A rename that is refused a few times. */
function refusedFor(times: number, error = refusal("EPERM")) {
  return vi.fn(async () => {
    if (times-- > 0) throw error;
  });
}

describe("a rename that Windows refuses", () => {
  it.each(["EPERM", "EACCES", "EBUSY"])("with %s is tried again until it is done", async (code) => {
    const rename = refusedFor(3, refusal(code));
    const done = renamePatiently(rename, "win32");
    await vi.runAllTimersAsync();
    await done;
    expect(rename).toHaveBeenCalledTimes(4);
  });

  it("for more than a second is given up with the system's own error", async () => {
    const error = refusal("EPERM");
    const rename = refusedFor(100, error);
    const outcome = renamePatiently(rename, "win32").catch((reason: unknown) => reason);
    const begunMs = Date.now();
    await vi.runAllTimersAsync();
    expect(await outcome).toBe(error);
    expect(Date.now() - begunMs).toBe(1270);
    expect(rename).toHaveBeenCalledTimes(8);
  });

  it("because its file is gone is not tried again", async () => {
    const rename = refusedFor(100, refusal("ENOENT"));
    await expect(renamePatiently(rename, "win32")).rejects.toThrow("ENOENT");
    expect(rename).toHaveBeenCalledTimes(1);
  });

  it("is not tried again when its caller wants it no more", async () => {
    const reason = new Error("not wanted");
    const rename = vi.fn().mockRejectedValueOnce(refusal("EPERM")).mockRejectedValue(reason);
    const outcome = renamePatiently(rename, "win32").catch((error: unknown) => error);
    await vi.runAllTimersAsync();
    expect(await outcome).toBe(reason);
    expect(rename).toHaveBeenCalledTimes(2);
  });
});

it.each(["linux", "darwin"])(
  "a rename is tried once on %s, where open files are in nobody's way",
  async (platform) => {
    const rename = refusedFor(1);
    await expect(renamePatiently(rename, platform)).rejects.toThrow("EPERM");
    expect(rename).toHaveBeenCalledTimes(1);
  },
);

it("a file that may not be opened is not taken for one that is held", () => {
  expect(mayBeHeld(refusal("EPERM", "open"), "win32")).toBe(false);
});
