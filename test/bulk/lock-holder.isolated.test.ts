import { spawnSync } from "node:child_process";
import { describe, expect, it, vi } from "vitest";
import { isRunning, thisProcess } from "../../src/bulk/journal/lock-holder.ts";

// As on Windows and macOS, which have no /proc.
vi.mock("node:fs", async (importOriginal) => {
  const missing = () => {
    throw Object.assign(new Error("ENOENT"), { code: "ENOENT" });
  };
  return {
    ...(await importOriginal<typeof import("node:fs")>()),
    readFileSync: missing,
    readlinkSync: missing,
  };
});

describe("without a table that tells when processes began, the holder of a lock", () => {
  it("that has ended is known to have", () => {
    const { pid } = spawnSync(process.execPath, ["--version"]);
    expect(isRunning({ ...thisProcess("token"), pid })).toBe(false);
  });

  it("whose number a process has is not taken for that: it may have been given away again", () => {
    expect(isRunning(thisProcess("token"))).toBe(undefined);
  });

  it("of another host cannot be told", () => {
    expect(isRunning({ ...thisProcess("token"), host: "elsewhere" })).toBe(undefined);
  });
});
