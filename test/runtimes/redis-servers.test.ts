import { Cluster, Redis } from "ioredis";
import { expect, it, onTestFinished } from "vitest";
import { startRedisCluster, startRedisSentinel } from "../support/redis-server.ts";

it("the Redis cluster of the tests distributes keys across three servers", { timeout: 60_000 }, async () => {
  const nodes = await startRedisCluster();
  const cluster = new Cluster(nodes.map(({ port }) => ({ host: "127.0.0.1", port })));
  onTestFinished(() => cluster.disconnect());
  for (let n = 0; n < 100; n++) await cluster.set(`key-${n}`, n);
  const sizes = await Promise.all(cluster.nodes("master").map((node) => node.dbsize()));
  expect(sizes).toHaveLength(3);
  expect(Math.min(...sizes)).toBeGreaterThan(0);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(100);
  // A script whose keys are on several servers fails, as in production.
  await expect(cluster.eval("return 1", 2, "a", "b")).rejects.toThrow("CROSSSLOT");
});

it("the Sentinel of the tests replaces a killed server by its replica", { timeout: 60_000 }, async () => {
  const { connection, replica, failOver } = await startRedisSentinel();
  const redis = new Redis({ ...connection, maxRetriesPerRequest: null }).on("error", () => {});
  onTestFinished(() => redis.disconnect());
  await redis.set("key", "value");
  expect(await redis.wait(1, 10_000)).toBe(1);
  await failOver();
  expect(await redis.get("key")).toBe("value");
  expect(await redis.config("GET", "port")).toEqual(["port", String(replica.port)]);
});
