import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { killAtEnd, makeTemporaryFolder } from "../shared/at-end.mjs";

/**
 * Starts a Redis server with its own port and temporary folder.
 *
 * @param program - for example "redis-server" or "valkey-server"
 * @param args - options, such as `["--appendonly", "yes"]`
 */
export async function startRedis(program, args = []) {
  const folder = makeTemporaryFolder("redis");
  const port = await freePort();
  let child;
  const redis = {
    folder,
    url: `redis://127.0.0.1:${port}`,
    /** Starts the server with the data in its folder. */
    async start() {
      const all = ["--port", String(port), "--dir", folder, "--save", "", ...args];
      child = killAtEnd(spawn(program, all, { stdio: ["ignore", "pipe", "inherit"] }));
      for await (const line of createInterface({ input: child.stdout })) {
        if (line.includes("Ready to accept connections")) return child.stdout.resume();
      }
      throw new Error(`${program} ended before it was ready.`);
    },
    /** Ends the server like a crash. */
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
  await redis.start();
  return redis;
}

async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}
