// @ts-check
import { medianOf } from "../shared/statistics.mjs";

/** @typedef {import("./contender-process.mjs").Reading} Reading */

/**
 * @typedef {object} Results
 * @property {string} date
 * @property {"full" | "quick" | "part"} kind
 * @property {Machine} machine
 * @property {string} server
 * @property {string} savedTo - where saveTo() wrote
 * @property {Record<string, string>} versions
 * @property {CellResults[]} cells
 *
 * @typedef {object} Machine
 * @property {string} node
 * @property {string} platform
 * @property {number} cores
 * @property {string} processor
 * @property {number} loadBefore - how many processes wanted to run in the minute before
 *
 * @typedef {import("./cells.mjs").Cell & { contenders: Record<string, Figures> }} CellResults
 *
 * @typedef {Reading & { rounds: number[] }} Figures - medians, and of every round the CPU time of a document
 */

/**
 * @param {readonly Reading[]} readings - one of each round
 * @returns {Figures}
 */
export function figuresOf(readings) {
  /** @param {keyof Reading} key */
  const median = (key) => fourDigits(medianOf(readings.map((reading) => reading[key])));
  return {
    cpuMicroseconds: median("cpuMicroseconds"),
    perSecond: median("perSecond"),
    peakMegabytes: median("peakMegabytes"),
    p50Ms: median("p50Ms"),
    p99Ms: median("p99Ms"),
    rounds: readings.map(({ cpuMicroseconds }) => fourDigits(cpuMicroseconds)),
  };
}

/**
 * The file as it is committed: one contender a line.
 *
 * @param {Results} results
 */
export function textOf({ cells, ...head }) {
  const text = JSON.stringify({ ...head, cells: [] }, null, 2);
  const cellTexts = cells.map(({ contenders, ...cell }) => {
    const lines = Object.entries(contenders).map(
      ([name, figures]) => `      ${JSON.stringify(name)}: ${JSON.stringify(figures)}`,
    );
    const opening = JSON.stringify({ ...cell, contenders: {} }).replace(/\{\}\}$/, "{");
    return `    ${opening}\n${lines.join(",\n")}\n    }}`;
  });
  return `${text.replace(/\[\]\n\}$/, `[\n${cellTexts.join(",\n")}\n  ]\n}`)}\n`;
}

/** As many as a ratio of two digits after the point needs; large numbers keep all before it. @param {number} number */
function fourDigits(number) {
  return number >= 1_000 ? Math.round(number) : Number(number.toPrecision(4));
}
