import { describeMachine } from "../shared/machine.mjs";
import { printTable } from "../shared/tables.mjs";
import { startRedis } from "./redis.mjs";
import { percent, runFleet } from "./run-fleet.mjs";

export const defaults = {
  limit: 60,
  kind: ["bucket", "window"],
  "retry-after": ["with", "without"],
  seconds: 60,
  workers: 4,
  server: "redis-server",
};

export const usage = `Measures the share of a service's rate limit that the workers reach in the last half of a run.

  --limit <n>             requests per second (default: 60)
  --kind <name>           bucket or window; may be repeated (default: both)
  --retry-after <name>    with or without; may be repeated (default: both)
  --seconds <n>           the duration of a run (default: 60)
  --workers <n>           worker processes of 16 documents each (default: 4)
  --server <program>      the Redis server (default: redis-server)`;

export async function run({ limit, kind, "retry-after": headers, seconds, workers, server }) {
  describeMachine();
  const redis = await startRedis(server);
  const print = printTable(["service", "of the limit", "refused", "rejected"]);
  for (const oneKind of kind) {
    for (const header of headers) {
      const { requests, progress } = await runFleet({
        redis,
        service: { limit: { kind: oneKind, perSecond: limit, retryAfter: header === "with" } },
        // More than the service renders in this time.
        jobs: limit * (seconds + 20),
        workers,
        work: { concurrency: 16 },
        // The workers need some time to start.
        limitMs: (seconds + 5) * 1000,
      });
      const begin = requests[0][0];
      const isInHalf = ([atMs]) => atMs >= begin + seconds * 500 && atMs < begin + seconds * 1000;
      const half = requests.filter(isInHalf);
      const accepted = half.filter(([, status]) => status !== 429).length;
      print([
        `${limit}/s, ${oneKind}, ${header} Retry-After`,
        ((2 * accepted) / (limit * seconds)).toFixed(3),
        percent(half.length - accepted, half.length),
        String(progress.rejected),
      ]);
    }
  }
  await redis.kill();
}
