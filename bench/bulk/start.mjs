// @ts-check
import { startServer } from "../compare/start-server.mjs";
import { medianOf } from "../shared/statistics.mjs";
import { measureInTurn } from "./measure-in-turn.mjs";

/**
 * @typedef {object} Start
 * @property {string} server
 * @property {number} rounds
 * @property {number} bytes - of a document
 * @property {Record<string, number[]>} perSecond - documents in each second, medians of the rounds
 */

const bytes = 2_000;
const seconds = 10;

/**
 * How fast `"auto"` gets up to speed against a server that takes whatever comes.
 *
 * @param {{ isQuick: boolean }} settings
 * @returns {Promise<Start>}
 */
export async function measureStart({ isQuick }) {
  const rounds = isQuick ? 1 : 3;
  const server = await startServer([bytes], undefined);
  try {
    const plans = /** @type {const} */ ([64, "auto"]).map(
      (concurrency) =>
        /** @type {const} */ ([
          `concurrency ${concurrency}`,
          { origin: server.http, bytes, concurrency, seconds },
        ]),
    );
    /** @type {Map<string, import("./start-process.mjs").Reading[]>} */
    const readings = await measureInTurn("start-process.mjs", new Map(plans), rounds);
    const perSecond = Object.fromEntries([...readings].map(([name, all]) => [name, mediansOf(all)]));
    for (const [name, figures] of Object.entries(perSecond)) console.log(`${name}: ${figures.join(" ")}`);
    return { server: server.name, rounds, bytes, perSecond };
  } finally {
    server.stop();
  }
}

/** @param {readonly import("./start-process.mjs").Reading[]} readings */
function mediansOf(readings) {
  return Array.from({ length: seconds }, (_, at) =>
    medianOf(readings.map(({ perSecond }) => perSecond[at] ?? Number.NaN)),
  );
}
