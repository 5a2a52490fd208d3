// @ts-check
import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the repository; every command runs there. */
export const root = fileURLToPath(new URL("..", import.meta.url));

const windows = process.platform === "win32";

/**
 * Runs a command to its end, with nothing to read from.
 *
 * @param {string} command - `node`, `npm`, or the name of a tool in node_modules/.bin
 * @param {readonly string[]} args
 * @param {{ quiet?: boolean }} [options] - quiet: what it prints is shown only if it fails
 * @returns {boolean} whether it succeeded
 */
export function run(command, args, { quiet = false } = {}) {
  const { PATH = "" } = process.env;
  const output = quiet ? "pipe" : "inherit";
  const { status, error, stdout, stderr } = spawnSync(command === "node" ? process.execPath : command, args, {
    cwd: root,
    env: { ...process.env, PATH: `${join(root, "node_modules", ".bin")}${delimiter}${PATH}` },
    stdio: ["ignore", output, output],
    encoding: "utf8",
    // There the tools are command scripts.
    shell: windows && command !== "node",
  });
  if (quiet && status !== 0) process.stderr.write(`${stdout ?? ""}${stderr ?? ""}`);
  if (error) process.stderr.write(`${error.message}\n`);
  return status === 0;
}
