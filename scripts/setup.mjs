// @ts-check
// Prepares a clone: installs the dependencies in package-lock.json and builds `dist` from the current sources.
// Every script that needs them runs this one first. It skips steps that are up to date.
// `node scripts/setup.mjs install` does not build `dist`.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buildIfChanged } from "./build-if-changed.mjs";
import { root, run } from "./run-command.mjs";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (!((major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22)) {
  stop(`setup: expected Node 20.19 or later, or 22.12 or later, got ${process.version}.`);
}

if (!isInstalled()) {
  console.log("setup: installing the dependencies");
  const args = ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  if (!(await run("npm", args))) stop("setup: the dependencies could not be installed.");
}

if (process.argv[2] !== "install" && !(await buildIfChanged("code and types")))
  stop("setup: the build failed.");

/** Whether node_modules matches package-lock.json. npm records there what it installed. */
function isInstalled() {
  const noted = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(noted)) return false;
  const installed = readPackages(noted);
  const { "": _root, ...wanted } = readPackages(join(root, "package-lock.json"));
  return (
    Object.keys(installed).every((path) => path in wanted) &&
    Object.entries(wanted).every(([path, { version, optional }]) =>
      // A missing optional package is for another platform.
      path in installed ? installed[path]?.version === version : optional,
    )
  );
}

/**
 * @param {string} lockfile
 * @returns {Record<string, { version?: string, optional?: boolean }>}
 */
function readPackages(lockfile) {
  return JSON.parse(readFileSync(lockfile, "utf8")).packages;
}

/**
 * @param {string} message
 * @returns {never}
 */
function stop(message) {
  console.error(message);
  process.exit(1);
}
