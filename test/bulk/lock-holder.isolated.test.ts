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

describe("without a process table, the holder of a lock", () => {
  it("is reported as ended if its process has ended", () => {
    const { pid } = spawnSync(process.execPath, ["--version"]);
    expect(isRunning({ ...thisProcess("token"), pid })).toBe(false);
  });

  it("is reported as unknown if a process has its ID, because IDs are reused", () => {
    expect(isRunning(thisProcess("token"))).toBe(undefined);
  });

  it("is reported as unknown if it is on another host", () => {
    expect(isRunning({ ...thisProcess("token"), host: "elsewhere" })).toBe(undefined);
  });
});
