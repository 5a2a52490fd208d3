// @ts-check
import { existsSync } from "node:fs";
import { arch, cpus, loadavg, platform, tmpdir } from "node:os";
import { makeTemporaryFolder } from "../shared/temporary-folder.mjs";

/** @returns {import("./results.mjs").Machine} */
export function describeMachine() {
  const all = cpus();
  return {
    node: process.version,
    platform: `${platform()} ${arch()}`,
    cores: all.length,
    processor: all[0]?.model.trim() ?? "unknown",
    loadBefore: Number((loadavg()[0] ?? 0).toFixed(1)),
  };
}

/**
 * A line of its own for a machine that has other things to do, and nothing for another.
 *
 * @param {import("./results.mjs").Machine} machine
 */
export function busyWarningOf({ loadBefore, cores }) {
  if (loadBefore <= cores) return "";
  return `The machine is busy (load ${loadBefore}): do not believe what you do not see twice.\n`;
}

/** Makes the folder that documents are saved to: in memory where that is offered, so that no disk is measured. */
export function makeSaveFolder() {
  const memory = "/dev/shm";
  const inMemory = existsSync(memory);
  const folder = makeTemporaryFolder("bench", inMemory ? memory : tmpdir());
  return { folder, kind: inMemory ? "a file system in memory (tmpfs)" : "the folder for temporary files" };
}
