import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { programOf } from "../scripts/run-command.mjs";
import { startProgram } from "./servers/start.mjs";
import { makeTemporaryFolder } from "./shared/at-end.mjs";
import { medianOf } from "./shared/figures.mjs";
import { printTable } from "./shared/tables.mjs";

export const defaults = { rounds: 21 };

export const usage = `Measures how long a new process takes to load the packed package, and to get its first document, compared with fetch and undici.
Run \`path/of/node bench/main.mjs cold-start\` to measure another version of Node.

  --rounds <n>   rounds of each contender (default: 21)`;

const bare = "document by global fetch";
const contenders = [
  "nothing",
  "load template-pdf",
  "load undici",
  bare,
  "document by undici request",
  "document by template-pdf",
];

export async function run({ rounds }) {
  const origin = await startProgram("raw.mjs");
  for (const [format, script] of Object.entries(install())) {
    const title = `\nNode ${process.version}, ${format}`;
    const print = printTable([title, "ms of process", "ms of script", "ms of CPU", "× fetch"]);
    const medians = measure(script, origin, rounds);
    for (const [name, figures] of medians) {
      const ratio = name.startsWith("document") ? (figures[0] / medians.get(bare)[0]).toFixed(2) : "";
      print([name, ...figures.map((ms) => ms.toFixed(1)), ratio]);
    }
  }
}

/** Installs the packed package into an empty project; returns the paths of the contender in both module formats. */
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
  const scripts = { "ES module": join(folder, "contender.mjs"), CommonJS: join(folder, "contender.cjs") };
  writeFileSync(scripts["ES module"], code);
  writeFileSync(scripts.CommonJS, code.replace("(name) => import(name)", "require"));
  return scripts;
}

/** Runs all contenders in rounds. The first round only fills the disk caches. */
function measure(script, origin, rounds) {
  const readings = new Map(contenders.map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const name of contenders) {
      const reading = JSON.parse(
        execFileSync(process.execPath, [script, name, origin], { encoding: "utf8" }),
      );
      if (round > 0) readings.get(name).push(reading);
    }
  }
  const mediansOf = (all) => [0, 1, 2].map((at) => medianOf(all.map((reading) => reading[at])));
  return new Map([...readings].map(([name, all]) => [name, mediansOf(all)]));
}
