import { setTimeout as sleep } from "node:timers/promises";
import { makeTemporaryFolder } from "../shared/at-end.mjs";
import { describeMachine } from "../shared/machine.mjs";
import { printTable } from "../shared/tables.mjs";
import { startRedis } from "./redis.mjs";
import { countWrongDocuments, runFleet } from "./run-fleet.mjs";

const concurrency = 16;

export const defaults = {
  jobs: 20_000,
  kills: 25,
  "redis-kills": 3,
  workers: 4,
  seconds: 300,
  server: "redis-server",
};

export const usage = `Kills workers and Redis during a run, and counts lost documents and documents that were rendered again.

  --jobs <n>           documents (default: 20,000)
  --kills <n>          kills of workers (default: 25)
  --redis-kills <n>    kills of Redis (default: 3)
  --workers <n>        worker processes of ${concurrency} documents each (default: 4)
  --seconds <n>        the maximum duration (default: 300)
  --server <program>   the Redis server (default: redis-server)`;

/** How long a killed Redis is away. */
const awayMs = 1_000;

export async function run({ jobs, kills, "redis-kills": redisKills, workers, seconds, server }) {
  describeMachine();
  const redis = await startRedis(server, ["--appendonly", "yes"]);
  const out = makeTemporaryFolder("documents");
  const killRedis = async () => {
    await redis.kill();
    await sleep(awayMs);
    await redis.start();
  };
  /** The kills in turn, spread over the run. */
  const plan = [
    ...planOf(kills, jobs, (fleet) => fleet.killOne()),
    ...planOf(redisKills, jobs, killRedis),
  ].sort((one, other) => one.after - other.after);
  const beginMs = performance.now();
  const { progress, requests, fleet } = await runFleet({
    ...{ redis, jobs, workers, out },
    service: {},
    work: { concurrency, recoverAfter: 10_000 },
    limitMs: seconds * 1000,
    async onProgress({ progress: { fulfilled }, fleet }) {
      while (plan.length > 0 && plan[0].after <= fulfilled) await plan.shift().kill(fleet);
    },
  });
  await redis.kill();
  const rendered = new Map();
  for (const [, status, n] of requests) if (status === 200) rendered.set(n, (rendered.get(n) ?? 0) + 1);
  const again = [...rendered.values()].reduce((sum, count) => sum + count - 1, 0);
  const inFlight = concurrency * (kills + redisKills * workers);
  const columns = [
    "fulfilled",
    "rejected",
    "wrong or lost",
    "rendered again",
    "in flight",
    "exits",
    "seconds",
  ];
  const print = printTable(["documents", ...columns], 10);
  const counts = [
    jobs,
    progress.fulfilled,
    progress.rejected,
    countWrongDocuments(out, jobs),
    again,
    inFlight,
  ];
  print([...counts, fleet.exits, Math.round((performance.now() - beginMs) / 1000)].map(String));
  fleet.printMessages();
  if (plan.length > 0) console.log(`The run ended before ${plan.length} of the kills.`);
}

/** Spreads kills evenly over the documents of a run. */
function planOf(count, jobs, kill) {
  return Array.from({ length: count }, (_, index) => ({ after: ((index + 0.5) * jobs) / count, kill }));
}
