import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
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
 * @param setting - `service` and `work` are the settings of the service and the options of the workers. `out` is the folder for the
 * documents; without it, they are not stored. `beforeAdd` and `prepare` are called before and after the jobs are added, and
 * `onProgress` with each progress
 * @returns the last progress, the failures, the requests that the service received, and the fleet
 */
export async function runFleet(setting) {
  const {
    redis,
    service: settings,
    jobs,
    workers,
    work,
    out,
    limitMs,
    beforeAdd,
    prepare,
    onProgress,
  } = setting;
  const service = await startService(settings);
  const name = `bench-${randomUUID()}`;
  const runs = bulkQueue({ connection: redis.url, name });
  await beforeAdd?.(name);
  await runs.add(run, jobsOf(jobs), { key: keyOf });
  await prepare?.(name);
  const fleet = new Fleet(workers, { url: redis.url, name, baseUrl: service.baseUrl, out, work });
  try {
    const untilMs = performance.now() + limitMs;
    let last;
    for await (const progress of runs.progress(run, { everyMs: 100 })) {
      last = progress;
      if (performance.now() > untilMs) break;
      await onProgress?.({ progress, fleet, runs });
    }
    const failures = await runs.failures(run, { limit: 1_000_000 });
    return { progress: last, failures, requests: await service.requests(), fleet };
  } finally {
    await fleet.end();
    service.end();
    await runs.close();
  }
}

/** Returns how many documents of a run are missing or differ from their jobs. */
export function countWrongDocuments(out, jobs) {
  const isRight = ({ values }) => {
    const body = JSON.stringify(values);
    try {
      const document = readFileSync(join(out, `${values.n}.pdf`), "latin1");
      return document.startsWith(body, "%PDF-1.7\n".length) && document.endsWith("%%EOF\n");
    } catch {
      return false;
    }
  };
  return jobsOf(jobs).filter((job) => !isRight(job)).length;
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

/** Returns the requests per second without the first and the last tenth, in which not all workers are busy. */
export function perSecondOf(requests) {
  const tenth = Math.floor(requests.length / 10);
  const durationMs = requests.at(-tenth - 1)[0] - requests[tenth][0];
  return ((requests.length - 2 * tenth - 1) * 1000) / durationMs;
}
