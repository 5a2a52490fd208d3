// @ts-check
// The Vitest runner for scripts/mutation.mjs. Without a plan, it records the mutants that each test reaches. With
// a plan, it repeats each test in the same process for every mutant: a process for each mutant would take
// seconds instead of milliseconds.
import { appendFileSync, existsSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join, relative } from "node:path";
import { TestRunner } from "vitest";

const {
  MUTATION_ROOT: root = "",
  MUTATION_FOLDER: folder = "",
  MUTATION_SLOT: slot,
  MUTATION_AT_LOAD: mutantAtLoad,
} = process.env;
/** The mutated sources read this: the active mutant, and how often mutants were reached. */
const shared = /** @type {any} */ (globalThis);
shared.__stryker__ ??= {};
const mutation = shared.__stryker__;
// A mutant in an endless loop throws after this number of hits.
mutation.hitLimit = 300_000;
// A mutant in code that runs while modules load is active before they load, and in every test of the file.
mutation.activeMutant = mutantAtLoad;

const killed = new Set(lines(join(folder, "killed.tsv")).map((line) => line.split("\t")[0]));
/** @type {Record<string, string[]>} */
const plan = slot === undefined ? {} : JSON.parse(readFileSync(join(folder, "plan.json"), "utf8"));
const heartbeat = slot === undefined ? undefined : openSync(join(folder, `heartbeat-${slot}`), "w");
/** The tests that have finished their mutants in this round. */
const finished = new Set(lines(join(folder, "finished.txt")));
/** Tests that run without a mutant after each mutant, to find the one that corrupts the process. */
const careful = new Set(lines(join(folder, "careful.txt")));
let hasRunMutant = false;
/** @type {Map<string, number>} The number of tests with each title so far. */
const titles = new Map();
/** @type {Record<string, number>} The duration of each test. */
const durationsMs = {};
/** @type {WeakMap<object, Repetition>} */
const repetitions = new WeakMap();

/**
 * A test and its results. It runs twice without a mutant, then once with each, then without again.
 *
 * @typedef {{ name: string, runs: (string | undefined)[], kills: string[], isBroken: boolean, startedMs: number }} Repetition
 */

/** The types of Vitest omit the parameters about repetitions. */
const Runner = /** @type {new (...args: any[]) => any} */ (TestRunner);

export default class MutationRunner extends Runner {
  /** @param {any[]} files */
  onCollected(files) {
    // Concurrent tests would share the active mutant.
    const inTurn = (/** @type {any} */ task) => {
      task.concurrent = false;
      for (const child of task.tasks ?? []) inTurn(child);
    };
    for (const file of files) inTurn(file);
  }

  /** @param {any} test */
  async onBeforeRunTask(test) {
    await super.onBeforeRunTask(test);
    if (mutantAtLoad !== undefined || (test.mode !== "run" && test.mode !== "queued")) return;
    const name = nameOf(test);
    const mutants = finished.has(name) ? [] : (plan[name] ?? []).filter((id) => !killed.has(id));
    if (slot !== undefined && mutants.length === 0) {
      test.mode = "skip";
      return;
    }
    const withMutants = careful.has(name)
      ? mutants.flatMap((id) => [id, undefined])
      : [...mutants, undefined];
    const runs = mutants.length > 0 ? [undefined, undefined, ...withMutants] : [undefined];
    repetitions.set(test, { name, runs, kills: [], isBroken: false, startedMs: 0 });
    test.retry = 0;
    test.repeats = runs.length - 1;
  }

  /** @param {any} test @param {{ retry: number, repeats: number }} attempt */
  onBeforeTryTask(test, attempt) {
    super.onBeforeTryTask(test, attempt);
    const repetition = repetitions.get(test);
    if (!repetition) return;
    mutation.hitCount = 0;
    mutation.currentTestId = repetition.name;
    if (attempt.repeats === 0) repetition.startedMs = Date.now();
    const mutant = repetition.runs[attempt.repeats];
    // If the process hangs in the run after a mutant, that mutant is the cause.
    const before = careful.has(repetition.name) ? repetition.runs[attempt.repeats - 1] : undefined;
    beat(mutant ?? before, repetition.name);
    if (mutant === undefined) return;
    if (repetition.isBroken) throw new Error("The test fails without a mutant.");
    mutation.activeMutant = mutant;
    hasRunMutant = true;
  }

  /** @param {any} test @param {{ retry: number, repeats: number }} attempt */
  onAfterRetryTask(test, attempt) {
    const repetition = repetitions.get(test);
    if (!repetition) return;
    const mutant = mutation.activeMutant;
    mutation.activeMutant = undefined;
    mutation.currentTestId = undefined;
    if (slot === undefined) {
      durationsMs[repetition.name] = Date.now() - repetition.startedMs;
      return;
    }
    const hasFailed = test.result.state === "fail";
    if (hasFailed && mutant !== undefined) {
      killed.add(mutant);
      repetition.kills.push(mutant);
    } else if (hasFailed && !repetition.isBroken && repetition.runs[attempt.repeats] === undefined) {
      if (hasRunMutant) spoiled(repetition, repetition.runs[attempt.repeats - 1]);
      repetition.isBroken = true;
      note("fails without a mutant", repetition.name);
    }
    if (attempt.repeats > 0 && attempt.repeats === test.repeats) finish(repetition);
    // Otherwise Vitest would stop here.
    if (hasFailed) Object.assign(test.result, { state: "run", errors: undefined });
  }

  onAfterRunFiles() {
    super.onAfterRunFiles();
    if (slot !== undefined || mutantAtLoad !== undefined) return;
    const { perTest = {}, static: atLoad = {} } = mutation.mutantCoverage ?? {};
    const tests = Object.entries(perTest).map(([name, hits]) => {
      return [name, { durationMs: durationsMs[name] ?? 0, mutants: Object.keys(hits) }];
    });
    const line = JSON.stringify({ tests: Object.fromEntries(tests), atLoad: Object.keys(atLoad) });
    appendFileSync(join(folder, "coverage.jsonl"), `${line}\n`);
    mutation.mutantCoverage = undefined;
  }
}

/** @param {Repetition} repetition */
function finish({ name, kills }) {
  keep(name, kills);
  appendFileSync(join(folder, "finished.txt"), `${name}\n`);
}

/** @param {string} name @param {readonly string[]} kills */
function keep(name, kills) {
  appendFileSync(join(folder, "killed.tsv"), kills.map((id) => `${id}\t${name}\n`).join(""));
}

/**
 * Ends this process after a mutant corrupted it, for example by an entry in a cache. Unfinished tests
 * run in another process.
 *
 * @param {Repetition} repetition - a test that fails without a mutant
 * @param {string | undefined} mutant - the mutant of the previous run
 */
function spoiled({ name, runs, kills }, mutant) {
  const isCareful = careful.has(name);
  // The test detects this mutant, if only on the second run.
  if (isCareful) keep(name, mutant === undefined ? kills : [...kills, mutant]);
  else if (runs.length > 1) appendFileSync(join(folder, "careful.txt"), `${name}\n`);
  writeFileSync(join(folder, `spoiled-${slot}`), name);
  process.kill(process.pid, "SIGKILL");
}

/** The name of a test in a plan: its file, project and title, with a number if titles repeat. */
function nameOf(/** @type {any} */ test) {
  const parts = [test.name];
  for (let suite = test.suite; suite; suite = suite.suite) parts.unshift(suite.name);
  if (test.file.projectName !== "source") parts.unshift(test.file.projectName);
  const title = `${relative(root, test.file.filepath)}#${parts.join(" > ")}`;
  const count = (titles.get(title) ?? 0) + 1;
  titles.set(title, count);
  return count === 1 ? title : `${title} (${count})`;
}

/** Reports the current test to the parent process, in one line that is overwritten each time. */
function beat(/** @type {string | undefined} */ mutant, /** @type {string} */ name) {
  if (heartbeat === undefined) return;
  const line = Buffer.from(`${mutant ?? ""}\t${name}`.padEnd(300).slice(0, 300));
  writeSync(heartbeat, line, 0, line.length, 0);
}

function note(/** @type {string} */ what, /** @type {string} */ name) {
  appendFileSync(join(folder, "notes.txt"), `${name}: ${what}\n`);
}

/** @param {string} path */
function lines(path) {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
}
