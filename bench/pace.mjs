import { TemplatePdf } from "template-pdf";
import { generateMany } from "template-pdf/bulk";
import { startProgram } from "./servers/start.mjs";
import { panelsOf } from "./shared/chart.mjs";
import { describeMachine } from "./shared/machine.mjs";
import { writeReports } from "./shared/reports.mjs";
import { printTable } from "./shared/tables.mjs";

export const defaults = { seconds: 40 };

export const usage = `Measures how close a run with \`concurrency: "auto"\` gets to the rate limit of a server, and how many requests are rejected, for limits of
20, 100 and 500 per second. It takes two minutes, and writes docs/reports/pace.svg unless --seconds is lower.

  --seconds <n>   seconds for each of the three rates (default: 40)`;

const servers = ["window", "bucket"].flatMap((kind) =>
  ["none", "1"].map((retryAfter) => ({ kind, retryAfter })),
);

export async function run({ seconds }) {
  const origin = await startProgram("limits.mjs");
  describeMachine();
  const head = ["allowed", "Retry-After", "accepted/s", "settled/s", "of allowed", "refused"];
  const print = printTable(head, 12);
  const readings = [];
  for (const allowed of [20, 100, 500]) {
    const row = await Promise.all(servers.map((server) => read({ ...server, allowed }, seconds, origin)));
    for (const reading of row) print(cellsOf(reading, seconds));
    readings.push(...row);
  }
  if (seconds >= defaults.seconds) writeReports({ "pace.svg": chartOf(readings) });
}

async function read({ kind, retryAfter, allowed }, seconds, origin) {
  const accepted = Array(seconds).fill(0);
  const refused = Array(seconds).fill(0);
  const begin = performance.now();
  const count = (counts) => {
    const second = Math.floor((performance.now() - begin) / 1_000);
    if (second < seconds) counts[second]++;
  };
  const client = new TemplatePdf({
    baseUrl: `${origin}/${kind}/${allowed}/${retryAfter}`,
    apiKey: "bench",
    hooks: { response: ({ status }) => count(status === 429 ? refused : accepted) },
  });
  const jobs = function* () {
    while (performance.now() - begin < seconds * 1_000) yield { template: "invoice", values: {} };
  };
  for await (const result of generateMany(client, jobs(), { concurrency: "auto" })) {
    if (result.status === "rejected") throw result.error;
  }
  await client.close();
  return { kind, retryAfter, allowed, accepted, refused };
}

function cellsOf({ kind, retryAfter, allowed, accepted, refused }, seconds) {
  const sumOf = (counts) => counts.reduce((sum, value) => sum + value, 0);
  // The rate counts as settled after this second.
  const settledFrom = Math.floor(seconds * 0.375);
  const settled = sumOf(accepted.slice(settledFrom)) / (seconds - settledFrom);
  return [
    `${allowed}, ${kind}`,
    retryAfter,
    (sumOf(accepted) / seconds).toFixed(1),
    settled.toFixed(1),
    `${((100 * settled) / allowed).toFixed(1)} %`,
    `${((100 * sumOf(refused)) / (sumOf(refused) + sumOf(accepted))).toFixed(2)} %`,
  ];
}

function chartOf(readings) {
  return panelsOf({
    title: 'Documents a second with concurrency: "auto"',
    subtitle:
      "line: accepted in each second; dashes: what the server allows, 429 beyond; dots: seconds with refusals",
    columns: servers.length,
    panels: readings.map(({ kind, allowed, retryAfter, accepted, refused }) => ({
      title: `${allowed} a second, ${kind}`,
      note: retryAfter === "none" ? "no Retry-After" : `Retry-After: ${retryAfter}`,
      values: accepted,
      most: 1.5 * allowed,
      end: `${accepted.length} s`,
      limit: allowed,
      dots: refused,
    })),
  });
}
