// @ts-check
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { peers } from "./contenders.mjs";

const root = new URL("../../", import.meta.url);
const peersFolder = new URL("bench/peers/", root);

/** Installs the packages of ../peers, unless they are there. */
export function installPeers() {
  const { packages } = readJson(new URL("package-lock.json", peersFolder));
  const noted = new URL("node_modules/.package-lock.json", peersFolder);
  const installed = existsSync(noted) ? readJson(noted).packages : {};
  const isThere = peers.every((name) => {
    const path = `node_modules/${name}`;
    return installed[path]?.version === packages[path].version;
  });
  if (isThere) return;
  console.log(`Installing ${peers.join(", ")}`);
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: fileURLToPath(peersFolder),
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0)
    throw new Error("They could not be installed. --only 'undici|template' does without them.");
}

/**
 * The versions of what is measured.
 *
 * @param {readonly string[]} contenders
 * @returns {Record<string, string>}
 */
export function versionsOf(contenders) {
  const own = { "template-pdf": root, undici: new URL("node_modules/undici/", root) };
  const chosen = peers.filter((name) => contenders.includes(name));
  const folders = chosen.map((name) => [name, new URL(`node_modules/${name}/`, peersFolder)]);
  const all = { ...own, ...Object.fromEntries(folders) };
  return Object.fromEntries(
    Object.entries(all).map(([name, folder]) => [name, readJson(new URL("package.json", folder)).version]),
  );
}

/** @param {URL} url */
function readJson(url) {
  return JSON.parse(readFileSync(url, "utf8"));
}
