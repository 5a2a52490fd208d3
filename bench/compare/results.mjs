import { yardstick } from "../measure/contenders.mjs";
import { mediansOf } from "../measure/in-turn.mjs";
import { fourDigits, inTwoDigits } from "../shared/figures.mjs";

/**
 * The contents of docs/reports/benchmarks.json. Figures are medians, with the CPU time of each round.
 *
 * @typedef {{ cpuMicroseconds: number, perSecond: number, peakMegabytes: number, p50Ms: number, p99Ms: number, rounds: number[] }} Figures
 * @typedef {{ protocol: string, bytes: number, inFlight: number, contenders: Record<string, Figures> }} CellResults
 * @typedef {{ node: string, platform: string, cores: number, processor: string, loadBefore: number }} Machine
 * @typedef {{ date: string, kind: string, machine: Machine, server: string, savedTo: string, versions: Record<string, string>, cells: CellResults[] }} Results
 */

const keys = ["cpuMicroseconds", "perSecond", "peakMegabytes", "p50Ms", "p99Ms"];

/** Computes the figures from the readings of all rounds. @returns {any} `Figures` */
export function figuresOf(readings) {
  return {
    ...mediansOf(readings, keys),
    rounds: readings.map(({ cpuMicroseconds }) => fourDigits(cpuMicroseconds)),
  };
}

/** Returns the CPU time relative to bare dispatch, or NaN if one of them was not measured. @returns {number} */
export function ratioOf({ contenders }, contender) {
  const [own, bare] = [contender, yardstick].map((name) => contenders[name]?.cpuMicroseconds ?? Number.NaN);
  return own / bare;
}

/** Returns a ratio as text, marked with ~ if the rounds of that client, or of bare dispatch, differ by more than half. */
export function ratioIn(cell, name) {
  const ratio = inTwoDigits(ratioOf(cell, name));
  const isImprecise = [name, yardstick].some((one) => {
    const rounds = cell.contenders[one]?.rounds ?? [];
    return Math.max(...rounds) > 1.5 * Math.min(...rounds);
  });
  return isImprecise && name !== yardstick ? `~ ${ratio}` : ratio;
}

/** Formats the file with one contender per line. */
export function textOf(results) {
  const text = JSON.stringify(results, null, 2);
  const inOneLine = (figures) => JSON.stringify(JSON.parse(figures));
  return `${text.replace(/\{\n *"cpuMicroseconds"[^}]*\}/g, inOneLine)}\n`;
}
