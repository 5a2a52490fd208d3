import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { programOf } from "../../scripts/run-command.mjs";
import { atEnd } from "./at-end.ts";
import { environmentOfUsers } from "./environment-of-users.ts";

/** The result of a program. */
export interface Ending {
  /** `null` if a signal ended the program. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  /** The text of both its output streams. */
  readonly printed: string;
}

export interface Program {
  readonly child: ChildProcess;
  /** The output so far, of both streams. */
  readonly printed: string;
  readonly ended: Promise<Ending>;
  /** Resolves with the match once the output matches the pattern. Rejects if the program ends first. */
  prints(pattern: RegExp): Promise<RegExpExecArray>;
  /** Ends the program and everything that it has started. */
  stop(): Promise<void>;
}

/** A program that listens on a port of this machine. */
export interface RunningProgram extends Program {
  readonly origin: string;
}

interface Starting {
  readonly cwd: string;
  /** Variables in addition to those of a user's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** How long a program may take to exit and to remove its files. */
const endsWithinMs = 5_000;

/** Starts a program with the environment of a user and without input. It ends with this process at the latest. */
export function start(command: string, args: readonly string[], { cwd, env = {} }: Starting): Program {
  const [program, ...words] = command === "npm" ? programOf("npm") : [command];
  const child = spawn(program, [...words, ...args], {
    cwd,
    env: { ...environmentOfUsers(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
    // Uses a separate process group, because some programs start others that must end with them.
    detached: true,
  });
  const signal = (name: NodeJS.Signals) => signalGroup(child.pid, name);
  const forget = atEnd(() => signal("SIGTERM"));
  const printing = new EventEmitter();
  let [stdout, printed] = ["", ""];
  const print = (text: string) => {
    printed += text;
    printing.emit("print");
  };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    print(text);
  });
  child.stderr.setEncoding("utf8").on("data", print);
  child.once("error", ({ message }) => print(message));
  const ended = new Promise<Ending>((resolve) => {
    child.once("close", (exitCode, by) => {
      signal("SIGKILL");
      forget();
      resolve({ exitCode, signal: by, stdout, printed });
    });
  });
  return {
    child,
    ended,
    get printed() {
      return printed;
    },
    async prints(pattern) {
      for (;;) {
        const found = pattern.exec(printed);
        if (found) return found;
        const ending = await Promise.race([ended, once(printing, "print")]);
        if ("printed" in ending && !pattern.test(printed))
          throw new Error(`${[command, ...args].join(" ")} ended with ${ending.exitCode}.\n${printed}`);
      }
    },
    async stop() {
      signal("SIGTERM");
      const timer = setTimeout(signal, endsWithinMs, "SIGKILL");
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Starts a program that selects its own port, and waits until `ready` finds the port in the output. */
export async function startProgram(
  command: string,
  args: readonly string[],
  { ready, ...starting }: Starting & { readonly ready: RegExp },
): Promise<RunningProgram> {
  const program = start(command, args, starting);
  const [, port] = await program.prints(ready);
  return Object.create(program, { origin: { value: `http://127.0.0.1:${port}` } }) as RunningProgram;
}

export function runToEnd(command: string, args: readonly string[], starting: Starting): Promise<Ending> {
  return start(command, args, starting).ended;
}

/**
 * Runs a program to its end.
 *
 * @returns its standard output
 * @throws {Error} if its exit code is not 0; the message contains the output
 */
export async function outputOf(command: string, args: readonly string[], starting: Starting) {
  const { exitCode, signal, stdout, printed } = await runToEnd(command, args, starting);
  if (exitCode !== 0) throw new Error(`${command} ended with ${exitCode ?? signal}.\n${printed}`);
  return stdout;
}

/** Sends a signal to a program and everything that it has started. */
function signalGroup(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch {
    // The program has ended.
  }
}
