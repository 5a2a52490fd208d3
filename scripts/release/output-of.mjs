// @ts-check
import { spawnSync } from "node:child_process";
import { root } from "../run-command.mjs";

/**
 * Runs a command to its end and gives what it printed.
 *
 * @param {string} command - `node`, `npm`, `npx` or `git`
 * @param {readonly string[]} args
 * @param {string} [cwd]
 * @returns {{ readonly succeeded: boolean, readonly stdout: string, readonly stderr: string }}
 */
export function outputOf(command, args, cwd = root) {
  // On Windows npm and npx are command scripts.
  const shell = process.platform === "win32" && command.startsWith("np");
  const { status, stdout, stderr, error } = spawnSync(command === "node" ? process.execPath : command, args, {
    cwd,
    shell,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return { succeeded: status === 0, stdout: stdout ?? "", stderr: stderr || (error?.message ?? "") };
}
