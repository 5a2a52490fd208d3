// @ts-check
// Adds to package-lock.json the optional packages of other kinds of machines. npm leaves out those that its
// registry did not have when the lockfile was written, and then `npm ci` refuses the lockfile everywhere.
// Run it after an `npm install` that changed the lockfile; `node scripts/complete-lockfile.mjs --check` only looks.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./run-command.mjs";

const path = join(root, "package-lock.json");
const lock = JSON.parse(readFileSync(path, "utf8"));
const missing = Object.entries(lock.packages).flatMap(([parent, { dev, optionalDependencies = {} }]) =>
  Object.entries(optionalDependencies)
    .filter(([name]) => !isLocked(name, parent))
    .map(([name, version]) => ({ name, version, dev })),
);

if (process.argv.includes("--check")) {
  for (const { name } of missing) console.error(`package-lock.json has no ${name}`);
  if (missing.length > 0) fail("Complete it: node scripts/complete-lockfile.mjs");
  // It would bind everybody to one registry.
  if (JSON.stringify(lock).includes('"resolved":"http')) {
    fail(
      "package-lock.json names a registry. Write it with `npm install --omit-lockfile-registry-resolved`.",
    );
  }
} else if (missing.length > 0) {
  for (const { name, version, dev } of missing) {
    // A range cannot be locked without asking the registry; all packages that do this name one version.
    if (!/^\d+\.\d+\.\d+/.test(version)) fail(`${name} is wanted as ${version}, which is no single version.`);
    lock.packages[`node_modules/${name}`] = {
      version,
      ...platformOf(name),
      ...(dev && { dev }),
      optional: true,
    };
  }
  lock.packages = Object.fromEntries(
    Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, "en")),
  );
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`package-lock.json: added ${missing.map(({ name }) => name).join(", ")}`);
}

/**
 * Looks where Node would: beside the parent, and outward from there.
 *
 * @param {string} name
 * @param {string} parent
 * @returns {boolean}
 */
function isLocked(name, parent) {
  if (`${parent ? `${parent}/` : ""}node_modules/${name}` in lock.packages) return true;
  return parent !== "" && isLocked(name, parent.slice(0, Math.max(parent.lastIndexOf("/node_modules/"), 0)));
}

/**
 * What machine a package is for, read from its name: `@rollup/rollup-linux-x64-musl`.
 *
 * @param {string} name
 */
function platformOf(name) {
  const words = /-(android|darwin|freebsd|linux|openbsd|openharmony|win32)-([a-z\d]+)(?:-(\w+))?$/.exec(name);
  if (!words) fail(`${name} does not say what machine it is for.`);
  const [, os, cpu, abi = ""] = words;
  const libc = abi.startsWith("musl") ? "musl" : abi.startsWith("gnu") && "glibc";
  return { cpu: [cpu], ...(libc && os === "linux" && { libc: [libc] }), os: [os] };
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(message);
  process.exit(1);
}
