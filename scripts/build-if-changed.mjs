// @ts-check
import { isBuilt } from "./build-stamp.mjs";
import { run } from "./run-command.mjs";

/**
 * Builds `dist`, unless it was built from the current sources. Every command and every test run uses this function.
 *
 * @param {import("./build-stamp.mjs").BuiltParts} parts
 * @returns {Promise<boolean>} whether `dist` is built; if not, the reason is printed
 */
export async function buildIfChanged(parts) {
  if (isBuilt(parts)) return true;
  // Not to the standard output, which may contain the results of tests as JSON.
  console.error(`building dist: ${parts}`);
  return run("node", ["scripts/build.mjs", ...(parts === "code" ? [parts] : [])], { quiet: true });
}
