import { setTimeout as sleep } from "node:timers/promises";
import { Queue } from "bullmq";
import { makeTemporaryFolder } from "../shared/at-end.mjs";
import { medianOf } from "../shared/figures.mjs";
import { describeMachine } from "../shared/machine.mjs";
import { printTable } from "../shared/tables.mjs";
import { Fleet, startService } from "./fleet.mjs";
import { startRedis } from "./redis.mjs";
import { jobsOf, perSecondOf, runFleet } from "./run-fleet.mjs";

export const defaults = { jobs: 8_000, rounds: 3, workers: 4, server: "redis-server" };

export const usage = `Compares the documents per second of the workers with those of plain BullMQ workers, which use the same client and sync and rename
each file in the same way. The runs alternate.

  --jobs <n>           documents of each run (default: 8,000)
  --rounds <n>         runs of each kind (default: 3)
  --workers <n>        worker processes of 16 documents each (default: 4)
  --server <program>   the Redis server (default: redis-server)`;

const service = { delayMs: 20 };
const work = { concurrency: 16 };

export async function run({ jobs, rounds, workers, server }) {
  describeMachine();
  const print = printTable(["round", "template-pdf", "BullMQ", "ratio"], 6);
  const ratios = [];
  for (let round = 1; round <= rounds; round++) {
    const redis = await startRedis(server);
    const out = () => makeTemporaryFolder("documents");
    const limitMs = 600_000;
    const { requests } = await runFleet({ redis, service, jobs, workers, work, out: out(), limitMs });
    const ours = perSecondOf(requests);
    const plain = perSecondOf(await runPlain({ redis, jobs, workers, out: out() }));
    await redis.kill();
    ratios.push(ours / plain);
    print([String(round), ours.toFixed(0), plain.toFixed(0), (ours / plain).toFixed(2)]);
  }
  print(["median", "", "", medianOf(ratios).toFixed(2)]);
}

async function runPlain({ redis, jobs, workers, out }) {
  const name = "plain";
  const { baseUrl, count, requests, end } = await startService(service);
  const queue = new Queue(name, { connection: { url: redis.url } });
  const opts = { removeOnComplete: true };
  await queue.addBulk(jobsOf(jobs).map((data) => ({ name, data, opts })));
  const fleet = new Fleet(workers, { url: redis.url, name, baseUrl, out, work }, "plain-worker.mjs");
  while ((await count()) < jobs) await sleep(100);
  await fleet.end();
  const all = await requests();
  end();
  await queue.close();
  return all;
}
