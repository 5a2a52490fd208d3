// @ts-check
import { existsSync } from "node:fs";
import { sizeOf } from "../compare/cells.mjs";
import { startServer } from "../compare/start-server.mjs";
import { makeTemporaryFolder } from "../shared/temporary-folder.mjs";
import { medianReadingOf, readingOf } from "./measure-in-turn.mjs";

/**
 * @typedef {import("./folder-process.mjs").Reading} Reading
 *
 * @typedef {object} Folder
 * @property {string} server
 * @property {number} rounds
 * @property {number} inFlight
 * @property {Cell[]} cells
 *
 * @typedef {object} Cell
 * @property {"disk" | "memory"} medium - where the folder is; syncing costs nothing in memory
 * @property {number} bytes - of a document
 * @property {Record<string, Reading>} writers - medians of the rounds
 */

/** In the order of the table. */
const writers = [
  "pool, writeFile",
  "pool, writeFile and sync",
  "pool, saveTo()",
  "generateMany, saveTo()",
  "runBulk, folder()",
];
const inFlight = 20;

/**
 * What saving every document costs, from a bare write of the file to a run that survives.
 *
 * @param {{ isQuick: boolean, folder: string }} settings
 * @returns {Promise<Folder>}
 */
export async function measureFolder({ isQuick, folder }) {
  const sizes = isQuick ? [2_000] : [2_000, 50_000];
  const rounds = isQuick ? 1 : 3;
  const parents = /** @type {const} */ ([
    ["disk", folder],
    ["memory", "/dev/shm"],
  ]).filter(([, path]) => existsSync(path));
  const server = await startServer(sizes, undefined);
  try {
    /** @type {Cell[]} */
    const cells = [];
    for (const [medium, parent] of parents) {
      for (const bytes of sizes) {
        const plan = { origin: server.http, bytes, inFlight, documents: isQuick ? 1_000 : 2_400 };
        const cell = { medium, bytes, writers: await measureCell(plan, parent, rounds) };
        cells.push(cell);
        const figures = Object.entries(cell.writers).map(([name, { perSecond }]) => `${name} ${perSecond}`);
        console.log(`${sizeOf(bytes)}, ${medium}, documents per second: ${figures.join("; ")}`);
      }
    }
    return { server: server.name, rounds, inFlight, cells };
  } finally {
    server.stop();
  }
}

/**
 * @param {Omit<import("./folder-process.mjs").Plan, "writer" | "folder">} plan
 * @param {string} parent
 * @param {number} rounds
 */
async function measureCell(plan, parent, rounds) {
  /** @type {Map<string, Reading[]>} */
  const readings = new Map(writers.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const writer of round % 2 === 0 ? writers : [...writers].reverse()) {
      const folder = makeTemporaryFolder("bulk", parent);
      try {
        const reading = await readingOf(
          "folder-process.mjs",
          { ...plan, writer, folder: folder.path },
          writer,
        );
        readings.get(writer)?.push(reading);
      } finally {
        folder.remove();
      }
    }
  }
  return Object.fromEntries([...readings].map(([name, all]) => [name, medianReadingOf(all)]));
}
