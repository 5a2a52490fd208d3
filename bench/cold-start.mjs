import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { programOf } from "../scripts/run-command.mjs";
import { startProgram } from "./servers/start.mjs";
import { makeTemporaryFolder } from "./shared/at-end.mjs";
import { medianOf } from "./shared/figures.mjs";
import { UsageError } from "./shared/options.mjs";
import { printTable } from "./shared/tables.mjs";

export const defaults = { rounds: 21, node: [] };

export const usage = `What a fresh process pays to load this package, and for its first document, ours beside fetch and undici: medians, from the
packed package, installed into an empty project.

  --rounds <n>    of each contender; 21
  --node <path>   measures another Node as well; may be given several times`;

const bare = "document by global fetch";
const contenders = [
  "nothing",
  "load template-pdf",
  "load undici",
  bare,
  "document by undici request",
  "document by template-pdf",
];

export async function run({ rounds, node: others }) {
  const nodes = [process.execPath, ...others].map((path) => ({ path, version: versionOf(path) }));
  const origin = await startProgram("raw.mjs");
  for (const script of install()) {
    for (const { path, version } of nodes) {
      const format = script.endsWith(".mjs") ? "ES module" : "CommonJS";
      const print = printTable([
        `\nNode ${version}, ${format}`,
        "ms of process",
        "ms of script",
        "ms of CPU",
        "× fetch",
      ]);
      const medians = measure(path, script, origin, rounds);
      for (const [name, figures] of medians) {
        const ratio = name.startsWith("document") ? (figures[0] / medians.get(bare)[0]).toFixed(2) : "";
        print([name, ...figures.map((ms) => ms.toFixed(1)), ratio]);
      }
    }
  }
}

function versionOf(path) {
  const { status, stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
  if (status !== 0) throw new UsageError(`--node must be the path of a Node, got "${path}".`);
  return stdout.trim();
}

/** Installs the packed package into an empty project; returns the contender in both module formats. */
function install() {
  const here = (name) => fileURLToPath(new URL(name, import.meta.url));
  const folder = makeTemporaryFolder("cold-start");
  const [program, ...words] = programOf("npm");
  const npm = (cwd, ...args) => execFileSync(program, [...words, ...args], { cwd, stdio: "ignore" });
  npm(here(".."), "pack", "--ignore-scripts", "--pack-destination", folder);
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  writeFileSync(join(folder, "package.json"), "{}");
  npm(folder, "install", "--no-audit", "--no-fund", "--prefer-offline", `./${tarball}`);
  const code = readFileSync(here("cold-start-contender.mjs"), "utf8");
  return Object.entries({ mjs: code, cjs: code.replace("(name) => import(name)", "require") }).map(
    ([extension, text]) => {
      const path = join(folder, `contender.${extension}`);
      writeFileSync(path, text);
      return path;
    },
  );
}

/** Runs all contenders in alternating rounds. The first round only warms the caches of the disk. */
function measure(node, script, origin, rounds) {
  const readings = new Map(contenders.map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const name of contenders) {
      const reading = JSON.parse(execFileSync(node, [script, name, origin], { encoding: "utf8" }));
      if (round > 0) readings.get(name).push(reading);
    }
  }
  const mediansOf = (all) => [0, 1, 2].map((at) => medianOf(all.map((reading) => reading[at])));
  return new Map([...readings].map(([name, all]) => [name, mediansOf(all)]));
}
