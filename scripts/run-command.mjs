// @ts-check
import { spawn } from "node:child_process";
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
 * @returns {Promise<boolean>} whether it succeeded
 */
export function run(command, args, { quiet = false } = {}) {
  const { PATH = "" } = process.env;
  const output = quiet ? "pipe" : "inherit";
  const child = spawn(command === "node" ? process.execPath : command, args, {
    cwd: root,
    env: { ...process.env, PATH: `${join(root, "node_modules", ".bin")}${delimiter}${PATH}` },
    stdio: ["ignore", output, output],
    // There the tools are command scripts.
    shell: windows && command !== "node",
  });
  /** @type {Buffer[]} */
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => printed.push(chunk));
  return new Promise((resolve) => {
    child.on("error", (error) => {
      process.stderr.write(`${error.message}\n`);
      resolve(false);
    });
    child.on("close", (status) => {
      if (status !== 0) process.stderr.write(Buffer.concat(printed));
      resolve(status === 0);
    });
  });
}
