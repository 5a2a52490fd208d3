import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { atEnd } from "./at-end.ts";
import { makeTemporaryFolder } from "./temporary-folder.ts";

/** A Redis server of one test, which keeps its data on disk. */
export interface RedisServer {
  readonly port: number;
  readonly url: string;
  /** Restarts the server with its data. */
  start(): Promise<void>;
  /** Ends the server with `SIGKILL`, like a crash. */
  kill(): Promise<void>;
}

/**
 * Starts Debian's redis-server until the test has finished.
 *
 * @param args - options, such as `["--requirepass", "secret"]`
 */
export async function startRedis(args: readonly string[] = []): Promise<RedisServer> {
  const folder = makeTemporaryFolder("redis");
  const port = await freePort();
  let child: ChildProcess;
  const server: RedisServer = {
    port,
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const files = ["--dir", folder.path, "--save", "", "--appendonly", "yes"];
      child = spawn("redis-server", ["--port", String(port), ...files, ...args], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      atEnd(() => child.kill("SIGKILL"));
      for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream }))
        if (line.includes("Ready to accept connections")) break;
      child.stdout?.resume();
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
  await server.start();
  onTestFinished(async () => {
    await server.kill();
    folder.remove();
  });
  return server;
}

/** Returns a free port. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, "close");
  return port;
}
