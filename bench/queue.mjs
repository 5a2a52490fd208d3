import { Redis } from "ioredis";
import { bulkQueue } from "template-pdf/queue";
import { startRedis } from "./queue/redis.mjs";
import { payslip, perSecondOf, runFleet, run as runName } from "./queue/run-fleet.mjs";
import { describeMachine } from "./shared/machine.mjs";
import { printTable } from "./shared/tables.mjs";

export const defaults = { jobs: 1_000_000, documents: 2_000, server: "redis-server" };

export const usage = `Measures a queue with its own redis-server, which must be installed: added jobs per second, the memory of this process and of
Redis, and documents per second of 1, 2 and 4 workers with a service that takes 50 ms. The benchmarks "queue limits" and so on
measure how workers behave.

  --jobs <n>           jobs to add (default: 1,000,000)
  --documents <n>      documents of each worker (default: 2,000)
  --server <program>   the Redis server (default: redis-server)`;

export async function run({ jobs, documents, server }) {
  describeMachine();
  const redis = await startRedis(server);
  await adding(redis, jobs);
  await scaling(redis, documents);
  await redis.kill();
}

async function adding({ url }, count) {
  const redis = new Redis(url);
  const runs = bulkQueue({ connection: url, name: "adding" });
  const jobs = function* () {
    for (let n = 0; n < count; n++) yield { template: "payslip", values: payslip(n) };
  };
  const usedBytes = async () => Number(/used_memory:(\d+)/.exec(await redis.info("memory"))?.[1]);
  const before = await usedBytes();
  const begin = performance.now();
  let peak = 0;
  const onProgress = () => {
    peak = Math.max(peak, process.memoryUsage().rss);
  };
  await runs.add(runName, jobs(), { onProgress });
  const durationMs = performance.now() - begin;
  const perJob = ((await usedBytes()) - before) / count;
  const print = printTable(["jobs", "added/s", "peak of this process", "Redis, a waiting job"], 22);
  const cells = [count, Math.round((count * 1000) / durationMs), `${Math.round(peak / 1e6)} MB`];
  print([...cells.map(String), `${Math.round(perJob)} bytes`]);
  await runs.close();
  await redis.flushall();
  redis.disconnect();
}

async function scaling(redis, documents) {
  const print = printTable(["workers", "documents/s", "× one worker"], 14);
  let one = 0;
  for (const workers of [1, 2, 4]) {
    const work = { concurrency: 16 };
    const setting = { redis, service: {}, jobs: workers * documents, workers, work, limitMs: 3_600_000 };
    const perSecond = perSecondOf((await runFleet(setting)).requests);
    one ||= perSecond;
    print([String(workers), perSecond.toFixed(0), (perSecond / one).toFixed(2)]);
  }
}
