// @ts-check
// How near a run with `concurrency: "auto"` comes to what a server allows, and how much of it is refused. Real time,
// real sockets: two minutes. It prints a table and writes docs/reports/pace.svg. `npm run pace`.
import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { TemplatePdf } from "template-pdf";
import { generateMany } from "template-pdf/bulk";
import { paceChartOf } from "./pace-chart.mjs";
import { killAtEnd } from "./shared/at-end.mjs";
import { readCommandLine } from "./shared/command-line.mjs";

/** @typedef {import("./pace-chart.mjs").Reading} Reading */

const usage = `npm run pace

The pace of a bulk run against servers that allow 20, 100 and 500 a second; two minutes, and no options.`;
readCommandLine(usage, (args) => parseArgs({ args }));

const seconds = 40;
/** From here on it counts as settled. */
const settledFrom = 15;
const servers = ["window", "bucket"].flatMap((kind) =>
  ["none", "1"].map((retryAfter) => ({ kind, retryAfter })),
);

const server = killAtEnd(fork(new URL("pace-server.mjs", import.meta.url)));
try {
  const [{ port }] = await once(server, "message");
  /** @type {Reading[]} */
  const readings = [];
  console.log(`${seconds} s each, settled from second ${settledFrom}, Node ${process.version}`);
  console.log("allowed  server  Retry-After  accepted/s  settled/s  of allowed  refused");
  for (const allowed of [20, 100, 500]) {
    const row = await Promise.all(servers.map((kind) => read({ ...kind, allowed }, port)));
    for (const reading of row) console.log(lineOf(reading));
    readings.push(...row);
  }
  await writeFile(
    new URL("../docs/reports/pace.svg", import.meta.url),
    paceChartOf(readings, servers.length),
  );
} finally {
  server.kill();
}

/**
 * @param {{ kind: string, retryAfter: string, allowed: number }} limit
 * @param {number} port
 * @returns {Promise<Reading>}
 */
async function read({ kind, retryAfter, allowed }, port) {
  const accepted = Array(seconds).fill(0);
  const refused = Array(seconds).fill(0);
  const begin = performance.now();
  /** @param {number[]} counts */
  const count = (counts) => {
    const second = Math.floor((performance.now() - begin) / 1000);
    if (second < seconds) counts[second] = (counts[second] ?? 0) + 1;
  };
  const client = new TemplatePdf({
    baseUrl: `http://127.0.0.1:${port}/${kind}/${allowed}/${retryAfter}`,
    apiKey: "bench",
    hooks: { response: ({ status }) => count(status === 429 ? refused : accepted) },
  });
  const jobs = function* () {
    while (performance.now() - begin < seconds * 1000) yield { template: "invoice", values: {} };
  };
  for await (const result of generateMany(client, jobs(), { concurrency: "auto" })) {
    if (result.status === "rejected") throw result.error;
  }
  await client.close();
  return { kind, retryAfter, allowed, accepted, refused };
}

/** @param {Reading} reading */
function lineOf({ kind, retryAfter, allowed, accepted, refused }) {
  /** @param {number[]} counts */
  const sumOf = (counts) => counts.reduce((sum, value) => sum + value, 0);
  const settled = sumOf(accepted.slice(settledFrom)) / (seconds - settledFrom);
  return [
    String(allowed).padStart(7),
    kind.padEnd(6),
    retryAfter.padStart(11),
    (sumOf(accepted) / seconds).toFixed(1).padStart(10),
    settled.toFixed(1).padStart(9),
    `${((100 * settled) / allowed).toFixed(1)} %`.padStart(10),
    `${((100 * sumOf(refused)) / (sumOf(refused) + sumOf(accepted))).toFixed(2)} %`.padStart(7),
  ].join("  ");
}
