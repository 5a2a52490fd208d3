// @ts-check
import { outputOf } from "../run-command.mjs";

/**
 * The state of a version in the npm registry.
 *
 * @typedef {{ readonly state: "no package" | "new version" | "published" | "unknown", readonly why: string }} RegistryAnswer
 */

/**
 * Looks up a version in the npm registry.
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
    // If there is only one version, npm prints it without a list.
    return [JSON.parse(stdout)].flat().includes(version)
      ? { state: "published", why: `${version} is already on the registry` }
      : { state: "new version", why: `${version} is not on the registry yet` };
  }
  if (stderr.includes("E404")) return { state: "no package", why: "the package is not on the registry yet" };
  return { state: "unknown", why: `the registry did not respond: ${stderr.trim().split("\n")[0]}` };
}
