// @ts-check
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { root } from "./run-command.mjs";

/** More time than a build takes on a slow machine. */
const longestBuildMs = 120_000;

/**
 * Waits until no other process builds, and then keeps the others waiting until this process exits. The lock only saves time: two builds
 * at once are also correct, because each writes to its own folder. So the lock of a process that has been killed is simply removed.
 *
 * @param {string} [lock] - a file that contains the process ID of its owner
 * @returns {Promise<boolean>} whether another process was building
 */
export async function waitForOtherBuild(lock = join(root, "node_modules/.cache/template-pdf/build-lock")) {
  mkdirSync(dirname(lock), { recursive: true });
  const startedMs = Date.now();
  let hasWaited = false;
  while (!take(lock)) {
    hasWaited = true;
    // Another program may have received the process ID of an owner that has been killed.
    const isOverdue = Date.now() - startedMs > longestBuildMs;
    if (isOverdue || !isRunning(ownerOf(lock))) rmSync(lock, { force: true });
    else await setTimeout(50);
  }
  process.once("exit", () => rmSync(lock, { force: true }));
  return hasWaited;
}

/** @param {number} processId */
export function isRunning(processId) {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // The process of another user exists, but does not accept signals.
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}

/** @param {string} lock @returns {boolean} whether this process has the lock now */
function take(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "EEXIST") return false;
    throw error;
  }
}

/** @param {string} lock */
function ownerOf(lock) {
  try {
    // 0 if the owner has not written its ID yet. `isRunning(0)` is true.
    return Number(readFileSync(lock, "utf8"));
  } catch {
    return 0;
  }
}
