// @ts-check
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { entries, entryPoints } from "./entries.mjs";
import { root } from "./run-command.mjs";

/** Outside `dist`, because everything in there is published. */
const stamp = join(root, "node_modules", ".cache", "template-pdf", "build-stamp");

/** Everything that `dist` is made from. */
const inputs = ["src", "scripts", "tsup.config.ts", "tsconfig.json", "package.json", "package-lock.json"];

/** Whether `dist` is whole, and was built from the sources and settings as they are now. */
export function isBuilt() {
  const written = [
    ...Object.keys(entries.esm).map((name) => `${name}.js`),
    ...Object.keys(entries.cjs).map((name) => `${name}.cjs`),
    ...Object.keys(entryPoints).flatMap((name) => [`${name}.d.ts`, `${name}.d.cts`]),
  ];
  return (
    written.every((file) => existsSync(join(root, "dist", file))) &&
    existsSync(stamp) &&
    readFileSync(stamp, "utf8") === fingerprint()
  );
}

/** Remembers what `dist` was built from. */
export function stampBuild() {
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, fingerprint());
}

/** By content and not by date: git dates every file it touches anew. */
function fingerprint() {
  // With the folder, because node_modules may be shared by several.
  const hash = createHash("sha256").update(root);
  for (const input of inputs) add(input);
  return hash.digest("hex");

  /** @param {string} path */
  function add(path) {
    hash.update(`\0${path}\0`);
    const full = join(root, path);
    const children = readFolder(full);
    if (children) for (const child of children) add(`${path}/${child}`);
    else hash.update(readFileSync(full));
  }
}

/**
 * @param {string} path
 * @returns {string[] | undefined} undefined when it is a file
 */
function readFolder(path) {
  try {
    return readdirSync(path).sort();
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "ENOTDIR") return undefined;
    throw error;
  }
}
