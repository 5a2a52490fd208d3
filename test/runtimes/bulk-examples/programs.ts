import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter } from "node:path";
import { onTestFinished } from "vitest";
import { atEnd } from "../../support/at-end.ts";
import { environmentOfUsers } from "../../support/environment-of-users.ts";

/** Ends a program with its test, or with this process. */
export function killAtEnd(child: ChildProcess): ChildProcess {
  const kill = () => void child.kill("SIGKILL");
  const forget = atEnd(kill);
  onTestFinished(() => {
    kill();
    forget();
  });
  return child;
}

/** How a program ended. */
export interface Ending {
  readonly exitCode: number;
  /** On both its streams. */
  readonly printed: string;
}

/**
 * Starts a program in a folder, with what a user has in the environment.
 *
 * @param binaries - a folder of programs that are found first
 * @returns with `soFar`, what it has printed until now
 */
export function startProgramIn(
  folder: string,
  [command = "", ...args]: readonly string[],
  binaries: string,
  settings: Readonly<Record<string, string>>,
): { readonly child: ChildProcess; readonly ended: Promise<Ending>; soFar(): string } {
  const env = environmentOfUsers(settings);
  env["PATH"] = `${binaries}${delimiter}${env["PATH"]}`;
  const child = killAtEnd(spawn(command, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] }));
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  }
  const ended = once(child, "close").then(([exitCode]) => ({ exitCode: exitCode as number, printed }));
  return { child, ended, soFar: () => printed };
}
