import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { open } from "../../support/sockets.ts";

/** A server that carries the handler, and how it differs from the others. */
export interface Host {
  readonly title: string;
  /** Below what it serves. */
  readonly mount: string;
  /** Whether the handler gets every path, because there is no router before it. */
  readonly servesEveryPath: boolean;
  /** Whether `content-length` reaches the caller. */
  readonly tellsLength: boolean;
  /** Whether it breaks an answer off whose length it has not told; else it ends that as if it were whole. */
  readonly breaksOff: boolean;
  /** Whether it takes the rest of a body that nobody wants; else it may reset the connection behind its answer. */
  readonly takesRest: boolean;
  /** By what it knows that a caller has left before anything was sent to that. */
  readonly seesLeavingBy: "closing" | "resetting";
  /** What it adds to every answer. */
  readonly ownHeaders: readonly string[];
}

/** A host that listens. */
export interface RunningHost {
  readonly origin: string;
  /** What it has printed so far. */
  readonly printed: string;
  stop(): Promise<void>;
}

/** A port on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = await open(createServer());
  await server.close();
  return server.port;
}

/**
 * Starts a program that is to listen on a port, and waits until it does.
 *
 * @throws {Error} when it ends before; the message holds what it printed
 */
export async function startHost(
  command: string,
  args: readonly string[],
  options: { cwd: string; port: number; env: Readonly<Record<string, string>> },
): Promise<RunningHost> {
  const { cwd, port } = options;
  const { NODE_OPTIONS, NODE_V8_COVERAGE, NODE_ENV, VITEST, ...inherited } = process.env;
  const child = spawn(command, args, {
    cwd,
    env: { ...inherited, NO_COLOR: "1", ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own: some programs start others, which are to end with them.
    detached: true,
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text: Buffer) => {
      printed += text;
    });
  }
  const ended = once(child, "close");
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`${command} ended:\n${printed}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    get printed() {
      return printed;
    },
    stop: () => stop(child, ended),
  };
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (child.exitCode === null && child.pid) process.kill(-child.pid, "SIGKILL");
  await ended;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}
