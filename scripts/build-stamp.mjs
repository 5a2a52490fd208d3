// @ts-check
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root as repository } from "./run-command.mjs";

/**
 * What a build writes. Tests of the sources load only the code, so they run while the sources have type errors.
 *
 * @typedef {"code" | "code and types"} BuiltParts
 */

/** In `dist`, so that both are always replaced and removed together. `files` in package.json excludes it from the package. */
const stampName = ".build-stamp";

/** Everything that `dist` is made from. */
const inputs = [
  "src",
  "scripts",
  "tsup.config.ts",
  "vite.config.ts",
  "tsconfig.json",
  "package.json",
  "package-lock.json",
];

/**
 * Whether `dist` was built from the sources and settings as they are now.
 *
 * @param {BuiltParts} parts
 * @param {string} [root] - the folder of the repository
 */
export function isBuilt(parts, root = repository) {
  const stamp = join(root, "dist", stampName);
  if (!existsSync(stamp)) return false;
  const found = readFileSync(stamp, "utf8");
  const current = fingerprintOf(root);
  return [parts, "code and types"].some((built) => found === textOf(built, current));
}

/**
 * Records what a build was made from.
 *
 * @param {string} folder - the output of the build
 * @param {string} parts
 * @param {string} fingerprint - from before the build, because a source may change while it runs
 */
export function stampBuild(folder, parts, fingerprint) {
  writeFileSync(join(folder, stampName), textOf(parts, fingerprint));
}

/**
 * Returns a hash of everything that `dist` is made from. It compares contents, not dates: git changes the date of every file that it
 * writes.
 *
 * @param {string} [root] - the folder of the repository
 */
export function fingerprintOf(root = repository) {
  const hash = createHash("sha256");
  for (const path of inputs.flatMap((input) => filesIn(root, input)))
    hash.update(`\0${path}\0`).update(readFileSync(join(root, path)));
  return hash.digest("hex");
}

/** @param {string} parts @param {string} fingerprint */
function textOf(parts, fingerprint) {
  return `${fingerprint} ${parts}\n`;
}

/** @param {string} root @param {string} input @returns {string[]} the file, or all files in the folder */
function filesIn(root, input) {
  if (statSync(join(root, input)).isFile()) return [input];
  return readdirSync(join(root, input), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .sort();
}
