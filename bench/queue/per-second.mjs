import { describeMachine } from "../shared/machine.mjs";
import { printTable } from "../shared/tables.mjs";
import { startRedis } from "./redis.mjs";
import { mostWithin, percent, runFleet } from "./run-fleet.mjs";

export const defaults = { limit: 20, seconds: 30, workers: 4, share: 30, server: "redis-server" };

export const usage = `Counts the most requests in any second of a run with \`perSecond\`, while some requests fail with 502.

  --limit <n>          \`perSecond\` (default: 20)
  --seconds <n>        the duration of an ideal run (default: 30)
  --workers <n>        worker processes of 16 documents each (default: 4)
  --share <n>          failing requests in percent (default: 30)
  --server <program>   the Redis server (default: redis-server)`;

export async function run({ limit, seconds, workers, share, server }) {
  describeMachine();
  const redis = await startRedis(server);
  const { requests, progress } = await runFleet({
    redis,
    service: { badGatewayShare: share / 100 },
    jobs: Math.round(limit * seconds * (1 - share / 100)),
    workers,
    work: { concurrency: 16, perSecond: limit },
    limitMs: seconds * 4_000,
  });
  await redis.kill();
  const times = requests.map(([atMs]) => atMs);
  const print = printTable(["limit", "most in 1 s", "mean", "502", "fulfilled", "rejected"]);
  print([
    `${limit}/s, ${workers} workers`,
    String(mostWithin(times, 1000)),
    ((1000 * times.length) / (times.at(-1) - times[0])).toFixed(1),
    percent(requests.filter(([, status]) => status === 502).length, requests.length),
    String(progress.fulfilled),
    String(progress.rejected),
  ]);
}
