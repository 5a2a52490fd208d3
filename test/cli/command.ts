import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { isBuilt } from "../../scripts/build-stamp.mjs";

/** The path of the built command. `test/support/build-before-tests.ts` builds it. */
export const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

// A source can change during the run, or a build in watch mode can fail.
if (!isBuilt("code")) throw new Error("These tests run dist/cli/main.js, which is older than the sources.");

/** The options of a process. */
export interface ProcessOptions {
  /** The working directory, in which the command reads `.env`. */
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The content of standard input. */
  readonly input?: string | Uint8Array;
}

/** The exit code and the output of a command. */
export interface Ending {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Starts a program without the variables of this project in its environment, and kills it after the test. */
export function start(program: string, args: readonly string[], { cwd, env = {} }: ProcessOptions) {
  const ours = /^(?:TEMPLATE_PDF_|NODE_|VITEST|TERM$|NO_COLOR$|FORCE_COLOR$)/;
  const clean = Object.entries(process.env).filter(([name]) => !ours.test(name));
  const child = spawn(program, args, { cwd, env: { ...Object.fromEntries(clean), ...env } });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Starts the command in a separate process. */
export function startCommand(args: readonly string[], options: ProcessOptions) {
  return start(process.execPath, [main, ...args], options);
}

/** Runs the command in a separate process. */
export function runCommand(args: readonly string[], options: ProcessOptions): Promise<Ending> {
  const child = startCommand(args, options);
  // A command that does not read standard input closes it.
  child.stdin.on("error", () => {});
  child.stdin.end(options.input);
  return endingOf(child);
}

/** Runs a shell script in which `"$@"` is the command. */
export function runInShell(line: string, args: readonly string[], options: ProcessOptions): Promise<Ending> {
  return endingOf(start("sh", ["-c", line, "sh", process.execPath, main, ...args], options));
}

/** Waits until a process has exited, and returns its output. */
export async function endingOf(child: ChildProcessWithoutNullStreams): Promise<Ending> {
  const [[code], stdout, stderr] = await Promise.all([
    once(child, "exit") as Promise<[number | null]>,
    buffer(child.stdout),
    buffer(child.stderr),
  ]);
  return { code, stdout, stderr: stderr.toString() };
}
