import { describeMachine } from "../shared/machine.mjs";
import { printTable } from "../shared/tables.mjs";
import { startRedis } from "./redis.mjs";
import { percent, runFleet } from "./run-fleet.mjs";

export const defaults = {
  limit: ["5", "10", "30"],
  kind: ["bucket", "window"],
  "retry-after": ["with", "without"],
  seconds: 20,
  workers: 6,
  server: "redis-server",
};

export const usage = `Generates the documents of a run with a service that limits the rate, and counts the requests that it refuses with 429.

  --limit <n>             requests per second; may be repeated (default: 5, 10, 30)
  --kind <name>           bucket or window; may be repeated (default: both)
  --retry-after <name>    with or without; may be repeated (default: both)
  --seconds <n>           the duration of an ideal run (default: 20)
  --workers <n>           worker processes of 16 documents each (default: 6)
  --server <program>      the Redis server (default: redis-server)`;

/** The time after which the share of refused requests is reported again. */
const settledMs = 10_000;

export async function run({ limit, kind, "retry-after": headers, seconds, workers, server }) {
  describeMachine();
  const redis = await startRedis(server);
  const columns = ["rejected", "refused", "after 10 s", "requests", "seconds", "× ideal"];
  const print = printTable(["service", ...columns]);
  for (const perSecond of limit.map(Number)) {
    for (const oneKind of kind) {
      for (const header of headers) {
        const result = await runFleet({
          redis,
          service: { limit: { kind: oneKind, perSecond, retryAfter: header === "with" } },
          jobs: perSecond * seconds,
          workers,
          work: { concurrency: 16 },
          limitMs: seconds * 6_000,
        });
        print([`${perSecond}/s, ${oneKind}, ${header} Retry-After`, ...cellsOf(result, seconds)]);
      }
    }
  }
  await redis.kill();
}

function cellsOf({ progress, failures, requests }, idealSeconds) {
  const begin = requests[0][0];
  const isRefused = ([, status]) => status === 429;
  const late = requests.filter(([atMs]) => atMs >= begin + settledMs);
  const limited = failures.filter(({ code }) => code === "rate_limited").length;
  const open = progress.total - progress.fulfilled - progress.rejected;
  const seconds = (requests.at(-1)[0] - begin) / 1000;
  return [
    `${limited}${progress.rejected > limited ? ` of ${progress.rejected}` : ""}`,
    percent(requests.filter(isRefused).length, requests.length),
    percent(late.filter(isRefused).length, late.length),
    String(requests.length),
    `${open > 0 ? "> " : ""}${seconds.toFixed(1)}`,
    (seconds / idealSeconds).toFixed(2),
  ];
}
