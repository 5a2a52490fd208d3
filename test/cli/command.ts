import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { isBuilt } from "../../scripts/build-stamp.mjs";

/** The command as it is built; `npm test` builds it. */
export const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

if (!isBuilt())
  throw new Error("These tests run dist/cli/main.js, and dist is not of these sources: npm run build");

/** What a process is started with. */
export interface Circumstances {
  /** The working directory, where `.env` is looked for. */
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What stands on standard input. */
  readonly input?: string | Uint8Array;
}

/** How a command ended, and what it said. */
export interface Ending {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Starts a program with nothing of ours in its environment, and ends it with the test. */
export function start(
  program: string,
  args: readonly string[],
  { cwd, env = {} }: Circumstances,
): ChildProcessWithoutNullStreams {
  const ours = /^(?:TEMPLATE_PDF_|NODE_|VITEST|TERM$|NO_COLOR$|FORCE_COLOR$)/;
  const clean = Object.entries(process.env).filter(([name]) => !ours.test(name));
  const child = spawn(program, args, { cwd, env: { ...Object.fromEntries(clean), ...env } });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Starts the command in a process of its own. */
export function startCommand(
  args: readonly string[],
  circumstances: Circumstances,
): ChildProcessWithoutNullStreams {
  return start(process.execPath, [main, ...args], circumstances);
}

/** Runs the command in a process of its own. */
export function runCommand(args: readonly string[], circumstances: Circumstances): Promise<Ending> {
  const child = startCommand(args, circumstances);
  // A command that does not read its input closes it.
  child.stdin.on("error", () => {});
  child.stdin.end(circumstances.input);
  return endingOf(child);
}

/** Runs a line of the shell in which `"$@"` is the command. */
export function runInShell(
  line: string,
  args: readonly string[],
  circumstances: Circumstances,
): Promise<Ending> {
  return endingOf(start("sh", ["-c", line, "sh", process.execPath, main, ...args], circumstances));
}

/** Waits until a process has ended. */
export async function endingOf(child: ChildProcessWithoutNullStreams): Promise<Ending> {
  const [[code], stdout, stderr] = await Promise.all([
    once(child, "exit") as Promise<[number | null]>,
    buffer(child.stdout),
    buffer(child.stderr),
  ]);
  return { code, stdout, stderr: stderr.toString() };
}
