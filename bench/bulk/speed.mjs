// @ts-check
import { sizeOf } from "../compare/cells.mjs";
import { ourBytes } from "../compare/contenders.mjs";
import { startServer } from "../compare/start-server.mjs";
import { measureInTurn, medianReadingOf } from "./measure-in-turn.mjs";
import { bareDispatch, bareRequest, pumps } from "./pumps.mjs";

/**
 * @typedef {import("./speed-process.mjs").Reading} Reading
 *
 * @typedef {object} Speed
 * @property {string} server
 * @property {number} rounds
 * @property {Cell[]} cells
 *
 * @typedef {object} Cell
 * @property {number} inFlight
 * @property {number} bytes - of a document
 * @property {Record<string, Reading>} contenders - medians of the rounds
 */

const ours = "template-pdf generateMany";

/** Half of them to warm up. @type {ReadonlyMap<number, number>} */
const documentsOf = new Map([
  [2_000, 30_000],
  [50_000, 8_000],
  [1_000_000, 400],
]);

/**
 * Documents per second and CPU time of a run, beside those of pools written by hand.
 *
 * @param {{ isQuick: boolean }} settings
 * @returns {Promise<Speed>}
 */
export async function measureSpeed({ isQuick }) {
  const sizes = [...documentsOf.keys()];
  const rounds = isQuick ? 1 : 3;
  const names = Object.keys(pumps).filter((name) => !isQuick || ![ourBytes, "global fetch"].includes(name));
  const server = await startServer(sizes, undefined);
  try {
    /** @type {Cell[]} */
    const cells = [];
    for (const inFlight of isQuick ? [20] : [1, 8, 20, 64]) {
      for (const [bytes, documents] of documentsOf) {
        const plan = { origin: server.http, bytes, inFlight };
        const plans = names.map(
          (name) =>
            /** @type {const} */ ([
              name,
              // fetch takes ten times as long for a small one.
              { ...plan, pump: name, documents: name === "global fetch" ? documents / 2 : documents },
            ]),
        );
        const readings = await measureInTurn("speed-process.mjs", new Map(plans), rounds);
        const contenders = Object.fromEntries(
          [...readings].map(([name, all]) => [name, medianReadingOf(all)]),
        );
        const cell = { inFlight, bytes, contenders };
        cells.push(cell);
        const ratios = [bareRequest, bareDispatch].map((bare) => {
          const { wall, cpu } = ratioIn(cell, bare);
          return `${wall.toFixed(2)} × the documents per second of ${bare}, ${cpu.toFixed(2)} by CPU time`;
        });
        console.log(`${sizeOf(bytes)}, ${inFlight} in flight: ${ratios.join("; ")}`);
      }
    }
    return { server: server.name, rounds, cells };
  } finally {
    server.stop();
  }
}

/**
 * How many documents a run makes in the time, and in the CPU time, that a bare loop takes for one.
 *
 * @param {Cell} cell
 * @param {string} bare
 * @param {string} [name]
 */
export function ratioIn({ contenders }, bare, name = ours) {
  const one = contenders[name];
  const other = contenders[bare];
  if (!one || !other) return { wall: Number.NaN, cpu: Number.NaN };
  return { wall: one.perSecond / other.perSecond, cpu: other.cpuMicroseconds / one.cpuMicroseconds };
}
