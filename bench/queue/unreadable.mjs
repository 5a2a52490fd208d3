import { randomBytes } from "node:crypto";
import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { bulkQueue } from "template-pdf/queue";
import { describeMachine } from "../shared/machine.mjs";
import { printTable } from "../shared/tables.mjs";
import { startRedis } from "./redis.mjs";
import { jobsOf, runFleet } from "./run-fleet.mjs";

export const defaults = { jobs: 3_000, sealed: false, seconds: 40, workers: 4, server: "redis-server" };

export const usage = `Generates the documents of a run in whose queue are also a job of another program and a job whose data is deleted.

  --jobs <n>           readable jobs (default: 3,000)
  --sealed             adds another run with a key that the workers do not have
  --seconds <n>        the maximum duration (default: 40)
  --workers <n>        worker processes of 16 documents each (default: 4)
  --server <program>   the Redis server (default: redis-server)`;

export async function run({ jobs, sealed, seconds, workers, server }) {
  describeMachine();
  const redis = await startRedis(server);
  let other;
  const { progress, failures, fleet } = await runFleet({
    redis,
    service: {},
    jobs: jobs + 1,
    workers,
    work: { concurrency: 16 },
    limitMs: seconds * 1000,
    // The workers take its jobs before those of the run.
    beforeAdd: (name) => sealed && addSealed(redis, name),
    async prepare(name) {
      other = new Queue(name, { connection: { url: redis.url } });
      const [lost] = await other.getJobs(["waiting", "prioritized", "paused"], 0, 0, true);
      const client = new Redis(redis.url);
      await client.del(other.toKey(lost.id));
      client.disconnect();
      // The workers take it first.
      await other.add("foreign", { hello: "world" }, { jobId: "foreign-job", lifo: true });
      console.log(`The job without data: ${lost.id}`);
    },
  });
  // A server without data has no jobs either, so this asks for them before it ends.
  const failed = await other.getFailed();
  await other.close();
  await redis.kill();
  const print = printTable(["readable jobs", "fulfilled", "rejected", "waiting", "exits"]);
  print([jobs, progress.fulfilled, progress.rejected, progress.waiting, fleet.exits].map(String));
  console.log("\nfailures():");
  for (const { id, code, message } of failures) console.log(`  ${id}: ${code}: ${message}`);
  console.log("BullMQ's failed jobs:");
  for (const job of failed) console.log(`  ${job?.id}: ${job?.failedReason}`);
  fleet.printMessages();
}

async function addSealed(redis, name) {
  const runs = bulkQueue({ connection: redis.url, name, sealKey: randomBytes(32) });
  await runs.add("sealed", jobsOf(10));
  await runs.close();
}
