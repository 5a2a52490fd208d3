// @ts-check
import { appendFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, parse } from "node:path";
import { exitOf, startTests, stop } from "./test-process.mjs";

/** The time after which a test process that makes no progress counts as hanging and is killed, with its mutant. */
const hangMs = 12_000;
/** The time after which a test process that has not started a test is killed, because a busy machine starts it slowly. */
const startMs = 90_000;
/** The time after which the tests of a mutant at load count as hanging. */
const hangAtLoadMs = 60_000;
/** How many test files run with each mutant at load. */
const maxFilesAtLoad = 8;
/** How many tests of a neighbour run for one test of another file. */
const turnsOfNeighbours = 4;
/** How often a test file is restarted after mutants that hang or end the process. */
const maxRestarts = 40;

/**
 * Runs tests in the copy of a repository that `copyWithMutants` made.
 *
 * @typedef {{ folder: string, results: string, tests: string, processes: number }} Settings
 * @typedef {Record<string, { durationMs: number, mutants: string[] }>} Coverage The duration of each test, and the ids
 * of the mutants that it reaches.
 * @typedef {{ id: string, file: string, line: number }} Place The location of a mutant.
 */

/**
 * Runs every test once.
 *
 * @param {Settings} settings
 * @returns {Promise<{ coverage: Coverage, atLoad: Set<string> }>} with the ids of the mutants that are reached while modules load
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
 * Runs each surviving mutant with tests that reach it and have not run with it yet, within a time budget for each mutant.
 *
 * @param {Settings} settings
 * @param {readonly Place[]} mutants
 * @param {Coverage} coverage
 * @param {Map<string, Set<string>>} tried - the tests that ran with each mutant; updated
 * @param {number} budgetMs - the time for each mutant, measured by the durations of its tests without it
 */
export async function runRound(settings, mutants, coverage, tried, budgetMs) {
  const plan = planOf(coverage, mutants, readKilled(settings), tried, budgetMs);
  writeFileSync(join(settings.results, "plan.json"), JSON.stringify(plan));
  writeFileSync(join(settings.results, "finished.txt"), "");
  await inSlots(settings, filesOf(plan, coverage), async (file, slot) => {
    for (let restarts = 0; restarts < maxRestarts; restarts++) {
      if (await runFile(settings, file, slot)) break;
    }
  });
}

/**
 * Runs mutants in code that runs while modules load, such as regular expressions in constants. Each needs a process
 * of its own, so it runs only with the test files that are most likely to kill it.
 *
 * @param {Settings} settings
 * @param {readonly Place[]} mutants
 * @param {Coverage} coverage
 * @param {ReadonlySet<string>} atLoad - the ids of the mutants that are reached while modules load
 */
export async function runAtLoad(settings, mutants, coverage, atLoad) {
  const killed = readKilled(settings);
  const testFiles = testFilesBySource(mutants, coverage, killed);
  /** @type {Map<string, Promise<boolean>>} Whether a test file passes in this way without a mutant. */
  const passes = new Map();
  const surviving = mutants.filter(({ id }) => atLoad.has(id) && !killed.has(id));
  await inSlots(settings, surviving, async ({ id, file }) => {
    for (const test of testFiles(file)) {
      if (!passes.has(test)) passes.set(test, passesWith(settings, test, ""));
      if (!(await passes.get(test)) || (await passesWith(settings, test, id))) continue;
      // Only a repeated failure counts, because a test can fail by chance.
      if (await passesWith(settings, test, id)) continue;
      appendFileSync(join(settings.results, "killed.tsv"), `${id}\t${test}#\n`);
      return;
    }
  });
}

/**
 * Returns a function that returns the test files that are most likely to kill a mutant of a source file: the tests
 * named after it, then those that killed most other mutants of it, and then the others in the folder of its tests.
 *
 * @param {readonly Place[]} mutants
 * @param {Coverage} coverage
 * @param {ReadonlyMap<string, string>} killed
 * @returns {(source: string) => string[]}
 */
function testFilesBySource(mutants, coverage, killed) {
  const all = [...new Set(Object.keys(coverage).map(fileOf))];
  /** @type {Map<string, Map<string, number>>} The number of kills by each test file, for each source file. */
  const kills = new Map();
  for (const { id, file } of mutants) {
    const test = killed.get(id);
    if (test === undefined) continue;
    const counts = kills.get(file) ?? new Map();
    kills.set(file, counts.set(fileOf(test), (counts.get(fileOf(test)) ?? 0) + 1));
  }
  return (source) => {
    const own = all.filter((test) => relationOf(test, source) === "named after");
    const neighbours = all.filter((test) => relationOf(test, source) === "neighbour");
    const killers = [...(kills.get(source) ?? [])].sort(([, a], [, b]) => b - a).map(([test]) => test);
    return [...new Set([...own, ...killers.slice(0, 4), ...neighbours])].slice(0, maxFilesAtLoad);
  };
}

/**
 * Returns whether a test file is named after a source file, or at least in the folder of its tests.
 *
 * @param {string} test - such as `test/call/timer.test.ts`
 * @param {string} source - such as `src/call/timer.ts`
 * @returns {"named after" | "neighbour" | undefined}
 */
function relationOf(test, source) {
  const { dir, name } = parse(source.replace(/^src/, "test"));
  if (dirname(test) !== dir) return undefined;
  return basename(test).startsWith(`${name.replace(/\.browser$/, "")}.`) ? "named after" : "neighbour";
}

/**
 * Processes items in order, one at a time in each slot.
 *
 * @template T
 * @param {Settings} settings
 * @param {readonly T[]} items
 * @param {(item: T, slot: number) => Promise<void>} work
 */
async function inSlots({ processes }, items, work) {
  // All slots take from one iterator.
  const remaining = items.values();
  const slots = Array.from({ length: processes }, async (_, slot) => {
    for (const item of remaining) await work(item, slot);
  });
  await Promise.all(slots);
}

/**
 * @param {Settings} settings
 * @param {string} file
 * @param {string} id - the mutant that is active from the start
 * @returns {Promise<boolean>} whether all tests of the file pass; false if they take too long
 */
async function passesWith(settings, file, id) {
  const environment = { MUTATION_AT_LOAD: id, MUTATION_TEST_TIMEOUT_MS: "5000" };
  const tests = startTests(settings, ["--no-file-parallelism", "--bail=1", file], environment);
  const limit = setTimeout(() => stop(tests), hangAtLoadMs);
  const code = await new Promise((resolve) => tests.on("exit", resolve));
  clearTimeout(limit);
  stop(tests);
  return code === 0;
}

/**
 * @param {Settings} settings
 * @returns {Map<string, string>} the ids of killed mutants, each with a test that kills it
 */
export function readKilled({ results }) {
  const lines = readLines(join(results, "killed.tsv")).map((line) => line.split("\t"));
  return new Map(lines.map(([id = "", test = ""]) => [id, test.replace(/ \(the process\)$/, "")]));
}

/**
 * Chooses the tests to run with each mutant: first the tests named after its source file, then tests that killed mutants
 * near it. Then follow the quickest test of each file, the second of each file, and so on, because tests in one file are
 * similar. Files in the folder of the tests have several turns at a time.
 *
 * @param {Coverage} coverage
 * @param {readonly Place[]} mutants
 * @param {ReadonlyMap<string, string>} killed
 * @param {Map<string, Set<string>>} tried
 * @param {number} budgetMs
 */
function planOf(coverage, mutants, killed, tried, budgetMs) {
  const killers = killersByPlace(mutants, killed);
  const tests = Object.entries(coverage).sort(([, a], [, b]) => a.durationMs - b.durationMs);
  /** @type {Map<string, { source: string, reaching: { test: string, turn: number }[] }>} */
  const byMutant = new Map();
  for (const { id, file } of mutants) if (!killed.has(id)) byMutant.set(id, { source: file, reaching: [] });
  /** @type {Map<string, number>} The number of tests in a file that reach a mutant. */
  const turns = new Map();
  for (const [test, { mutants: ids }] of tests) {
    for (const id of ids) {
      const mutant = byMutant.get(id);
      if (!mutant) continue;
      const key = `${id} ${fileOf(test)}`;
      const turn = turns.get(key) ?? 0;
      turns.set(key, turn + 1);
      const relation = relationOf(fileOf(test), mutant.source);
      if (relation === "named after") mutant.reaching.push({ test, turn: -1 });
      else mutant.reaching.push({ test, turn: relation === "neighbour" ? turn / turnsOfNeighbours : turn });
    }
  }
  /** @type {Record<string, string[]>} The mutants that each test runs with. */
  const plan = {};
  for (const { id, file, line } of mutants) {
    const near = killers.get(areaOf(file, line));
    const before = tried.get(id) ?? new Set();
    tried.set(id, before);
    // The sort is stable, so tests of one turn stay ordered by duration.
    const rank = (/** @type {{ test: string, turn: number }} */ { test, turn }) =>
      turn >= 0 && near?.has(test) ? -0.5 : turn;
    const ordered = (byMutant.get(id)?.reaching ?? []).sort((a, b) => rank(a) - rank(b));
    let plannedMs = 0;
    for (const { test } of ordered) {
      if (plannedMs > budgetMs) break;
      if (before.has(test)) continue;
      before.add(test);
      // Starting a test takes a fraction of a millisecond.
      plannedMs += (coverage[test]?.durationMs ?? 0) + 0.5;
      plan[test] ??= [];
      plan[test].push(id);
    }
  }
  return plan;
}

/**
 * @param {readonly Place[]} mutants
 * @param {ReadonlyMap<string, string>} killed
 */
function killersByPlace(mutants, killed) {
  /** @type {Map<string, Set<string>>} */
  const killers = new Map();
  for (const { id, file, line } of mutants) {
    const killer = killed.get(id);
    if (killer === undefined) continue;
    for (const near of [line - linesOfArea, line, line + linesOfArea]) {
      const area = areaOf(file, near);
      killers.set(area, (killers.get(area) ?? new Set()).add(killer));
    }
  }
  return killers;
}

const linesOfArea = 8;

/** @param {string} file @param {number} line */
function areaOf(file, line) {
  return `${file} ${Math.floor(line / linesOfArea)}`;
}

/**
 * Returns the test files, quickest first: mutants that they kill need no further tests.
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
 * Runs the tests in one file with their mutants.
 *
 * @param {Settings} settings
 * @param {string} file
 * @param {number} slot
 * @returns {Promise<boolean>} whether the file finished; false if a mutant ended or corrupted the process
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
    const { size, mtimeMs } = statSync(heartbeat);
    if (Date.now() - mtimeMs > (size === 0 ? startMs : hangMs)) stop(tests);
  }, 1_000);
  const hasEnded = await exitOf(tests);
  clearInterval(watching);
  stop(tests);
  if (existsSync(spoiled)) return false;
  if (hasEnded) return true;
  const [id, test] = readFileSync(heartbeat, "utf8").trimEnd().split("\t");
  const careful = join(results, "careful.txt");
  if (id) appendFileSync(join(results, "killed.tsv"), `${id}\t${test} (the process)\n`);
  else if (test && !readLines(careful).includes(test)) appendFileSync(careful, `${test}\n`);
  else {
    appendFileSync(join(results, "notes.txt"), `${file}: ended without a mutant\n`);
    return true;
  }
  return false;
}

const fileOf = (/** @type {string} */ test) => test.slice(0, test.indexOf("#"));

/** @param {string} path */
function readLines(path) {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
}
