// @ts-check
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./run-command.mjs";

/** Outside `dist`, because everything in `dist` is published. */
const stamp = join(root, "node_modules", ".cache", "template-pdf", "build-stamp");

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

/** Whether `dist` was built from the sources and settings as they are now. */
export function isBuilt() {
  const isThere = existsSync(stamp) && existsSync(join(root, "dist", "index.js"));
  return isThere && readFileSync(stamp, "utf8") === fingerprint();
}

/** Records what `dist` was built from. */
export function stampBuild() {
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, fingerprint());
}

/** Compares contents, not dates: git changes the date of every file that it writes. */
function fingerprint() {
  // Includes the folder, because several clones may share node_modules.
  const hash = createHash("sha256").update(root);
  for (const path of inputs.flatMap(filesIn)) hash.update(`\0${path}\0`).update(readFileSync(path));
  return hash.digest("hex");
}

/** @param {string} input @returns {string[]} the file, or all files in the folder */
function filesIn(input) {
  const path = join(root, input);
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
