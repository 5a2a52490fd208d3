// @ts-check
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the repository, in which commands run by default. */
export const root = fileURLToPath(new URL("..", import.meta.url));

/** The compiler of TypeScript 7, a native program that takes a third of the CPU time. Tools that call TypeScript use version 5. */
export const compiler = join(root, "node_modules", "typescript-7", "bin", "tsc");

/** Commands whose package has another name. */
const packages = new Map([
  ["attw", "@arethetypeswrong/cli"],
  ["biome", "@biomejs/biome"],
  ["changeset", "@changesets/cli"],
]);

/**
 * Runs a command without standard input.
 *
 * @param {string} command - `node`, `npm`, `npx`, `git`, or the name of a tool in node_modules/.bin
 * @param {readonly string[]} args
 * @param {{ quiet?: boolean, cwd?: string }} [options] - quiet: shows the output only if the command fails; cwd: the
 * working directory; default: the root
 * @returns {Promise<boolean>} whether it succeeded
 */
export function run(command, args, { quiet = false, cwd = root } = {}) {
  const { PATH = "" } = process.env;
  const output = quiet ? "pipe" : "inherit";
  const [program, ...words] = programOf(command);
  const child = spawn(program, [...words, ...args], {
    cwd,
    env: { ...process.env, PATH: `${join(root, "node_modules", ".bin")}${delimiter}${PATH}` },
    stdio: ["ignore", output, output],
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

/**
 * Runs a command and returns its output.
 *
 * @param {string} command - as for `run`
 * @param {readonly string[]} args
 */
export function outputOf(command, args) {
  const [program, ...words] = programOf(command);
  const options = /** @type {const} */ ({ cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  const { status, stdout, stderr, error } = spawnSync(program, [...words, ...args], options);
  return { succeeded: status === 0, stdout: stdout ?? "", stderr: stderr || (error?.message ?? "") };
}

/**
 * Returns the program of a command and its first arguments. On Windows, tools are `.cmd` files, which need a shell that splits
 * arguments at spaces. So Node runs the script of the tool directly.
 *
 * @param {string} command
 * @param {string} [platform] - a value of `process.platform`
 * @returns {[string, ...string[]]}
 */
export function programOf(command, platform = process.platform) {
  if (command === "node") return [process.execPath];
  if (platform !== "win32" || command === "git") return [command];
  const isOfNpm = command === "npm" || command === "npx";
  return [process.execPath, isOfNpm ? join(npmFolder(), `${command}-cli.js`) : scriptOf(command)];
}

/** npm ships with Node. The process that started this one may use another npm or another program. */
function npmFolder() {
  const { npm_execpath: running = "" } = process.env;
  const beside = join(dirname(process.execPath), "node_modules", "npm", "bin");
  return running.endsWith("npm-cli.js") || !existsSync(beside) ? dirname(running) : beside;
}

/** @param {string} tool */
function scriptOf(tool) {
  const name = packages.get(tool) ?? tool;
  const folder = join(root, "node_modules", name);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return join(folder, typeof bin === "string" ? bin : bin[tool]);
}
