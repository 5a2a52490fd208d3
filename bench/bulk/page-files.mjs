// @ts-check
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { chartOf } from "./chart.mjs";
import { pageOf } from "./page.mjs";

/**
 * What docs/reports/bulk-benchmarks.json holds: every part as it was measured last.
 *
 * @typedef {object} Results
 * @property {import("./memory.mjs").Memory & Circumstances} [memory]
 * @property {import("./speed.mjs").Speed & Circumstances} [speed]
 * @property {import("./folder.mjs").Folder & Circumstances} [folder]
 * @property {import("./start.mjs").Start & Circumstances} [start]
 *
 * @typedef {{ date: string, machine: import("../compare/results.mjs").Machine }} Circumstances
 */

const file = (/** @type {string} */ name) => new URL(`../../docs/reports/${name}`, import.meta.url);

/**
 * What a run leaves in docs, by the names of the files.
 *
 * @param {Results} results
 * @returns {Record<string, string>}
 */
export function pageFilesOf(results) {
  return {
    "bulk-benchmarks.json": textOf(results),
    "bulk-benchmarks.md": pageOf(results),
    "bulk-benchmarks.svg": chartOf(results.memory),
  };
}

/** @param {Results} results */
export function writePageFiles(results) {
  for (const [name, text] of Object.entries(pageFilesOf(results))) writeFileSync(file(name), text);
}

/** @param {string} name */
export function readPageFile(name) {
  return readFileSync(file(name), "utf8");
}

/** @returns {Results} nothing where nothing was measured yet */
export function readResults() {
  const name = "bulk-benchmarks.json";
  return existsSync(file(name)) ? JSON.parse(readPageFile(name)) : {};
}

/** A hundred samples take one line. @param {Results} results */
function textOf(results) {
  const text = JSON.stringify(results, null, 2);
  return `${text.replace(/\[[\d.,\s]+\]/g, (numbers) => numbers.replace(/\s+/g, " "))}\n`;
}
