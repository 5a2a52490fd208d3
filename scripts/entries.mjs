// @ts-check
import { readFileSync } from "node:fs";

/** @typedef {string | null | { [condition: string]: Target }} Target */

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** The source files of the entry points: `exports` of package.json, seen from `src`. */
export const entryPoints = sources(manifest.exports, "js");

/**
 * Every file the build must write under a name of its own, as `{ "platform/node": "src/platform/node.ts" }`:
 * the entry points, one file for each platform and one for all of them, what runs in a thread of its own, and the commands. package.json is
 * the only list of them: what stands there as `.cjs` is written as CommonJS, too.
 */
export const entries = {
  esm: { ...entryPoints, ...sources(manifest.imports, "js"), ...sources(manifest.bin, "js") },
  cjs: { ...sources(manifest.exports, "cjs"), ...sources(manifest.imports, "cjs") },
  /** What browsers load: of a file `x.ts` beside which there is an `x.browser.ts`, that one. */
  browser: sources(manifest.exports, "browser.js"),
};

/**
 * @param {Target} target
 * @param {"js" | "cjs" | "browser.js"} extension
 * @returns {Record<string, string>}
 */
function sources(target, extension) {
  if (target === null) return {};
  if (typeof target !== "string") {
    return Object.assign({}, ...Object.values(target).map((inner) => sources(inner, extension)));
  }
  const name = new RegExp(`^(?:\\./)?dist/([^.]+)\\.${extension}$`).exec(target)?.[1];
  return name ? { [name]: `src/${name}.ts` } : {};
}
