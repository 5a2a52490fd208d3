import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { peers } from "../measure/contenders.mjs";

const root = new URL("../../", import.meta.url);
const peersFolder = new URL("bench/peers/", root);

/** Installs the packages of ../peers if they are missing. */
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

/** Returns the versions of the measured packages. */
export function versionsOf(contenders) {
  const folders = { "template-pdf": "", undici: "node_modules/undici/" };
  for (const name of peers)
    if (contenders.includes(name)) folders[name] = `bench/peers/node_modules/${name}/`;
  const versions = Object.entries(folders).map(([name, folder]) => {
    return [name, JSON.parse(readFileSync(new URL(`${folder}package.json`, root), "utf8")).version];
  });
  return Object.fromEntries(versions);
}
