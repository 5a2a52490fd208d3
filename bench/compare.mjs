import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { installPeers, versionsOf } from "./compare/packages.mjs";
import { cellOf, pageFilesOf } from "./compare/page.mjs";
import { figuresOf } from "./compare/results.mjs";
import { durations, readSettings } from "./compare/settings.mjs";
import { peers } from "./measure/contenders.mjs";
import { measureInTurn } from "./measure/in-turn.mjs";
import { serverName, startServer } from "./servers/start.mjs";
import { makeTemporaryFolder } from "./shared/at-end.mjs";
import { describeMachine } from "./shared/machine.mjs";
import { readReport, writeReports } from "./shared/reports.mjs";

export { defaults } from "./compare/settings.mjs";

export const usage = `Compares template-pdf with undici and other clients: CPU time, documents per second, memory and latency.
Without options, it measures everything in ${durations.full}, and writes docs/reports/benchmarks.*.

  --quick             measure only HTTP with 20 in flight, and fewer rounds, in ${durations.quick}
  --only <pattern>    measure only contenders whose name matches, and bare dispatch
  --cells <pattern>   measure only cells whose name matches, for example "http, 2 kB" or "tls, 1 MB, 20 in"
  --rounds <number>   rounds of each contender
  --page              only regenerate docs/reports/benchmarks.* from the JSON file`;

export async function run(options) {
  if (options.page) return writeReports(pageFilesOf(JSON.parse(readReport("benchmarks.json"))));
  const results = await compare(readSettings(options));
  if (results.kind === "full") writeReports(pageFilesOf(results));
}

async function compare({ kind, contenders, cells, roundsOf, spansOf }) {
  if (contenders.some((name) => peers.includes(name))) installPeers();
  const memory = "/dev/shm";
  const inMemory = existsSync(memory);
  const folder = makeTemporaryFolder("saved", inMemory ? memory : tmpdir());
  const server = await startServer();
  const machine = describeMachine();
  const measured = [];
  for (const { protocol, bytes, inFlight } of cells) {
    const origin = server[protocol];
    const plans = contenders.map((contender) => {
      return { contender, origin, bytes, inFlight, ...spansOf(bytes), folder };
    });
    const readings = await measureInTurn(plans, roundsOf, server);
    const figures = [...readings].map(([name, ofRounds]) => [name, figuresOf(ofRounds)]);
    const results = { protocol, bytes, inFlight, contenders: Object.fromEntries(figures) };
    measured.push(results);
    console.log(`\n${cellOf(results)}\n\n${measured.length} of ${cells.length}`);
  }
  return {
    date: new Date().toISOString().slice(0, 10),
    kind,
    machine,
    server: serverName,
    savedTo: inMemory ? "an in-memory file system (tmpfs)" : "the folder for temporary files",
    versions: versionsOf(contenders),
    cells: measured,
  };
}
