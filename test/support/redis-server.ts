import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { Redis } from "ioredis";
import { onTestFinished } from "vitest";
import { atEnd } from "./at-end.ts";
import { eventually } from "./eventually.ts";
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
  const port = await freePort();
  return startServer(port, "Ready to accept connections", (folder) => [
    ...["--port", String(port), "--dir", folder, "--save", "", "--appendonly", "yes"],
    ...args,
  ]);
}

/** Starts a Redis cluster of three servers without replicas. */
export async function startRedisCluster(): Promise<readonly RedisServer[]> {
  const startNode = async () => {
    // By default, this port is 10,000 above the other one, and may not exist.
    const busPort = String(await freePort());
    return startRedis(["--cluster-enabled", "yes", "--cluster-port", busPort]);
  };
  const nodes = await Promise.all([startNode(), startNode(), startNode()]);
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
  await promisify(execFile)("redis-cli", ["--cluster", "create", ...addresses, "--cluster-yes"]);
  for (const { url } of nodes) {
    const info = () => ask(url, (redis) => redis.cluster("INFO"));
    await eventually(async () => (await info()).includes("cluster_state:ok"));
  }
  return nodes;
}

/** A Redis server with a replica, and a Sentinel that replaces the server if it is killed. */
export interface RedisSentinel {
  /** Options for an ioredis client. */
  readonly connection: { readonly sentinels: { host: string; port: number }[]; readonly name: string };
  readonly primary: RedisServer;
  readonly replica: RedisServer;
  /** Kills the primary, and waits until the replica has replaced it. */
  failOver(): Promise<void>;
}

/** Starts a Redis server with a replica and a Sentinel. */
export async function startRedisSentinel(): Promise<RedisSentinel> {
  const [name, port] = ["group", await freePort()];
  const primary = await startRedis();
  const replica = await startRedis(["--replicaof", "127.0.0.1", String(primary.port)]);
  const replication = () => ask(replica.url, (redis) => redis.info("replication"));
  await eventually(async () => (await replication()).includes("master_link_status:up"));
  const lines = [
    `port ${port}`,
    `sentinel monitor ${name} 127.0.0.1 ${primary.port} 1`,
    `sentinel down-after-milliseconds ${name} 500`,
    `sentinel failover-timeout ${name} 5000`,
  ];
  const sentinel = await startServer(port, "+monitor master", (folder) => {
    // Sentinel records its state in this file.
    const file = join(folder, "sentinel.conf");
    writeFileSync(file, [...lines, `dir ${folder}`, ""].join("\n"));
    return [file, "--sentinel"];
  });
  /** Waits until Sentinel knows a server of this kind at this port. */
  const knows = (kind: "MASTER" | "REPLICAS", { port }: RedisServer) =>
    eventually(async () => {
      const answer = await ask(sentinel.url, (redis) => redis.call("SENTINEL", kind, name));
      return JSON.stringify(answer).includes(`"port","${port}"`);
    });
  await knows("REPLICAS", replica);
  return {
    connection: { sentinels: [{ host: "127.0.0.1", port }], name },
    primary,
    replica,
    async failOver() {
      await primary.kill();
      await knows("MASTER", replica);
    },
  };
}

/** Returns the result of one command. */
async function ask<T>(url: string, command: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url);
  try {
    return await command(redis);
  } finally {
    redis.disconnect();
  }
}

/** Starts the program with a folder until the test has finished, and waits until it prints a text. */
async function startServer(
  port: number,
  ready: string,
  argumentsOf: (folder: string) => readonly string[],
): Promise<RedisServer> {
  const folder = makeTemporaryFolder("redis");
  let child: ChildProcess;
  const server: RedisServer = {
    port,
    url: `redis://127.0.0.1:${port}`,
    async start() {
      child = spawn("redis-server", argumentsOf(folder.path), { stdio: ["ignore", "pipe", "inherit"] });
      atEnd(() => child.kill("SIGKILL"));
      for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream }))
        if (line.includes(ready)) break;
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
