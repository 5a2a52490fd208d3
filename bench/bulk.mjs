// @ts-check
// What a run over many documents costs: memory, documents per second, a folder of files, the first seconds.
// `npm run bench:bulk`; `npm run bench:bulk -- --help` tells the options.
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { measureFolder } from "./bulk/folder.mjs";
import { measureMemory } from "./bulk/memory.mjs";
import { readResults, writePageFiles } from "./bulk/page-files.mjs";
import { measureSpeed } from "./bulk/speed.mjs";
import { measureStart } from "./bulk/start.mjs";
import { busyWarningOf, describeMachine } from "./compare/machine.mjs";
import { readCommandLine, wholeNumber } from "./shared/command-line.mjs";

const usage = `npm run bench:bulk -- [options]

What a run over many documents costs; about 12 minutes. It writes docs/reports/bulk-benchmarks.*, unless something is changed
by an option, and every part on its own.
  --part <name>      only memory, speed, folder or start, and writes that part
  --documents <n>    of each run of the part memory, a multiple of 100; 1,000,000
  --folder <path>    where the part folder saves, for a disk that matters; .
  --quick            fewer cells, rounds and documents: about two minutes, and writes nothing
  --page             measures nothing, and writes the page anew from docs/reports/bulk-benchmarks.json`;

const parts = /** @type {const} */ ({
  memory: measureMemory,
  speed: measureSpeed,
  folder: measureFolder,
  start: measureStart,
});
const names = /** @type {(keyof typeof parts)[]} */ (Object.keys(parts));

const settings = readCommandLine(usage, (args) => {
  const options = /** @type {const} */ ({
    part: { type: "string" },
    documents: { type: "string" },
    folder: { type: "string" },
    quick: { type: "boolean", default: false },
    page: { type: "boolean", default: false },
  });
  const { part, documents, folder = ".", quick: isQuick, page } = parseArgs({ args, options }).values;
  const chosen = part === undefined ? names : names.filter((name) => name === part);
  if (chosen.length === 0) throw new Error(`--part is one of ${names.join(", ")}, not "${part}"`);
  const count = wholeNumber("--documents", documents ?? (isQuick ? "50000" : "1000000"), 100);
  if (count % 100 !== 0) throw new Error(`--documents is a multiple of 100, not ${count}`);
  if (!existsSync(folder)) throw new Error(`--folder is a folder that is there, not "${folder}"`);
  return { chosen, documents: count, folder, isQuick, page, writes: !isQuick && documents === undefined };
});

if (settings.page) {
  writePageFiles(readResults());
} else {
  for (const name of settings.chosen) {
    const machine = describeMachine();
    console.log(`\n${name}, Node ${machine.node}, ${machine.cores} cores`);
    process.stdout.write(busyWarningOf(machine));
    const date = new Date().toISOString().slice(0, 10);
    const figures = await parts[name](settings);
    // Every part as soon as it is there: it took minutes.
    if (settings.writes) writePageFiles({ ...readResults(), [name]: { date, machine, ...figures } });
  }
}
