import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { peers } from "../measure/contenders.mjs";

const root = new URL("../../", import.meta.url);
const peersFolder = new URL("bench/peers/", root);

/** Installs the packages of ../peers; npm does nothing where that is done. */
export function installPeers() {
  const args = ["install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
  const { status } = spawnSync("npm", args, {
    cwd: fileURLToPath(peersFolder),
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    throw new Error("npm could not install bench/peers. --only 'undici|template' does not need them.");
  }
}

/** The versions of what is measured. */
export function versionsOf(contenders) {
  const own = { "template-pdf": root, undici: new URL("node_modules/undici/", root) };
  const chosen = peers.filter((name) => contenders.includes(name));
  const folders = chosen.map((name) => [name, new URL(`node_modules/${name}/`, peersFolder)]);
  const all = { ...own, ...Object.fromEntries(folders) };
  return Object.fromEntries(
    Object.entries(all).map(([name, folder]) => [name, readJson(new URL("package.json", folder)).version]),
  );
}

function readJson(url) {
  return JSON.parse(readFileSync(url, "utf8"));
}
