import { spawnSync } from "node:child_process";
import { expect, it, vi } from "vitest";
import { isRunning, thisProcess } from "../../src/bulk/journal/lock-holder.ts";

// Windows and macOS have no /proc either.
const missing = vi.hoisted(() => () => {
  throw Object.assign(new Error("ENOENT"), { code: "ENOENT" });
});
vi.mock("node:fs", async (importOriginal) => ({
  ...(await importOriginal<typeof import("node:fs")>()),
  readlinkSync: missing,
}));
vi.mock("../../src/files/read-file.ts", () => ({ readSmallFileSync: missing }));

it("without a process table, `isRunning()` detects only processes that have ended", () => {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  const own = thisProcess("token");
  const holders = [{ ...own, pid }, own, { ...own, host: "elsewhere" }];
  expect(holders.map(isRunning)).toEqual([false, undefined, undefined]);
});
