// What a fresh process pays for this package: to load it, and until its first whole document, ours beside Node's own
// `fetch` and undici; from the packed package, installed into an empty project.
// `npm run cold-start`, or node bench/cold-start.mjs [--rounds 21] [--node <path of another Node>]…
import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { medianOf } from "./shared/statistics.mjs";

const { values: given } = parseArgs({
  options: { rounds: { type: "string", default: "21" }, node: { type: "string", multiple: true } },
});
const rounds = Number(given.rounds);
const nodes = [...new Set([process.execPath, ...(given.node ?? [])])];
const bare = "document by global fetch";
const contenders = [
  "nothing",
  "load template-pdf",
  "load undici",
  bare,
  "document by undici request",
  "document by template-pdf",
];
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

const folder = await mkdtemp(join(tmpdir(), "template-pdf-cold-start-"));
const server = fork(here("server.mjs"));
try {
  const [port] = await once(server, "message");
  const scripts = await install();
  for (const node of nodes) {
    for (const script of scripts)
      printTable(node, script, measureAll(node, script, `http://127.0.0.1:${port}`));
  }
} finally {
  server.kill();
  await rm(folder, { recursive: true, force: true });
}

/** Installs the packed package into an empty project; gives the contender in both module formats. */
async function install() {
  const npm = (cwd, ...args) => execFileSync("npm", args, { cwd, stdio: "ignore" });
  npm(here(".."), "pack", "--ignore-scripts", "--pack-destination", folder);
  const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz"));
  await writeFile(join(folder, "package.json"), "{}");
  npm(folder, "install", "--no-audit", "--no-fund", "--prefer-offline", `./${tarball}`);
  const code = await readFile(here("cold-start-contender.mjs"), "utf8");
  const ofCommonJs = code.replace("(name) => import(name)", "require");
  if (ofCommonJs === code) throw new Error("The contender has no `load` to replace.");
  const scripts = [join(folder, "contender.mjs"), join(folder, "contender.cjs")];
  await Promise.all(scripts.map((path, index) => writeFile(path, index === 0 ? code : ofCommonJs)));
  return scripts;
}

/** Runs all contenders in alternating rounds; the first round only warms the caches of the disk. */
function measureAll(node, script, origin) {
  const readings = new Map(contenders.map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const name of contenders) {
      const reading = JSON.parse(execFileSync(node, [script, name, origin], { encoding: "utf8" }));
      if (round > 0) readings.get(name).push(reading);
    }
  }
  return new Map([...readings].map(([name, list]) => [name, mediansOf(list)]));
}

function mediansOf(readings) {
  return [0, 1, 2].map((at) => medianOf(readings.map((reading) => reading[at])));
}

function printTable(node, script, medians) {
  const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
  const format = script.endsWith(".mjs") ? "ES module" : "CommonJS";
  console.log(
    `\nNode ${version}, ${format}; medians of ${rounds} fresh processes, × global fetch in brackets`,
  );
  console.log(`${" ".repeat(27)}  ms of process      ms of script       ms of CPU`);
  for (const [name, numbers] of medians) {
    const cells = numbers.map((number, at) => {
      const ratio = name.startsWith("document") ? ` (${(number / medians.get(bare)[at]).toFixed(2)})` : "";
      return (number.toFixed(1).padStart(8) + ratio).padEnd(17);
    });
    console.log(`${name.padEnd(27)}${cells.join("  ")}`.trimEnd());
  }
}
