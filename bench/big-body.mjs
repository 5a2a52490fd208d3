// @ts-check
// One huge document to a file, ours beside bare undici and fetch: peak memory, CPU and time, every byte compared; the
// medians of alternating rounds of fresh processes.
// `npm run big-body`; `npm run big-body -- --help` tells the arguments.
import { fork } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isWhole } from "./big-body-content.mjs";
import { killAtEnd } from "./shared/at-end.mjs";
import { argumentsOf, readCommandLine, wholeNumber } from "./shared/command-line.mjs";
import { readingFrom } from "./shared/reading-from.mjs";
import { medianOf } from "./shared/statistics.mjs";
import { makeTemporaryFolder } from "./shared/temporary-folder.mjs";

/** @typedef {{ seconds: number, cpuSeconds: number, userSeconds: number, peakMegabytes: number }} Reading */

const usage = `npm run big-body -- [MiB] [folder] [rounds]

A document of so many MiB to a file in the folder, which has to have room for it;
by default 1024, the folder for temporary files, and 3.`;
const { size, parent, rounds } = readCommandLine(usage, (args) => {
  const [mebibytes = "1024", parent = tmpdir(), rounds = "3"] = argumentsOf(args, 3);
  const isFolder = statSync(parent, { throwIfNoEntry: false })?.isDirectory();
  if (!isFolder) throw new Error(`There is no folder "${parent}".`);
  const size = wholeNumber("MiB", mebibytes) * 1024 * 1024;
  return { size, parent, rounds: wholeNumber("rounds", rounds) };
});
const folder = makeTemporaryFolder("big-body", parent);
const path = join(folder.path, "big.pdf");
const bare = "undici stream";
const names = [bare, "undici stream, synced", "global fetch", "saveTo() by undici", "saveTo() by fetch"];

const server = killAtEnd(fork(new URL("big-body-server.mjs", import.meta.url)));
try {
  const [port] = await once(server, "message");
  console.log(
    `${size / 1024 / 1024} MiB to a file, Node ${process.version}, medians of ${rounds} rounds; in brackets × ${bare}`,
  );
  for (const framing of ["", "-chunked"]) {
    /** @type {Map<string, Reading[]>} */
    const readings = new Map(names.map((name) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      for (const [name, ofName] of readings) ofName.push(await measure(name, port, framing));
    }
    for (const [name, ofName] of readings)
      printRow(name + framing.replace("-", ", "), ofName, readings.get(bare) ?? []);
  }
} finally {
  server.kill();
  folder.remove();
}

/**
 * @param {string} name
 * @param {number} port
 * @param {string} framing - what stands behind the size in the URL
 * @returns {Promise<Reading>}
 */
async function measure(name, port, framing) {
  const args = [name, `http://127.0.0.1:${port}`, `${size}${framing}`, path];
  const contender = killAtEnd(fork(new URL("big-body-contender.mjs", import.meta.url), args));
  const reading = await readingFrom(contender, name);
  if (!(await isWhole(path, size))) throw new Error(`${name} wrote something else than was sent`);
  await rm(path);
  return reading;
}

/**
 * @param {string} title
 * @param {readonly Reading[]} readings
 * @param {readonly Reading[]} bareReadings
 */
function printRow(title, readings, bareReadings) {
  /** @param {keyof Reading} what */
  const own = (what) => medianOf(readings.map((reading) => reading[what]));
  /** @param {keyof Reading} what */
  const ofBare = (what) => medianOf(bareReadings.map((reading) => reading[what]));
  /** @param {keyof Reading} what */
  const ratio = (what) => `(${(own(what) / ofBare(what)).toFixed(2)})`;
  const peak = `${own("peakMegabytes").toFixed(0).padStart(5)} MB peak ${ratio("peakMegabytes")}`;
  const cpu = `${own("cpuSeconds").toFixed(2).padStart(6)} s CPU ${ratio("cpuSeconds")}, ${own("userSeconds").toFixed(2)} of it not in the system`;
  console.log(`${title.padEnd(32)} ${peak} ${cpu} ${own("seconds").toFixed(1).padStart(6)} s`);
}
