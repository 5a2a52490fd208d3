// @ts-check
import { outputOf } from "../run-command.mjs";

/**
 * What npm's registry knows of a version.
 *
 * @typedef {{ readonly state: "no package" | "new version" | "published" | "unknown", readonly why: string }} RegistryAnswer
 */

/**
 * Asks npm's registry about a version.
 *
 * @param {{ name: string, version: string }} manifest
 */
export function askRegistry({ name, version }) {
  return readAnswer(outputOf("npm", ["view", name, "versions", "--json", "--loglevel=error"]), version);
}

/**
 * @param {ReturnType<typeof outputOf>} printed - by `npm view`, about all versions
 * @param {string} version
 * @returns {RegistryAnswer}
 */
export function readAnswer({ succeeded, stdout, stderr }, version) {
  if (succeeded) {
    // npm prints no list if there is only one version.
    return [JSON.parse(stdout)].flat().includes(version)
      ? { state: "published", why: `${version} is on the registry already` }
      : { state: "new version", why: `${version} is not on the registry yet` };
  }
  if (stderr.includes("E404")) return { state: "no package", why: "the package is not on the registry yet" };
  return { state: "unknown", why: `the registry did not answer: ${stderr.trim().split("\n")[0]}` };
}
