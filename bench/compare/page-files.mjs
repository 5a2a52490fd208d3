// @ts-check
import { readFileSync, writeFileSync } from "node:fs";
import { chartOf } from "./chart.mjs";
import { pageOf } from "./page.mjs";
import { textOf } from "./results.mjs";

const file = (/** @type {string} */ name) => new URL(`../../docs/reports/${name}`, import.meta.url);

/**
 * What a run leaves in docs, by the names of the files.
 *
 * @param {import("./results.mjs").Results} results
 * @returns {Record<string, string>}
 */
export function pageFilesOf(results) {
  return {
    "benchmarks.json": textOf(results),
    "benchmarks.md": pageOf(results),
    "benchmarks.svg": chartOf(results),
  };
}

/** @param {import("./results.mjs").Results} results */
export function writePageFiles(results) {
  for (const [name, text] of Object.entries(pageFilesOf(results))) writeFileSync(file(name), text);
}

/** @param {string} name */
export function readPageFile(name) {
  return readFileSync(file(name), "utf8");
}
