import { readdirSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeTemporaryFolder } from "../shared/at-end.mjs";
import { describeMachine } from "../shared/machine.mjs";
import { printTable } from "../shared/tables.mjs";
import { startRedis } from "./redis.mjs";
import { countWrongDocuments, jobsOf, keyOf, runFleet, run as runName } from "./run-fleet.mjs";

export const defaults = { cuts: 10, seed: 1, jobs: 3_000, workers: 2, seconds: 120, server: "redis-server" };

export const usage = `Cuts the append-only file of Redis at a random byte during a run, and restarts Redis twice. After both, it adds the same jobs again.
The result is right if every document is stored as its job says, and the counts of the run are right.

  --cuts <n>           runs with a cut (default: 10)
  --seed <n>           the seed of the first run (default: 1)
  --jobs <n>           documents of each run (default: 3,000)
  --workers <n>        worker processes of 16 documents each (default: 2)
  --seconds <n>        the maximum duration of a run (default: 120)
  --server <program>   the Redis server (default: redis-server)`;

/** The range of the time between the two restarts. Workers reconnect after a second at the earliest. */
const [leastMs, mostMs] = [1_200, 4_000];

export async function run({ cuts, seed: firstSeed, jobs, workers, seconds, server }) {
  describeMachine();
  const columns = ["cut at", "stored before", "total", "fulfilled", "rejected", "wrong documents", "exits"];
  const print = printTable(["seed", ...columns, "result"], 6);
  let right = 0;
  for (let seed = firstSeed; seed < firstSeed + cuts; seed++) {
    const { cells, isRight } = await measureCut(randomOf(seed), { jobs, workers, seconds, server });
    if (isRight) right += 1;
    print([seed, ...cells, isRight ? "right" : "WRONG"].map(String));
  }
  console.log(`${right} of ${cuts} right`);
}

async function measureCut(random, { jobs, workers, seconds, server }) {
  const redis = await startRedis(server, [...["--appendonly", "yes"], ...["--aof-load-truncated", "yes"]]);
  const out = makeTemporaryFolder("documents");
  const cutAfter = Math.floor(random() * 0.8 * jobs);
  const share = random();
  const betweenMs = leastMs + random() * (mostMs - leastMs);
  let stored;
  const limitMs = seconds * 1000;
  const { progress, fleet } = await runFleet({
    ...{ redis, jobs, workers, out, limitMs },
    service: { delayMs: 20 },
    work: { concurrency: 16, recoverAfter: 5_000 },
    async onProgress({ progress: { fulfilled }, runs }) {
      if (stored !== undefined || fulfilled < cutAfter) return;
      stored = fulfilled;
      await redis.kill();
      cutLastFile(redis.folder, share);
      const addAgain = () => runs.add(runName, jobsOf(jobs), { key: keyOf });
      await redis.start();
      await addAgain();
      await sleep(betweenMs);
      await redis.kill();
      await redis.start();
      await addAgain();
    },
  }).catch((error) => ({ progress: { total: error.message }, fleet: { exits: "–" } }));
  await redis.kill();
  const { total, fulfilled, rejected, waiting, active } = progress;
  const wrong = countWrongDocuments(out, jobs);
  const isEnded = total === jobs && fulfilled === jobs && rejected + waiting + active === 0;
  const cells = [`${(100 * share).toFixed(1)} %`, stored, total, fulfilled, rejected, wrong, fleet.exits];
  return { cells, isRight: isEnded && wrong === 0 };
}

function cutLastFile(folder, share) {
  const files = join(folder, "appendonlydir");
  const numberOf = (name) => Number(/\.(\d+)\.incr\.aof$/.exec(name)?.[1] ?? 0);
  const [last] = readdirSync(files).sort((one, other) => numberOf(other) - numberOf(one));
  const path = join(files, last);
  truncateSync(path, Math.floor(share * statSync(path).size));
}

/** Returns a generator of numbers from 0 to 1 that depend only on the seed: mulberry32. */
function randomOf(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
