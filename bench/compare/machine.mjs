// @ts-check
import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { arch, cpus, loadavg, platform, tmpdir } from "node:os";
import { join } from "node:path";

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

/** Makes the folder that documents are saved to: in memory where that is offered, so that no disk is measured. */
export async function makeSaveFolder() {
  const memory = "/dev/shm";
  const inMemory = existsSync(memory);
  const folder = await mkdtemp(join(inMemory ? memory : tmpdir(), "template-pdf-bench-"));
  return { folder, kind: inMemory ? "a file system in memory (tmpfs)" : "the folder for temporary files" };
}
