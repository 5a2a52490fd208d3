// @ts-check
// Adds optional packages for other platforms to package-lock.json. npm leaves out packages that its
// registry does not have yet, and then `npm ci` rejects the lockfile on every platform.
// Run it after an `npm install` that changed the lockfile; `node scripts/complete-lockfile.mjs --check` only checks.
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
  for (const { name } of missing) console.error(`package-lock.json does not contain ${name}`);
  if (missing.length > 0) fail("Complete it: node scripts/complete-lockfile.mjs");
  // The lockfile must work with every registry.
  if (JSON.stringify(lock).includes('"resolved":"http')) {
    fail(
      "package-lock.json names a registry. Write it with `npm install --omit-lockfile-registry-resolved`.",
    );
  }
} else if (missing.length > 0) {
  for (const { name, version, dev } of missing) {
    // Locking a range would need the registry. All packages with optional platform packages use exact versions.
    if (!/^\d+\.\d+\.\d+/.test(version))
      fail(`${name} has the version ${version}. Expected an exact version.`);
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
 * Searches like Node: next to the parent, then in outer folders.
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
 * Reads the platform of a package from its name: `@rollup/rollup-linux-x64-musl`.
 *
 * @param {string} name
 */
function platformOf(name) {
  const words = /-(android|darwin|freebsd|linux|openbsd|openharmony|win32)-([a-z\d]+)(?:-(\w+))?$/.exec(name);
  if (!words) fail(`${name} does not name a platform.`);
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
