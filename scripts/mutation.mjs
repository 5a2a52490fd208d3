// @ts-check
// Mutation testing: makes small changes to the code, one at a time, and lists those that no test detects.
// `npm run verify` does not include it. `npm run mutation -- src/call/pdf-check.ts` mutates one file and runs
// all tests that reach it. `--tests "test/call/*.test.ts"` selects tests, which is faster. `core` mutates the core,
// and `all` also bulk, the handler and the service.
// Do not run it as root: a mutant may make a test replace a device such as /dev/full.
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { copyWithMutants } from "./mutation/instrument.mjs";
import { readCoverage, readKilled, runAtLoad, runRound } from "./mutation/rounds.mjs";

const core = [
  "client",
  "template",
  "call",
  "document",
  "errors",
  "files",
  "options",
  "request",
  "runtime",
  "transport",
].flatMap((name) => [`src/${name}.ts`, `src/${name}`]);
const groups = new Map([
  ["core", core],
  ["all", [...core, "src/bulk", "src/handler", "src/service"]],
]);

/** The time in milliseconds for the tests of one mutant, for each round. The first round kills most mutants. */
const rounds = [100, 500, 3_000];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tests: { type: "string", default: "test/**/*.test.ts" },
    processes: { type: "string", default: "2" },
  },
});
const patterns = positionals.flatMap((name) => groups.get(name) ?? [name]);
if (patterns.length === 0) fail("name files or folders such as src/call/pdf-check.ts, `core` or `all`.");

const folder = join(tmpdir(), "template-pdf-mutation");
const mutants = await copyWithMutants(folder, patterns);
if (mutants.length === 0) fail(`found no mutants in ${patterns.join(", ")}.`);
const results = join(folder, ".mutation");
mkdirSync(results);
console.log(`mutation: ${mutants.length} mutants; results in ${results}`);

const settings = { folder, results, tests: values.tests, processes: Number(values.processes) };
const { coverage, atLoad } = await readCoverage(settings);
const reached = new Set(Object.values(coverage).flatMap(({ mutants }) => mutants));
console.log(`mutation: ${Object.keys(coverage).length} tests reach ${reached.size} of them`);
/** @type {Map<string, Set<string>>} */
const tried = new Map();
for (const [index, budgetMs] of rounds.entries()) {
  await runRound(settings, mutants, coverage, tried, budgetMs);
  console.log(`mutation: ${readKilled(settings).size} are killed after round ${index + 1}`);
}
await runAtLoad(settings, mutants, coverage, atLoad);

const killed = readKilled(settings);
console.log(`mutation: ${killed.size} are killed after the mutants at load`);
/** @type {Map<string, { all: number, killed: number }>} */
const files = new Map();
for (const { id, file, line, column, mutator, replacement } of mutants) {
  const counts = files.get(file) ?? { all: 0, killed: 0 };
  files.set(file, { all: counts.all + 1, killed: counts.killed + (killed.has(id) ? 1 : 0) });
  if (killed.has(id)) continue;
  const why = reached.has(id) || atLoad.has(id) ? "survives" : "is not reached";
  console.log(`${file}:${line}:${column} ${why}: ${mutator}, ${JSON.stringify(replacement.slice(0, 80))}`);
}
for (const [file, counts] of files) console.log(scoreOf(file, counts));
console.log(scoreOf("all files", { all: mutants.length, killed: killed.size }));

/**
 * @param {string} name
 * @param {{ all: number, killed: number }} counts
 */
function scoreOf(name, counts) {
  return `${name}: ${counts.killed} of ${counts.all} killed, ${((100 * counts.killed) / counts.all).toFixed(1)} %`;
}

/** @param {string} message */
function fail(message) {
  console.error(`mutation: ${message}`);
  process.exit(2);
}
