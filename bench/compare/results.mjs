import { mediansOf } from "../measure/in-turn.mjs";
import { fourDigits } from "../shared/figures.mjs";

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

/** Formats the file with one contender per line. */
export function textOf(results) {
  const text = JSON.stringify(results, null, 2);
  const inOneLine = (figures) => JSON.stringify(JSON.parse(figures));
  return `${text.replace(/\{\n *"cpuMicroseconds"[^}]*\}/g, inOneLine)}\n`;
}
