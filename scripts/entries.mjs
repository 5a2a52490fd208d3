// @ts-check
import { readFileSync } from "node:fs";

/** @typedef {string | null | { [condition: string]: Target }} Target */

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** The source files of the entry points, from `exports` in package.json. */
export const entryPoints = sources(manifest.exports, "js");

/**
 * The files that the build writes under fixed names, as `{ "platform/node": "src/platform/node.ts" }`:
 * the entry points, a file for each platform and one for all, worker threads, and the commands. package.json is
 * the only list. Files that it names as `.cjs` are also written as CommonJS.
 */
export const entries = {
  esm: { ...entryPoints, ...sources(manifest.imports, "js"), ...sources(manifest.bin, "js") },
  cjs: { ...sources(manifest.exports, "cjs"), ...sources(manifest.imports, "cjs") },
};

/**
 * @param {Target} target
 * @param {"js" | "cjs"} extension
 * @returns {Record<string, string>}
 */
function sources(target, extension) {
  if (target === null) return {};
  if (typeof target !== "string") {
    return Object.assign({}, ...Object.values(target).map((inner) => sources(inner, extension)));
  }
  const name = new RegExp(`^(?:\\./)?dist/(.+)\\.${extension}$`).exec(target)?.[1];
  return name ? { [name]: `src/${name}.ts` } : {};
}
