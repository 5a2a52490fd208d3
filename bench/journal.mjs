// @ts-check
// What the journal of a bulk run costs: a finished job, and going on with a journal of a million lines.
// `npm run bench:journal`; `npm run bench:journal -- --help` tells the options.
import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { busyWarningOf, describeMachine } from "./compare/machine.mjs";
import { collectGarbage } from "./shared/collect-garbage.mjs";
import { readCommandLine, wholeNumber } from "./shared/command-line.mjs";
import { makeTemporaryFolder } from "./shared/temporary-folder.mjs";

const usage = `npm run bench:journal -- [--lines 1000000] [--folder .]

What a finished job costs in the journal, and how long a run takes to go on with one; about half a minute.
  --lines   how many lines the journal has that is gone on with
  --folder  where the journal is written: on the disk that matters`;
const { lines, folder } = readCommandLine(usage, (args) => {
  const options = /** @type {const} */ ({
    lines: { type: "string", default: "1000000" },
    folder: { type: "string", default: "." },
  });
  const { values } = parseArgs({ args, options });
  if (!statSync(values.folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`--folder is a folder that is there, not "${values.folder}".`);
  }
  return { lines: wholeNumber("--lines", values.lines), folder: values.folder };
});

/** As large as the values of a small invoice. */
const inputBytes = 500;
const filler = "x".repeat(inputBytes);
const run = { template: "invoice" };

const temporary = makeTemporaryFolder("journal", folder);
try {
  const { openJournal } = await loadJournal(temporary.path);
  const machine = describeMachine();
  console.log(`Inputs of ${inputBytes} bytes, Node ${process.version}, ${machine.cores} cores`);
  process.stdout.write(busyWarningOf(machine));

  console.log("\nA finished job, when a job takes no time of its own and waits for its line");
  console.log("in flight      jobs   wall µs    CPU µs");
  // The first is to warm up, and not told.
  for (const [inFlight, jobs] of [
    [100, 50_000],
    [1, 1_000],
    [8, 20_000],
    [64, 100_000],
    [512, 200_000],
  ]) {
    const path = join(temporary.path, `${inFlight}-${jobs}.journal`);
    const cost = await costOf(() => finishAll(openJournal, path, Number(jobs), Number(inFlight)));
    if (jobs === 50_000) continue;
    const figures = [cost.wallMs, cost.cpuMs].map((ms) =>
      ((ms * 1000) / Number(jobs)).toFixed(1).padStart(10),
    );
    console.log(`${String(inFlight).padStart(9)}${String(jobs).padStart(10)}${figures.join("")}`);
  }

  const path = join(temporary.path, "long.journal");
  await finishAll(openJournal, path, lines, 2_000);
  const before = await memory();
  const opening = await costOf(() => openJournal({ path, run, fresh: false }));
  const journal = opening.value;
  const after = await memory();
  const megabytes = statSync(path).size / 1e6;
  console.log(`\nGoing on with ${journal.finishedBefore} lines (${megabytes.toFixed(0)} MB)`);
  console.log(`${opening.wallMs.toFixed(0)} ms, ${opening.cpuMs.toFixed(0)} ms of CPU time`);
  const held = { heap: after.heap - before.heap, buffers: after.buffers - before.buffers };
  console.log(
    `it then holds ${held.heap.toFixed(1)} MB of heap and ${held.buffers.toFixed(1)} MB of buffers`,
  );
  const entering = await costOf(async () => {
    for (let index = 0; index < lines; index++) journal.enter(keyOf(index), inputOf(index), index);
  });
  console.log(`a job it knows as finished costs ${((entering.wallMs * 1000) / lines).toFixed(1)} µs`);
  console.log(`not entered: ${journal.notEntered}`);
  await journal.close();
} finally {
  temporary.remove();
}

/**
 * The journal is no door of its own: bundled from the source.
 *
 * @param {string} outdir
 * @returns {Promise<typeof import("../src/bulk/journal/journal.ts")>}
 */
async function loadJournal(outdir) {
  const { build } = await import("esbuild");
  const outfile = join(outdir, "journal.mjs");
  const source = fileURLToPath(new URL("../src/", import.meta.url));
  await build({
    entryPoints: [join(source, "bulk/journal/journal.ts")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    alias: { "#platform": join(source, "platform/node.ts") },
    external: ["undici", "undici/*"],
  });
  return import(pathToFileURL(outfile).href);
}

/** @param {number} index */
function keyOf(index) {
  return `INV-2026-${index}`;
}

/** @param {number} index */
function inputOf(index) {
  return `${index} ${filler}`;
}

/**
 * @param {typeof import("../src/bulk/journal/journal.ts").openJournal} openJournal
 * @param {string} path
 * @param {number} jobs
 * @param {number} inFlight
 */
async function finishAll(openJournal, path, jobs, inFlight) {
  const journal = await openJournal({ path, run, fresh: false });
  let next = 0;
  const worker = async () => {
    while (next < jobs) {
      const index = next++;
      await journal.finish(journal.enter(keyOf(index), inputOf(index), index));
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  await journal.close();
}

/**
 * @template T
 * @param {() => Promise<T>} act
 */
async function costOf(act) {
  collectGarbage();
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  const value = await act();
  const { user, system } = process.cpuUsage(cpu);
  return { value, wallMs: performance.now() - startedAt, cpuMs: (user + system) / 1000 };
}

/** Twice, because what buffers held is given back a moment after they are collected. */
async function memory() {
  collectGarbage();
  await setTimeout(100);
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return { heap: heapUsed / 1e6, buffers: external / 1e6 };
}
