// @ts-check
import { readFileSync } from "node:fs";

/** @typedef {string | null | { [condition: string]: Target }} Target */

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** The source files of the public doors: `exports` of package.json, seen from `src`. */
export const doors = sources(manifest.exports);

/**
 * Every file the build must write under a name of its own, as `{ "transport/node": "src/transport/node.ts" }`:
 * the doors, both halves of each platform twin, and the commands. package.json is the only list of them.
 */
export const entries = { ...doors, ...sources(manifest.imports ?? {}), ...sources(manifest.bin ?? {}) };

/**
 * @param {Target} target
 * @returns {Record<string, string>}
 */
function sources(target) {
  if (target === null) return {};
  if (typeof target !== "string") return Object.assign({}, ...Object.values(target).map(sources));
  const name = /^\.\/dist\/(.+)\.c?js$/.exec(target)?.[1];
  return name ? { [name]: `src/${name}.ts` } : {};
}
