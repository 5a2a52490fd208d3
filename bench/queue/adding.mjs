import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { bulkQueue } from "template-pdf/queue";
import { describeMachine } from "../shared/machine.mjs";
import { printTable } from "../shared/tables.mjs";
import { startRedis } from "./redis.mjs";
import { jobsOf, keyOf, run as runName } from "./run-fleet.mjs";

export const defaults = { jobs: 200_000, rounds: 2, server: "redis-server" };

export const usage = `Compares adding jobs with BullMQ's \`addBulk\` of the same payloads, and measures how long it takes to remove the run.

  --jobs <n>           jobs (default: 200,000)
  --rounds <n>         runs of each kind, which alternate (default: 2)
  --server <program>   the Redis server (default: redis-server)`;

const batchJobs = 500;

export async function run({ jobs: count, rounds, server }) {
  describeMachine();
  const redis = await startRedis(server);
  const client = new Redis(redis.url);
  const jobs = jobsOf(count);
  const print = printTable(["round", "add", "addBulk", "ratio", "remove"], 6);
  for (let round = 1; round <= rounds; round++) {
    const plain = new Queue(`plain-${round}`, { connection: { url: redis.url } });
    const plainSeconds = await secondsOf(() => addPlain(plain, jobs));
    const runs = bulkQueue({ connection: redis.url, name: `adding-${round}` });
    const addSeconds = await secondsOf(() => runs.add(runName, jobs, { key: keyOf }));
    const removeSeconds = await secondsOf(() => runs.remove(runName));
    await runs.close();
    await plain.close();
    await client.flushall();
    const seconds = (number) => `${number.toFixed(1)} s`;
    const ratio = (addSeconds / plainSeconds).toFixed(2);
    print([String(round), seconds(addSeconds), seconds(plainSeconds), ratio, seconds(removeSeconds)]);
  }
  client.disconnect();
  await redis.kill();
}

async function addPlain(queue, jobs) {
  for (let start = 0; start < jobs.length; start += batchJobs) {
    const batch = jobs.slice(start, start + batchJobs);
    await queue.addBulk(batch.map((data) => ({ name: runName, data, opts: { jobId: keyOf(data) } })));
  }
}

async function secondsOf(work) {
  const beginMs = performance.now();
  await work();
  return (performance.now() - beginMs) / 1000;
}
