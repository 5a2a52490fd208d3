// @ts-check
// The runtimes and tools that npm installs for the tests in test/runtimes. `node scripts/runtimes.mjs` installs them.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root, run } from "./run-command.mjs";

/** The versions of Node, the other runtimes, the driver of the browsers, and the accessibility checker. */
const packages = {
  "node-20": "npm:node@20.20.2",
  "node-22": "npm:node@22.23.3",
  "node-24": "npm:node@24.21.0",
  "node-26": "npm:node@26.10.0",
  bun: "1.4.5",
  deno: "2.9.6",
  // Contains workerd, and runs on Node 22 and later.
  miniflare: "4.20260730.0",
  // The newest version that runs on Node 20.
  "puppeteer-core": "24.43.1",
  "axe-core": "4.14.1",
};

/** The newest version of Next.js that still runs on Node 20. `test/runtimes/next.test.ts` installs it. */
export const nextVersion = "16.4.6";

const manifest = JSON.stringify({ private: true, dependencies: packages });

const cache = join(root, "node_modules", ".cache", "template-pdf");

/** The folder of all runtimes after {@link installRuntimes}. It depends on the versions above. */
export const runtimesFolder = join(
  cache,
  `runtimes-${createHash("sha256").update(`${process.platform}-${process.arch} ${manifest}`).digest("hex").slice(0, 16)}`,
);

/**
 * The Node program of a version.
 *
 * @param {20 | 22 | 24 | 26} version
 */
export function nodeOf(version) {
  return join(runtimesFolder, "node_modules", `node-${version}`, "bin", "node");
}

/**
 * The program of a package.
 *
 * @param {"bun" | "deno"} name
 */
export function runtimeProgram(name) {
  return join(runtimesFolder, "node_modules", ".bin", name);
}

/**
 * Installs all runtimes that are not installed yet.
 *
 * @returns {Promise<boolean>} whether it succeeded
 */
export async function installRuntimes() {
  if (existsSync(runtimesFolder)) return true;
  mkdirSync(cache, { recursive: true });
  // Installs into another folder first, so that an interrupted installation is not mistaken for a complete one.
  const folder = mkdtempSync(join(cache, "installing-"));
  try {
    writeFileSync(join(folder, "package.json"), manifest);
    const args = ["install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
    if (!(await run("npm", args, { quiet: true, cwd: folder }))) return false;
    // Another run may have been faster and may use its installation already.
    if (!existsSync(runtimesFolder)) renameSync(folder, runtimesFolder);
    for (const old of readdirSync(cache).map((name) => join(cache, name)))
      if (/runtimes-\w+$/.test(old) && old !== runtimesFolder) rmSync(old, { recursive: true, force: true });
    return true;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  if (!(await installRuntimes())) process.exitCode = 1;
}
