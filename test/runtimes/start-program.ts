import { spawn } from "node:child_process";
import { atEnd } from "../support/at-end.ts";
import { environmentOfUsers } from "../support/environment-of-users.ts";

/** A program that serves something on this machine. */
export interface RunningProgram {
  /** Scheme, address and port. */
  readonly origin: string;
  /** What it has printed so far. */
  readonly printed: string;
  /** Ends it, and whatever it has started. */
  stop(): Promise<void>;
}

/** How a program is started. */
interface Starting {
  readonly cwd: string;
  /** Beside what a user has in the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Finds the port in what it prints, once it can be called. */
  readonly ready: RegExp;
  /** How long it may take until then, in milliseconds. Default: less than any test may take. */
  readonly startsWithinMs?: number;
}

/** How long a program may take to end by itself, and to remove what it has written. */
const endsWithinMs = 5_000;

/**
 * Starts a program that listens on a port of its own choice, and waits until it says so.
 *
 * @throws {Error} when it cannot be started, ends before it is ready, or does not become so; the message holds what it printed
 */
export async function startProgram(
  command: string,
  args: readonly string[],
  { cwd, env, ready, startsWithinMs = 50_000 }: Starting,
): Promise<RunningProgram> {
  const child = spawn(command, args, {
    cwd,
    env: environmentOfUsers(env),
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own: some programs start others, which are to end with them.
    detached: true,
  });
  const signal = (name: "SIGTERM" | "SIGKILL") => signalGroup(child.pid, name);
  const forget = atEnd(() => signal("SIGTERM"));
  let isClosed = false;
  const closed = new Promise<void>((resolve) => {
    child.once("close", () => {
      isClosed = true;
      signal("SIGKILL");
      forget();
      resolve();
    });
  });
  const stop = async () => {
    if (isClosed) return;
    signal("SIGTERM");
    const timer = setTimeout(signal, endsWithinMs, "SIGKILL");
    await closed;
    clearTimeout(timer);
  };

  let printed = "";
  let timer: NodeJS.Timeout | undefined;
  try {
    const port = await new Promise<string>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => {
          printed += text;
          const [, found] = ready.exec(printed) ?? [];
          if (found) resolve(found);
        });
      }
      child.once("error", ({ message }) => reject(new Error(`could not be started: ${message}`)));
      child.once("exit", (code, by) => reject(new Error(`ended with ${code ?? by} before it was ready`)));
      const late = () => reject(new Error(`was not ready within ${startsWithinMs / 1_000} s`));
      timer = setTimeout(late, startsWithinMs);
    });
    return {
      origin: `http://127.0.0.1:${port}`,
      get printed() {
        return printed;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw new Error(`${[command, ...args].join(" ")} ${(error as Error).message}.\n${printed}`);
  } finally {
    clearTimeout(timer);
  }
}

/** Signals a program and whatever it has started. */
function signalGroup(pid: number | undefined, name: "SIGTERM" | "SIGKILL"): void {
  // It was never started.
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch {
    // Nothing of it is left.
  }
}
