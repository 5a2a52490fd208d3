// What a fresh process pays for this package: to load it, and until its first whole document, ours beside Node's own
// `fetch` and undici; from the packed package, installed into an empty project.
// `npm run cold-start`; `npm run cold-start -- --help` tells the options.
import { execFile, fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { killAtEnd } from "./shared/at-end.mjs";
import { readCommandLine, wholeNumber } from "./shared/command-line.mjs";
import { medianOf } from "./shared/statistics.mjs";
import { makeTemporaryFolder } from "./shared/temporary-folder.mjs";

const usage = `npm run cold-start -- [--rounds <number>] [--node <path of another Node>]…

What a fresh process pays to load this package, and for its first document: medians of 21 rounds, by default.
--node measures another Node as well, and may stand there several times.`;
const { rounds, nodes } = readCommandLine(usage, (args) => {
  const options = { rounds: { type: "string", default: "21" }, node: { type: "string", multiple: true } };
  const { values } = parseArgs({ args, options });
  const nodes = [...new Set([process.execPath, ...(values.node ?? [])])];
  return { rounds: wholeNumber("--rounds", values.rounds), nodes: nodes.map(withVersion) };
});
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

const temporary = makeTemporaryFolder("cold-start");
const folder = temporary.path;
const server = killAtEnd(fork(here("server.mjs")));
try {
  const [port] = await once(server, "message");
  const scripts = await install();
  for (const node of nodes) {
    for (const script of scripts)
      printTable(node, script, await measureAll(node, script, `http://127.0.0.1:${port}`));
  }
} finally {
  server.kill();
  temporary.remove();
}

/** A process that ends with this one, which hears a signal while it waits; gives what it printed. */
async function run(command, args, options = {}) {
  const running = promisify(execFile)(command, args, options);
  killAtEnd(running.child);
  return (await running).stdout;
}

function withVersion(path) {
  const { status, stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
  if (status !== 0) throw new Error(`"${path}" is no Node.`);
  return { path, version: stdout.trim() };
}

/** Installs the packed package into an empty project; gives the contender in both module formats. */
async function install() {
  const npm = (cwd, ...args) => run("npm", args, { cwd });
  await npm(here(".."), "pack", "--ignore-scripts", "--pack-destination", folder);
  const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz"));
  await writeFile(join(folder, "package.json"), "{}");
  await npm(folder, "install", "--no-audit", "--no-fund", "--prefer-offline", `./${tarball}`);
  const code = await readFile(here("cold-start-contender.mjs"), "utf8");
  const ofCommonJs = code.replace("(name) => import(name)", "require");
  if (ofCommonJs === code) throw new Error("The contender has no `load` to replace.");
  const scripts = [join(folder, "contender.mjs"), join(folder, "contender.cjs")];
  await Promise.all(scripts.map((path, index) => writeFile(path, index === 0 ? code : ofCommonJs)));
  return scripts;
}

/** Runs all contenders in alternating rounds; the first round only warms the caches of the disk. */
async function measureAll(node, script, origin) {
  const readings = new Map(contenders.map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const name of contenders) {
      const reading = JSON.parse(await run(node.path, [script, name, origin]));
      if (round > 0) readings.get(name).push(reading);
    }
  }
  return new Map([...readings].map(([name, list]) => [name, mediansOf(list)]));
}

function mediansOf(readings) {
  return [0, 1, 2].map((at) => medianOf(readings.map((reading) => reading[at])));
}

function printTable(node, script, medians) {
  const format = script.endsWith(".mjs") ? "ES module" : "CommonJS";
  console.log(
    `\nNode ${node.version}, ${format}; medians of ${rounds} fresh processes, × global fetch in brackets`,
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
