// @ts-check
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A test process whose test has not changed for so long hangs with its mutant: both are ended. */
const hangMs = 12_000;
/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
process.on("SIGINT", () => {
  for (const tests of running) stop(tests);
  process.exit(130);
});
/** How often one file of tests is started again, after mutants that hang or end the process. */
const maxRestarts = 40;

/**
 * Runs tests in the copy of a repository that `copyWithMutants` made.
 *
 * @typedef {{ folder: string, results: string, tests: string, processes: number }} Settings
 * @typedef {Record<string, { durationMs: number, mutants: string[] }>} Coverage How long each test takes, and the ids of
 * the mutants that it reaches.
 */

/**
 * Runs every test once.
 *
 * @param {Settings} settings
 * @returns {Promise<{ coverage: Coverage, atLoad: Set<string> }>} also the ids of the mutants that the loading of modules reaches
 */
export async function readCoverage(settings) {
  const path = join(settings.results, "coverage.jsonl");
  rmSync(path, { force: true });
  await exitOf(
    startTests(settings, [`--maxWorkers=${settings.processes}`], { MUTATION_TEST_TIMEOUT_MS: "60000" }),
  );
  if (!existsSync(path)) throw new Error(`No test ran: see ${join(settings.results, "tests.log")}.`);
  const parts = readLines(path).map((line) => JSON.parse(line));
  return {
    coverage: Object.assign({}, ...parts.map(({ tests }) => tests)),
    atLoad: new Set(parts.flatMap(({ atLoad }) => atLoad)),
  };
}

/**
 * Runs tests with mutants: each mutant that lives with tests that reach it and did not run with it yet, the quickest
 * first, until they have taken so long together.
 *
 * @param {Settings} settings
 * @param {Coverage} coverage
 * @param {Map<string, Set<string>>} tried - the tests that ran with each mutant; is added to
 * @param {number} budgetMs - for each mutant, by how long its tests take without it
 */
export async function runRound(settings, coverage, tried, budgetMs) {
  const plan = planOf(coverage, readKilled(settings), tried, budgetMs);
  writeFileSync(join(settings.results, "plan.json"), JSON.stringify(plan));
  writeFileSync(join(settings.results, "finished.txt"), "");
  const queue = filesOf(plan, coverage);
  const slots = Array.from({ length: settings.processes }, async (_, slot) => {
    for (let file = queue.shift(); file; file = queue.shift()) {
      for (let restarts = 0; restarts < maxRestarts; restarts++) {
        if (await runFile(settings, file, slot)) break;
      }
    }
  });
  await Promise.all(slots);
}

/** @param {Settings} settings */
export function readKilled({ results }) {
  return new Set(readLines(join(results, "killed.tsv")).map((line) => line.split("\t")[0] ?? ""));
}

/**
 * @param {Coverage} coverage
 * @param {Set<string>} killed
 * @param {Map<string, Set<string>>} tried
 * @param {number} budgetMs
 */
function planOf(coverage, killed, tried, budgetMs) {
  /** @type {Record<string, string[]>} The mutants that each test runs with. */
  const plan = {};
  /** @type {Map<string, number>} How long the planned tests of each mutant take. */
  const plannedMs = new Map();
  const tests = Object.entries(coverage).sort(([, a], [, b]) => a.durationMs - b.durationMs);
  for (const [test, { durationMs, mutants }] of tests) {
    /** @type {string[]} */
    const ids = [];
    for (const id of mutants) {
      const before = plannedMs.get(id) ?? 0;
      if (killed.has(id) || tried.get(id)?.has(test) || before > budgetMs) continue;
      // One test at least, however long it takes; and a fraction of a millisecond counts.
      plannedMs.set(id, before + durationMs + 0.5);
      tried.set(id, (tried.get(id) ?? new Set()).add(test));
      ids.push(id);
    }
    if (ids.length > 0) plan[test] = ids;
  }
  return plan;
}

/**
 * The files of tests, the quickest first: what their tests kill leaves less to do to the others.
 *
 * @param {Record<string, string[]>} plan
 * @param {Coverage} coverage
 */
function filesOf(plan, coverage) {
  /** @type {Map<string, { totalMs: number, count: number }>} */
  const files = new Map();
  for (const [test, ids] of Object.entries(plan)) {
    const { totalMs, count } = files.get(fileOf(test)) ?? { totalMs: 0, count: 0 };
    const durationMs = coverage[test]?.durationMs ?? 0;
    files.set(fileOf(test), { totalMs: totalMs + durationMs * ids.length, count: count + ids.length });
  }
  const meanMs = (/** @type {[string, { totalMs: number, count: number }]} */ [, { totalMs, count }]) =>
    totalMs / count;
  return [...files].sort((a, b) => meanMs(a) - meanMs(b)).map(([file]) => file);
}

/**
 * Runs the tests of one file with their mutants.
 *
 * @param {Settings} settings
 * @param {string} file
 * @param {number} slot
 * @returns {Promise<boolean>} whether it came to its end; false if a mutant has ended or spoiled the process
 */
async function runFile(settings, file, slot) {
  const { results } = settings;
  const heartbeat = join(results, `heartbeat-${slot}`);
  const spoiled = join(results, `spoiled-${slot}`);
  writeFileSync(heartbeat, "");
  rmSync(spoiled, { force: true });
  const environment = { MUTATION_SLOT: String(slot), MUTATION_TEST_TIMEOUT_MS: "1500" };
  const tests = startTests(settings, ["--no-file-parallelism", file], environment);
  const watching = setInterval(() => {
    if (Date.now() - statSync(heartbeat).mtimeMs > hangMs) stop(tests);
  }, 1_000);
  const hasEnded = await exitOf(tests);
  clearInterval(watching);
  stop(tests);
  if (existsSync(spoiled)) return false;
  if (hasEnded) return true;
  const [id, test] = readFileSync(heartbeat, "utf8").trim().split("\t");
  if (id) appendFileSync(join(results, "killed.tsv"), `${id}\t${test} (the process)\n`);
  else appendFileSync(join(results, "notes.txt"), `${file}: ended without a mutant\n`);
  return !id;
}

/**
 * @param {Settings} settings
 * @param {readonly string[]} args
 * @param {Record<string, string>} environment
 */
function startTests({ folder, results, tests }, args, environment) {
  const vitest = join(folder, "node_modules/vitest/vitest.mjs");
  const log = openSync(join(results, "tests.log"), "a");
  const own = {
    MUTATION_ROOT: folder,
    MUTATION_FOLDER: results,
    MUTATION_TESTS: tests,
    // The same cases in every run: a mutant that a test detects by chance is not detected.
    FUZZ_RUNS: "12",
    FUZZ_SEED: "1",
    CI: "true",
  };
  const config = join(folder, "scripts/mutation/vitest.config.ts");
  const child = spawn(process.execPath, [vitest, "run", "--config", config, "--reporter=dot", ...args], {
    cwd: folder,
    env: { ...process.env, ...own, ...environment },
    // A group of its own, to be ended with the processes that it starts.
    detached: true,
    stdio: ["ignore", log, log],
  });
  running.add(child);
  child.on("exit", () => running.delete(child));
  return child;
}

/** @param {import("node:child_process").ChildProcess} tests */
function stop(tests) {
  try {
    process.kill(-Number(tests.pid), "SIGKILL");
  } catch {
    // All have ended.
  }
}

/**
 * @param {import("node:child_process").ChildProcess} tests
 * @returns {Promise<boolean>} whether it ended by itself, with results
 */
function exitOf(tests) {
  return new Promise((resolve) => tests.on("exit", (code) => resolve(code === 0 || code === 1)));
}

const fileOf = (/** @type {string} */ test) => test.slice(0, test.indexOf("#"));

/** @param {string} path */
function readLines(path) {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
}
