// @ts-check
import { spawnSync } from "node:child_process";
import { programOf, root } from "../run-command.mjs";

/**
 * Runs a command to its end and gives what it printed.
 *
 * @param {string} command - `node`, `npm`, `npx` or `git`
 * @param {readonly string[]} args
 * @param {string} [cwd]
 * @returns {{ readonly succeeded: boolean, readonly stdout: string, readonly stderr: string }}
 */
export function outputOf(command, args, cwd = root) {
  const [program, ...words] = programOf(command);
  const { status, stdout, stderr, error } = spawnSync(program, [...words, ...args], {
    cwd,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return { succeeded: status === 0, stdout: stdout ?? "", stderr: stderr || (error?.message ?? "") };
}
