import { randomUUID } from "node:crypto";
import { bulkQueue } from "template-pdf/queue";
import { Fleet, startService } from "./fleet.mjs";

/** The name of the run in every queue. */
export const run = "all";

/** Creates jobs with `n` from 0. */
export const jobsOf = (count) =>
  Array.from({ length: count }, (_, n) => ({ template: "payslip", values: payslip(n) }));

export const keyOf = ({ values }) => `no-${values.n}`;

/** The values of a payslip: some 300 bytes of JSON. */
export const payslip = (n) => ({
  n,
  name: `Employee number ${n}`,
  period: "November 2026",
  lines: [
    { text: "Salary", amount: "4,200.00" },
    { text: "Income tax", amount: "-812.40" },
    { text: "Health insurance", amount: "-306.60" },
  ],
  total: "3,081.00",
  iban: "DE02 1203 0000 0000 2020 51",
});

/**
 * Adds jobs to a new queue, and generates their documents with some workers until the run ends, or for `limitMs`.
 *
 * @param setting - `service` and `work` are the settings of the service and the options of the workers; `prepare` is called
 * before the workers start, and `during` once they have started
 * @returns the last progress, the failures, the requests that the service received, and what the fleet reported
 */
export async function runFleet({
  redis,
  service: settings,
  jobs,
  workers,
  work,
  out,
  limitMs,
  prepare,
  during,
}) {
  const service = await startService(settings);
  const name = `bench-${randomUUID()}`;
  const runs = bulkQueue({ connection: redis.url, name });
  await runs.add(run, jobsOf(jobs), { key: keyOf });
  await prepare?.(name, runs);
  const fleet = new Fleet(workers, { url: redis.url, name, baseUrl: service.baseUrl, out, work });
  const beginMs = performance.now();
  const [progress] = await Promise.all([endOf(runs, limitMs), during?.(fleet)]);
  const durationMs = performance.now() - beginMs;
  const failures = progress.rejected > 0 ? await runs.failures(run, { limit: 1_000_000 }) : [];
  await fleet.end();
  const requests = await service.requests();
  service.end();
  await runs.close();
  return { progress, failures, requests, durationMs, fleet };
}

/** Waits until the run ends, or for `limitMs`. Returns the last progress. */
export async function endOf(runs, limitMs) {
  const untilMs = performance.now() + limitMs;
  let last;
  for await (const progress of runs.progress(run, { everyMs: 100 })) {
    last = progress;
    if (performance.now() > untilMs) break;
  }
  return last;
}

/** Returns the part of a whole, for example "12 %". */
export const percent = (part, whole) => (whole === 0 ? "–" : `${((100 * part) / whole).toFixed(1)} %`);

/** Returns the largest number of times in any interval of this length. The times must be sorted. */
export function mostWithin(timesMs, lengthMs) {
  let [most, first] = [0, 0];
  for (const [index, time] of timesMs.entries()) {
    while (time - timesMs[first] >= lengthMs) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}
