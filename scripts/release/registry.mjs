// @ts-check
import { outputOf } from "./output-of.mjs";

/** @typedef {"no package" | "new version" | "published" | "not told"} Standing */

/**
 * Where a version stands on npm's registry.
 *
 * @param {{ name: string, version: string }} manifest
 * @returns {{ readonly standing: Standing, readonly why: string }}
 */
export function standingOf({ name, version }) {
  return standing(outputOf("npm", ["view", name, "versions", "--json", "--loglevel=error"]), version);
}

/**
 * @param {{ readonly succeeded: boolean, readonly stdout: string, readonly stderr: string }} asked - what `npm view`
 * printed of all versions
 * @param {string} version
 * @returns {{ readonly standing: Standing, readonly why: string }}
 */
export function standing({ succeeded, stdout, stderr }, version) {
  if (succeeded) {
    /** @type {string | string[]} */
    const versions = JSON.parse(stdout);
    // Of a single version, npm prints no list.
    return [versions].flat().includes(version)
      ? { standing: "published", why: `${version} is on the registry already` }
      : { standing: "new version", why: `${version} is not on the registry yet` };
  }
  if (stderr.includes("E404"))
    return { standing: "no package", why: "the package is not on the registry yet" };
  return {
    standing: "not told",
    why: `the registry does not tell which versions it has: ${stderr.trim().split("\n")[0]}`,
  };
}
