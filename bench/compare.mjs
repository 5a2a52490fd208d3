// @ts-check
// What a document costs, ours beside bare undici and its alternatives: CPU time, documents a second, memory, latency.
// `npm run bench`; `npm run bench -- --help` tells the options.
import { writeFile } from "node:fs/promises";
import { sizes } from "./compare/cells.mjs";
import { peers, yardstick } from "./compare/contenders.mjs";
import { goalsOf } from "./compare/goals.mjs";
import { busyWarningOf, describeMachine, makeSaveFolder } from "./compare/machine.mjs";
import { measureCell } from "./compare/measure.mjs";
import { installPeers, versionsOf } from "./compare/packages.mjs";
import { readPageFile, writePageFiles } from "./compare/page-files.mjs";
import { textOf } from "./compare/results.mjs";
import { durations, readSettings, usage } from "./compare/settings.mjs";
import { startServer } from "./compare/start-server.mjs";
import { goalLinesOf, tableOf } from "./compare/terminal-table.mjs";
import { readCommandLine } from "./shared/command-line.mjs";

await main(readCommandLine(usage, readSettings));

/** @param {import("./compare/settings.mjs").Settings} settings */
async function main(settings) {
  if (settings.onlyPage) return writePageFiles(JSON.parse(readPageFile("benchmarks.json")));
  const results = await compare(settings);
  console.log(goalLinesOf(goalsOf(results)).join("\n"));
  if (settings.json) await writeFile(settings.json, textOf(results));
  if (settings.write) writePageFiles(results);
  else console.log("\ndocs/reports/benchmarks.* are as they were: --write, or a full run, writes them.");
}

/**
 * @param {import("./compare/settings.mjs").Settings} settings
 * @returns {Promise<import("./compare/results.mjs").Results>}
 */
async function compare(settings) {
  const { kind, contenders, cells } = settings;
  if (contenders.some((name) => peers.includes(name))) installPeers();
  const saving = makeSaveFolder();
  const server = await startServer(sizes, settings.server);
  try {
    const machine = describeMachine();
    console.log(`${headOf(kind)} Node ${machine.node}, ${machine.cores} cores. The server: ${server.name}.`);
    console.log(`× bare is the CPU time of a document in that of ${yardstick}; ▶ is this package.`);
    console.log(busyWarningOf(machine));
    const startedAt = performance.now();
    const measured = [];
    for (const cell of cells) {
      const results = await measureCell(cell, settings, server, saving.folder.path);
      measured.push(results);
      const minutes = (performance.now() - startedAt) / 60_000;
      const left = (minutes / measured.length) * (cells.length - measured.length);
      const progress = `cell ${measured.length} of ${cells.length}, ${minutes.toFixed(1)} min, about ${left.toFixed(0)} to go`;
      console.log(`${tableOf(results)}\n  (${progress})\n`);
    }
    return {
      date: new Date().toISOString().slice(0, 10),
      kind,
      machine,
      server: server.name,
      savedTo: saving.kind,
      versions: versionsOf(contenders),
      cells: measured,
    };
  } finally {
    server.stop();
    saving.folder.remove();
  }
}

/** @param {import("./compare/settings.mjs").Settings["kind"]} kind */
function headOf(kind) {
  if (kind === "full") return `The full comparison: ${durations.full}.`;
  if (kind === "quick")
    return `The quick comparison, ${durations.quick}: fewer cells and rounds, and a warm-up too short for the slower clients.`;
  return "A part of the comparison.";
}
